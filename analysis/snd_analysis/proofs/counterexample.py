"""Sizes that break a condition as a sample that an author can keep."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from snd_analysis.compose import Template
from snd_analysis.proofs.cases import Case
from snd_analysis.proofs.solver import canonical
from snd_analysis.proofs.verdicts import Candidate
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer
from snd_analysis.symbolic.values import NULL, Pack, Unknown, Value

_LARGEST = 64
"""A sample with a larger extent would not be one that a person keeps."""


def candidate_of(template: Template, case: Case, values: Mapping[Hashable, int]) -> Candidate | None:
    """Return the invocation of an operator with these values of unknowns; None if it would be too large."""
    attributes: list[str] = []
    for name, value in case.attributes.items():
        text = _value_text(value, values)
        if text is None:
            return None
        attributes.append(f"{name}={text}")
    arguments: list[str] = []
    sizes: list[str] = []
    for member in template.inputs:
        rows = case.inputs[member.name]
        if rows is None:
            arguments.append("null")
            continue
        texts = []
        for row in rows:
            numbers = [_number(each, values) for each in row]
            if any(each > _LARGEST or each < 0 for each in numbers):
                return None
            extents = ",".join(map(str, numbers))
            texts.append(
                f"random[{extents}]" if _is_real(template, case, member.node.type.text) else f"zeros[{extents}]"
            )
            sizes.append(f"'{member.name}' is [{extents}]")
        arguments.append(f"[{', '.join(texts)}]" if member.node.pack is not None else texts[0])
    while arguments and arguments[-1] == "null":
        arguments.pop()
    given = f"{{{', '.join(attributes)}}}" if attributes else ""
    shown = [*(each.replace("=", " is ", 1) for each in attributes), *sizes]
    return Candidate(f"{template.name.name}{given}({', '.join(arguments)})", ", ".join(shown))


def _is_real(template: Template, case: Case, type_: str) -> bool:
    return case.dtypes.get(type_, type_) == "real"


def _number(of: Integer | int, values: Mapping[Hashable, int]) -> int:
    if isinstance(of, int):
        return of
    known = {leaf.key: values.get(canonical(leaf.key), max(leaf.low or 0, 0)) for leaf in of.leaves}
    return shapes.evaluate(of, known)


def _value_text(value: Value, values: Mapping[Hashable, int]) -> str | None:
    match value:
        case _ if value is NULL:
            return "null"
        case _ if value is TRUE or value is FALSE:
            return "true" if value is TRUE else "false"
        case Integer():
            number = _number(value, values)
            return str(number) if abs(number) <= 10 * _LARGEST else None
        case str():
            return f"'{value}'"
        case Unknown(dtype="real"):
            return "1.0"
        case Pack():
            items = [_value_text(each, values) for each in value.items or ()]
            return None if None in items else f"[{', '.join(each for each in items if each is not None)}]"
    return None
