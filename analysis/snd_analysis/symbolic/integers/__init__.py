"""Symbolic integers and conditions over extents, ranks and pack lengths (2.4, 2.6, 3.1).

Integers are canonical: equal ones compare equal. Conditions are true, false or symbolic.
"""

from snd_analysis.symbolic.integers import printing as _printing  # noqa: F401 - gives integers and conditions their text
from snd_analysis.symbolic.integers.atoms import Atom, Indicator, Leaf, Product, Variable
from snd_analysis.symbolic.integers.bounds import bounds, is_negative
from snd_analysis.symbolic.integers.comparison import EqualityVerdict, Relation, choose, compare, decide_equal
from snd_analysis.symbolic.integers.conditions import indicators, statement_of, where
from snd_analysis.symbolic.integers.division import ceil_divide, exact_quotient, floor_divide, remainder
from snd_analysis.symbolic.integers.errors import FAILURES, DivisionByZero, NegativeExponent
from snd_analysis.symbolic.integers.evaluation import evaluate, variables
from snd_analysis.symbolic.integers.extremes import absolute, maximum, minimum, sign
from snd_analysis.symbolic.integers.facts import (
    Asserted,
    Facts,
    asserted_unknown,
    components,
    facts_from,
    plain_unknown,
)
from snd_analysis.symbolic.integers.integer import (
    FoldKey,
    Integer,
    as_affine,
    constant,
    has_unknowns,
    of_atom,
    opaque,
    product_of,
    solve_affine,
    sum_of,
    variable,
    without_unknowns,
)
from snd_analysis.symbolic.integers.monomials import Monomial
from snd_analysis.symbolic.integers.operations import Absolute, Extremum, Power, Quotient, Sign, function
from snd_analysis.symbolic.integers.powers import is_too_large, power
from snd_analysis.symbolic.integers.spelling import spelled, spelling
from snd_analysis.symbolic.integers.substitution import substitute
from snd_analysis.symbolic.integers.truth import (
    FALSE,
    TRUE,
    AtLeastZero,
    IsZero,
    Junction,
    KnownTruth,
    Proposition,
    Truth,
    and_,
    implies,
    not_,
    or_,
    proposition,
    truth,
    xor,
)

__all__ = [
    "FAILURES",
    "FALSE",
    "TRUE",
    "Absolute",
    "Asserted",
    "AtLeastZero",
    "Atom",
    "DivisionByZero",
    "EqualityVerdict",
    "Extremum",
    "Facts",
    "FoldKey",
    "Indicator",
    "Integer",
    "IsZero",
    "Junction",
    "KnownTruth",
    "Leaf",
    "Monomial",
    "NegativeExponent",
    "Power",
    "Product",
    "Proposition",
    "Quotient",
    "Relation",
    "Sign",
    "Truth",
    "Variable",
    "absolute",
    "and_",
    "as_affine",
    "asserted_unknown",
    "bounds",
    "ceil_divide",
    "choose",
    "compare",
    "components",
    "constant",
    "decide_equal",
    "evaluate",
    "exact_quotient",
    "facts_from",
    "floor_divide",
    "function",
    "has_unknowns",
    "implies",
    "indicators",
    "is_negative",
    "is_too_large",
    "maximum",
    "minimum",
    "not_",
    "of_atom",
    "opaque",
    "or_",
    "plain_unknown",
    "power",
    "product_of",
    "proposition",
    "remainder",
    "sign",
    "solve_affine",
    "spelled",
    "spelling",
    "statement_of",
    "substitute",
    "sum_of",
    "truth",
    "variable",
    "variables",
    "where",
    "without_unknowns",
    "xor",
]
