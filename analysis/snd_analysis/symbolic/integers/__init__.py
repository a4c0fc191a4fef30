"""Symbolic integers and conditions over extents, ranks and pack lengths (2.4, 2.6, 3.1).

Integers are canonical: equal ones compare equal. Conditions are true, false or symbolic.
"""

from snd_analysis.symbolic.integers.affine import as_affine, solve_affine
from snd_analysis.symbolic.integers.bounds import bounds, is_negative
from snd_analysis.symbolic.integers.comparison import Relation, Verdict, choose, compare, decide_equal
from snd_analysis.symbolic.integers.division import ceil_divide, floor_divide, remainder
from snd_analysis.symbolic.integers.errors import DivisionByZero, NegativeExponent
from snd_analysis.symbolic.integers.evaluation import evaluate, substitute, upper_bound, variables
from snd_analysis.symbolic.integers.extremes import absolute, maximum, minimum, sign
from snd_analysis.symbolic.integers.folds import FoldKey, product_of, sum_of
from snd_analysis.symbolic.integers.integer import Integer, constant, opaque, variable, without_unknowns
from snd_analysis.symbolic.integers.operations import function
from snd_analysis.symbolic.integers.powers import power
from snd_analysis.symbolic.integers.truth import FALSE, TRUE, Truth, and_, implies, not_, or_, proposition, truth, xor

__all__ = [
    "FALSE",
    "TRUE",
    "DivisionByZero",
    "FoldKey",
    "Integer",
    "NegativeExponent",
    "Relation",
    "Truth",
    "Verdict",
    "absolute",
    "and_",
    "as_affine",
    "bounds",
    "ceil_divide",
    "choose",
    "compare",
    "constant",
    "decide_equal",
    "evaluate",
    "floor_divide",
    "function",
    "implies",
    "is_negative",
    "maximum",
    "minimum",
    "not_",
    "opaque",
    "or_",
    "power",
    "product_of",
    "proposition",
    "remainder",
    "sign",
    "solve_affine",
    "substitute",
    "sum_of",
    "truth",
    "upper_bound",
    "variable",
    "variables",
    "without_unknowns",
    "xor",
]
