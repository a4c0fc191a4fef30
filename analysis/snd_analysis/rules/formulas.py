"""Rules about the formulas of `@lower`."""

from __future__ import annotations

from snd_analysis.base import Rule, Severity

ACCESS_OUTSIDE_LOWER = Rule("access-outside-lower", section="2.4")
ASSIGNMENT_OPERATOR = Rule("assignment-operator", section="2.12")
FOLD_OF_ACCESS = Rule("fold-of-access", section="2.12")
INDEX_COUNT = Rule("index-count", section="2.4")
INT_OVERFLOW = Rule("int-overflow", section="2.12")
LEFT_SIDE = Rule("left-side", section="2.12")
MISSING_COMMA = Rule("missing-comma", section="2.4")
OVERWRITTEN_OUTPUT = Rule("overwritten-output", section="2.12")
READS_OWN_OUTPUT = Rule("reads-own-output", section="2.12")
REMAP_NOTATION = Rule("remap-notation", section="2.12")
RUN_TIME_COUNT = Rule("run-time-count", section="2.12")
RUN_TIME_VALUE = Rule("run-time-value", section="2.12")
TENSOR_NOT_ACCESSED = Rule("tensor-not-accessed", section="2.12")
TOO_MANY_FORMULAS = Rule("too-many-formulas", section="2.12")
TWO_PACKED_INDICES = Rule("two-packed-indices", section="2.12")
UNCOUNTED_EXTENT = Rule("uncounted-extent", section="2.12")
UNFIXED_INDEX = Rule("unfixed-index", section="2.12", severity=Severity.WARNING)
UPDATE_WITHOUT_INITIAL = Rule("update-without-initial", section="2.12")

REMAP = "write a remapped index as '|i <> below : above|'"
"""The message for a remapped index that is written in another way."""
_WHERE = "a fold over elements of a tensor"


def as_contraction(operator: str) -> str:
    """Return the message for a fold that is the right side of a formula, to be accumulated by ``operator``."""
    return f"{_WHERE} is written as a contraction, such as 'y[i,] {operator} x[i, j], i < n, j < m'"


def within_expression() -> str:
    """Return the message for a fold inside the right side of a formula."""
    return f"{_WHERE} needs a name here: write 'with t = x[i,:] + ..: y[i,] = …'"


def too_wide(value: object) -> str:
    """Return the message for an int beyond the range of tensors."""
    # Python refuses to write out ints of thousands of digits.
    if isinstance(value, int) and abs(value) >= 1 << 128:
        value = f"an int of {value.bit_length()} bits"
    return f"{value} does not fit into 64 bits"


def result_too_wide(operator: str) -> str:
    """Return the message for a result of an operator beyond the ints of tensors."""
    return too_wide(f"the result of '{operator}'")


def known_at_run_time(value: str, what: str) -> str:
    """Return the message for ``value``, an index or element, where ``what`` demands a value of compile time."""
    return f"'{value}' is known only at run time, but {what} must be known at compile time"


def whole_tensor(type_: object, element: str) -> str:
    """Return the message for a tensor whose elements are meant; ``element`` shows an access."""
    return f"this is a tensor of type '{type_}': access its elements by index, as in '{element}'"
