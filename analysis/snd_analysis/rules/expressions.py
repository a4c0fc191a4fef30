"""Rules about expressions and their types."""

from __future__ import annotations

from snd_analysis.base import Rule

ABSTRACT_TYPE = Rule("abstract-type", section="2.3")
ARGUMENT_COUNT = Rule("argument-count", section="2.4")
BOUNDED_OUTSIDE_INDEX = Rule("bounded-outside-index", section="2.12")
CAST_TYPE = Rule("cast-type", section="2.4")
COALESCE_NOT_OPTIONAL = Rule("coalesce-not-optional", section="2.4")
DIVISION_BY_ZERO = Rule("division-by-zero", section="LANGUAGE")
EMPTY_EXTREMUM = Rule("empty-extremum", section="2.4")
NEGATIVE_EXPONENT = Rule("negative-exponent", section="LANGUAGE")
NO_NEGATIVE_EXPONENT = "an int can't be raised to a negative power"
NO_SUCH_FOLD = Rule("no-such-fold", section="2.4")
NULL_NOT_ALLOWED = Rule("null-not-allowed", section="2.4.1")
OPERAND_TYPE = Rule("operand-type", section="2.4")
TENSOR_IN_EXPRESSION = Rule("tensor-in-expression", section="2.10")
TYPE_AS_VALUE = Rule("type-as-value", section="2.4")
TYPE_MISMATCH = Rule("type-mismatch", section="2.4")


def zero_divisor(operator: str) -> str:
    """Return the message for a division, named by its operator, whose right side is 0."""
    return f"the right side of '{operator}' is 0 here"


def no_extremum(operator: str) -> str:
    """Return the message for a fold of an empty pack by ``<?`` or ``>?``."""
    return f"an empty pack has no {'minimum' if operator == '<?' else 'maximum'}"


def may_be_null(what: str, type_: object) -> str:
    """Return the message for a value of an optional type where null is not allowed."""
    return f"{what} can't be null, but this may be: its type is '{type_}'; give a value for null with '??'"
