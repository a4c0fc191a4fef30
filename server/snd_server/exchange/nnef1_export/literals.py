"""Values as NNEF 1.0 writes them: numbers, strings, arrays, and extents with symbols."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.graph_export.errors import Unsuitable


class Expression(str):
    """Text that is written as it is: a name, or an expression over symbols."""

    __slots__ = ()


def written_value(value: Any, dialect: Dialect) -> str:
    """Return an attribute as text: a list as an array, a tuple as a tuple. Raise Unsuitable for one without a form."""
    match value:
        case Expression():
            return str(value)
        case bool() | np.bool_():
            return "true" if value else "false"
        case int() | np.integer():
            return str(int(value))
        case float() | np.floating():
            return written_real(float(value), dialect, repr(float(value)))
        case str():
            return _written_string(value)
        case Integer():
            return written_extent(value, dialect)
        case tuple():
            return f"({', '.join(written_value(each, dialect) for each in value)})"
        case list():
            return f"[{', '.join(written_value(each, dialect) for each in value)}]"
    raise Unsuitable("NNEF 1.0 has no such attribute")


def _written_string(value: str) -> str:
    if not value.isprintable() or "\\" in value or ("'" in value and '"' in value):
        raise Unsuitable(f"NNEF 1.0 has no literal for the string {value!r}")
    return f'"{value}"' if "'" in value else f"'{value}'"


def written_real(value: float, dialect: Dialect, shortest: str) -> str:
    """Return a real as text, from its shortest digits in Python. Raise Unsuitable for one without a form."""
    if math.isnan(value):
        raise Unsuitable("NNEF 1.0 has no literal for NaN")
    if math.isinf(value):
        if dialect is Dialect.KHRONOS:
            raise Unsuitable("Khronos' dialect has no literal for infinity")
        return "inf" if value > 0 else "-inf"
    mantissa, _, exponent = shortest.partition("e")
    mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


def written_item(item: Any, dialect: Dialect) -> str:
    """Return an element of a constant as text; a real with the digits that determine it in 32 bits."""
    if isinstance(item, np.floating):
        return written_real(float(item), dialect, str(np.float32(item)))
    return written_value(item, dialect)


def written_extent(value: Integer, dialect: Dialect) -> str:
    """Return an extent as an expression over symbols. Raise Unsuitable if the dialect can't compute it."""
    if value.value is not None:
        return str(value.value)
    if dialect is Dialect.KHRONOS:
        raise Unsuitable(f"the extent '{value}' is no number, and Khronos' dialect has no symbols")
    terms: list[str] = []
    for monomial, coefficient in value.terms.items():
        factors = [_written_atom(atom, dialect) for atom, exponent in monomial for _ in range(exponent)]
        if not factors or abs(coefficient) != 1:
            factors.insert(0, str(abs(coefficient)))
        terms.append(f"{'-' if coefficient < 0 else '+'} {' * '.join(factors)}")
    terms.sort(key=lambda term: (term.startswith("-"), not any(map(str.isalpha, term))))
    text = " ".join(terms)
    if text.startswith("- "):
        return f"(0 {text})"  # tract negates literals only
    text = text.removeprefix("+ ")
    return f"({text})" if " " in text else text


def _written_atom(atom: Any, dialect: Dialect) -> str:
    match type(atom).__name__, atom.parts:
        case "Variable", _:
            return str(atom.leaf.name)
        case "Quotient", (dividend, divisor) if dividend == divisor:
            return "1"
        case "Quotient", (dividend, divisor) if divisor.value is not None:
            return f"({written_extent(dividend, dialect)} / {written_extent(divisor, dialect)})"
        case "Extremum", _:
            candidates = [written_extent(each, dialect) for each in sorted(atom.candidates, key=str)]
            found = candidates[0]
            for each in candidates[1:]:
                found = f"{'max' if atom.largest else 'min'}({found}, {each})"
            return found
    raise Unsuitable(f"tract does not compute the extent '{atom}'")
