"""Values as text (2.4, String formatting; LANGUAGE, Expressions)."""

from __future__ import annotations

import math

from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.limits import DEEPEST, LONGEST_MESSAGE, LONGEST_TEXT
from snd_analysis.symbolic.notation import notation
from snd_analysis.symbolic.values.pack import POSITION, ItemRun, Pack, positional
from snd_analysis.symbolic.values.scalars import (
    NULL,
    UNDEFINED,
    Fresh,
    Maybe,
    OperationKey,
    Unknown,
    Value,
    unknown,
)

_ESCAPES = {"\\": "\\\\", "{": "\\{", "}": "\\}", "'": "\\'", "\n": "\\n", "\t": "\\t"}
_BINARY = frozenset(["+", "-", "*", "/", "\\", "%", "**", "<?", ">?", "<", "<=", ">", ">=", "==", "!=", "is", "in"])


def format_value(value: Value, *, quoted: bool = False) -> str:
    """Return a value in the notation of the language, packs whole; strings without quotes unless asked for."""
    match value:
        case Integer():
            number = value.value
            return str(value) if number is None else str(number)
        case Truth():
            return "true" if value is TRUE else "false" if value is FALSE else str(value)
        case str():
            return _quoted(value) if quoted else value
        case float():
            return format_real(value)
        case Pack():
            return _format_pack(value, quoted)
        case Unknown():
            return value.text
        case Maybe():
            return f"{value.present} ? {format_value(value.value, quoted=quoted)}"
    return "null" if value is NULL else "?" if value is UNDEFINED else str(value)


def format_real(value: float) -> str:
    """Return the shortest text that reads as the same number, with a decimal point; ``inf``, ``-inf``, ``nan``."""
    if not math.isfinite(value):
        return str(value)
    mantissa, exponent, power = repr(value).partition("e")
    return (mantissa if "." in mantissa else f"{mantissa}.0") + exponent + power


def _quoted(text: str) -> str:
    return "'" + "".join(_ESCAPES.get(character, character) for character in text) + "'"


def _format_pack(pack: Pack, quoted: bool) -> str:
    if not quoted:
        return _written_pack(pack, quoted)
    if pack.text is None:
        pack.text = _written_pack(pack, quoted)
    return pack.text


def _written_pack(pack: Pack, quoted: bool) -> str:
    parts = []
    for segment in pack.segments:
        if not isinstance(segment, ItemRun):
            parts.append(format_value(segment, quoted=quoted))
            continue
        element = format_value(segment.element, quoted=quoted)
        parts.append(_range(segment) or f"{enclosed(element)} ..({segment.length})")
    return f"[{', '.join(parts)}]"


def _range(run: ItemRun) -> str | None:
    """Return ``first:last`` or ``first:last:step``; None if the items are no range."""
    element = run.element
    if not isinstance(element, Integer):
        return None
    step = element.terms.get(next(iter(POSITION.terms)), 0)
    first = element - POSITION.scaled(step)
    if not step or positional(first):
        return None
    bounds = f"{first}:{first + run.length.scaled(step)}"
    return bounds if step == 1 else f"{bounds}:{step}"


@notation.register(Pack)
def shortened(value: Value) -> str:
    """Return a value as part of the text of an unknown one."""
    text = format_value(value, quoted=True)
    return text if len(text) <= LONGEST_TEXT else "(…)"


def enclosed(text: str) -> str:
    """Return a text as an operand: in parentheses, unless it is a name, a number, a call or in brackets already."""
    depth = 0
    for character in text:
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == " " and not depth:
            return f"({text})"
    return text


def operation_text(operation: str, operands: tuple[Value, ...]) -> str:
    """Return how an operation on unknown operands is written, as an operand of something else."""
    texts = [shortened(operand) for operand in operands]
    operand_texts = [enclosed(text) for text in texts]
    match operation:
        case "? :":
            text = f"({operand_texts[0]} ? {operand_texts[1]} : {operand_texts[2]})"
        case "negate":
            text = f"(-{operand_texts[0]})"
        case "[]" | "[..]":
            text = f"{operand_texts[0]}[{texts[1]}]"
        case "[:]":
            text = f"{operand_texts[0]}[{':'.join(_bound(bound) for bound in operands[1:])}]"
        case "<-":
            text = f"({operand_texts[0]}[{texts[1]}] <- {operand_texts[2]})"
        case "cast":
            text = f"{operands[0]}({', '.join(texts[1:])})"
        case "format":
            return _cut("".join(format_value(operand) for operand in operands))
        case _ if operation.endswith("."):
            text = f"({operand_texts[0]} {operation})"
        case _ if operation in _BINARY:
            text = f"({operand_texts[0]} {operation} {operand_texts[1]})"
        case _:
            text = f"{operation}({', '.join(texts)})"
    return text if len(text) <= LONGEST_TEXT else "(…)"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + "…"


def _bound(bound: Value) -> str:
    return str(bound) if isinstance(bound, Integer) else ""


# ---- results of operations on unknown operands -----------------------------------------------------------------------
def result_of(
    dtype: str, operation: str, operands: tuple[Value, ...], low: int | None = None, high: int | None = None
) -> Value:
    """Return the result of an operation on unknown operands: the same for the same operands."""
    result = OperationKey(dtype, operation, operands)
    if result.depth > DEEPEST:
        return unknown(dtype, Fresh(), "…", low, high)
    return unknown(dtype, result, operation_text(operation, operands), low, high)
