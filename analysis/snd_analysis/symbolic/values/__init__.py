"""What expressions evaluate to, over known and unknown values (2.4).

``evaluate`` gives the value of an expression in an ``Environment``. Unknown ints and bools are symbolic (``shapes``),
unknown reals and strings are ``Unknown``; packs of unknown length have runs. ``substitute`` does everything again with
what became known. The meaning of every operator on single values is in one table: ``OPERATIONS``, ``UNARY``,
``FUNCTIONS``, ``CASTS``.
"""

from snd_analysis.symbolic.values.compile_time import CompileTime, may_become_known
from snd_analysis.symbolic.values.elementwise import elementwise
from snd_analysis.symbolic.values.environment import Environment
from snd_analysis.symbolic.values.errors import EvaluationError, Failure, Unresolved
from snd_analysis.symbolic.values.evaluation import evaluate
from snd_analysis.symbolic.values.folds import CUMULATIVE, FOLDS
from snd_analysis.symbolic.values.formatting import format_value
from snd_analysis.symbolic.values.functions import CASTS, FUNCTIONS
from snd_analysis.symbolic.values.indexing import Slice, index, sliced
from snd_analysis.symbolic.values.items import cut, item, split
from snd_analysis.symbolic.values.lists import with_length
from snd_analysis.symbolic.values.operations import OPERATIONS, UNARY
from snd_analysis.symbolic.values.pack import (
    POSITION,
    POSITION_KEY,
    Element,
    Pack,
    Positioned,
    Run,
    element_of,
    pack_of,
    positional,
)
from snd_analysis.symbolic.values.rewriting import shifted, substitute
from snd_analysis.symbolic.values.scalars import (
    NULL,
    UNDEFINED,
    Maybe,
    Result,
    Unknown,
    Value,
    default_value,
    dtype_of,
    maybe,
    unknown,
)

__all__ = [
    "CASTS",
    "CUMULATIVE",
    "FOLDS",
    "FUNCTIONS",
    "NULL",
    "OPERATIONS",
    "POSITION",
    "POSITION_KEY",
    "UNARY",
    "UNDEFINED",
    "CompileTime",
    "Element",
    "Environment",
    "EvaluationError",
    "Failure",
    "Maybe",
    "Pack",
    "Positioned",
    "Result",
    "Run",
    "Slice",
    "Unknown",
    "Unresolved",
    "Value",
    "cut",
    "default_value",
    "dtype_of",
    "element_of",
    "elementwise",
    "evaluate",
    "format_value",
    "index",
    "item",
    "may_become_known",
    "maybe",
    "pack_of",
    "positional",
    "shifted",
    "sliced",
    "split",
    "substitute",
    "unknown",
    "with_length",
]
