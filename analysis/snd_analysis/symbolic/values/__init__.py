"""Values of expressions over known and unknown values, and the operations on them (2.4).

Unknown ints and bools are symbolic (``shapes``), unknown reals and strings are ``Unknown``; packs of unknown length
have runs. ``substitute`` repeats all operations with the values that became known. One set of tables defines every
operator on single values: ``OPERATIONS``, ``UNARY``, ``FUNCTIONS``, ``CASTS``.
"""

from snd_analysis.symbolic.limits import LONGEST_STRING, MOST_ITEMS
from snd_analysis.symbolic.values.elementwise import elementwise
from snd_analysis.symbolic.values.folds import CUMULATIVE, FOLDS, cumulative, uniform_later, uniform_now
from snd_analysis.symbolic.values.formatting import format_value
from snd_analysis.symbolic.values.functions import CASTS, FUNCTIONS, to_generic
from snd_analysis.symbolic.values.indexing import Slice, index, sliced
from snd_analysis.symbolic.values.items import cut, item, split, wide_items
from snd_analysis.symbolic.values.lists import contained, range_, repeated, with_length, zipped
from snd_analysis.symbolic.values.operations import (
    OPERATIONS,
    UNARY,
    CompileTime,
    formatted,
    identical_later,
    identical_now,
    may_become_known,
    negated,
)
from snd_analysis.symbolic.values.pack import (
    POSITION,
    POSITION_KEY,
    Element,
    ItemRun,
    Pack,
    Positioned,
    Segment,
    element_of,
    fresh,
    pack_of,
    positional,
)
from snd_analysis.symbolic.values.real_bounds import replaced
from snd_analysis.symbolic.values.rewriting import shifted, substitute
from snd_analysis.symbolic.values.scalars import (
    NULL,
    UNDEFINED,
    Foreign,
    Maybe,
    Null,
    OperationError,
    OperationKey,
    Undefined,
    Unknown,
    Value,
    default_value,
    dtype_of,
    maybe,
    too_large,
    unknown,
)
from snd_analysis.symbolic.values.selection import choose, select

__all__ = [
    "CASTS",
    "CUMULATIVE",
    "FOLDS",
    "FUNCTIONS",
    "LONGEST_STRING",
    "MOST_ITEMS",
    "NULL",
    "OPERATIONS",
    "POSITION",
    "POSITION_KEY",
    "UNARY",
    "UNDEFINED",
    "CompileTime",
    "Element",
    "Foreign",
    "ItemRun",
    "Maybe",
    "Null",
    "OperationError",
    "OperationKey",
    "Pack",
    "Positioned",
    "Segment",
    "Slice",
    "Undefined",
    "Unknown",
    "Value",
    "choose",
    "contained",
    "cumulative",
    "cut",
    "default_value",
    "dtype_of",
    "element_of",
    "elementwise",
    "format_value",
    "formatted",
    "fresh",
    "identical_later",
    "identical_now",
    "index",
    "item",
    "may_become_known",
    "maybe",
    "negated",
    "pack_of",
    "positional",
    "range_",
    "repeated",
    "replaced",
    "select",
    "shifted",
    "sliced",
    "split",
    "substitute",
    "to_generic",
    "too_large",
    "uniform_later",
    "uniform_now",
    "unknown",
    "wide_items",
    "with_length",
    "zipped",
]
