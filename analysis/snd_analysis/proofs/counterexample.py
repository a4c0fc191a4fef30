"""Sizes that break a condition as a sample that an author can keep."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from snd_analysis.compose import Member, Template, canonical
from snd_analysis.proofs.case_analysis.cases import ParameterCase
from snd_analysis.proofs.verdicts import Candidate
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, DivisionByZero, Integer
from snd_analysis.symbolic.values import NULL, Pack, Unknown, Value

_LARGEST = 64
"""A sample with a larger extent would not be one that a person keeps."""


def with_numbers(case: ParameterCase, values: Mapping[Hashable, int]) -> ParameterCase:
    """Return a case with these values of unknowns."""
    attributes = {name: _with_numbers(value, values) for name, value in case.attributes.items()}
    inputs = {
        name: None if rows is None else tuple(tuple(_number(each, values) for each in row) for row in rows)
        for name, rows in case.inputs.items()
    }
    return ParameterCase(attributes, inputs, case.dtypes)


def with_reals(case: ParameterCase, numbers: Mapping[str, float]) -> ParameterCase:
    """Return a case in which real attributes without a value have the given values, or else 1.0."""
    attributes = {name: _with_real(value, numbers.get(name, 1.0)) for name, value in case.attributes.items()}
    return ParameterCase(attributes, case.inputs, case.dtypes)


def candidates_of(template: Template, case: ParameterCase) -> list[Candidate]:
    """Return invocations of an operator in a case without unknowns, where bools are false and where they are true."""
    found = (candidate_of(template, case, bools) for bools in ("zeros", "ones"))
    return list(dict.fromkeys(each for each in found if each is not None))


def candidate_of(template: Template, case: ParameterCase, bools: str = "zeros") -> Candidate | None:
    """Return the invocation of an operator in a case without unknowns; None if it would be too large."""
    attributes: list[str] = []
    shown: list[str] = []
    for member in template.attributes:
        value = case.attributes[member.name]
        text = _null_text(member) if value is NULL else _value_text(value)
        if text is None:
            return None
        if text:
            attributes.append(f"{member.name}={text}")
        shown.append(f"{member.name}={'null' if value is NULL else text}")
    arguments: list[str] = []
    for member in template.inputs:
        rows = case.inputs[member.name]
        if rows is None:
            arguments.append("null")
            continue
        generator = {"real": "random", "bool": bools}.get(_dtype(case, member), "zeros")
        texts = []
        for row in rows:
            numbers = [_number(each, {}) for each in row]
            if any(each > _LARGEST or each < 0 for each in numbers):
                return None
            texts.append(f"[{','.join(map(str, numbers))}]")
            shown.append(f"'{member.name}' of shape {texts[-1]}")
        texts = [f"{generator}{each}" for each in texts]
        arguments.append(f"[{', '.join(texts)}]" if member.node.pack is not None else texts[0])
    while arguments and arguments[-1] == "null":
        arguments.pop()
    given = f"{{{', '.join(attributes)}}}" if attributes else ""
    types = _types_text(template, case)
    return Candidate(f"{template.name.name}{types}{given}({', '.join(arguments)})", ", ".join(shown))


def _types_text(template: Template, case: ParameterCase) -> str:
    """Return the generic types in angle brackets; empty if all are real and determined by arguments."""
    told = {each.node.type.text for each in template.inputs if case.inputs[each.name]}
    names = [each.name.text for each in template.generics]
    if all(name in told and case.dtypes[name] == "real" for name in names):
        return ""
    return f"<{', '.join(case.dtypes[name] for name in names)}>"


def _dtype(case: ParameterCase, member: Member) -> str:
    type_ = member.node.type.text
    return case.dtypes.get(type_, type_)


def _number(of: Integer | int, values: Mapping[Hashable, int]) -> int:
    if isinstance(of, int):
        return of
    known = {leaf.key: values.get(canonical(leaf.key), max(leaf.low or 0, 0)) for leaf in of.leaves}
    try:
        return shapes.evaluate(of, known)
    except DivisionByZero:
        return 0  # The extent is impossible for any tensor; the division is the failure.


def _with_numbers(value: Value, values: Mapping[Hashable, int]) -> Value:
    match value:
        case Integer():
            return shapes.constant(_number(value, values))
        case Pack():
            return Pack([_with_numbers(each, values) for each in value.items or ()], dtype=value.dtype)
    return value


def _with_real(value: Value, number: float) -> Value:
    match value:
        case Unknown(dtype="real"):
            return number
        case Pack():
            return Pack([_with_real(each, number) for each in value.items or ()], dtype=value.dtype)
    return value


def _null_text(member: Member) -> str:
    """Return the beginning of a text that makes an attribute null, ``false ? 0``; empty without a default."""
    if member.node.default is None:
        return ""
    single = {"int": "0", "real": "0.0", "bool": "false", "str": "''"}.get(member.node.type.text, "0")
    return f"false ? {single if member.node.pack is None else '[]'}"


def _value_text(value: Value) -> str | None:
    match value:
        case _ if value is TRUE or value is FALSE:
            return "true" if value is TRUE else "false"
        case Integer():
            return str(value.value) if value.value is not None and abs(value.value) <= 10 * _LARGEST else None
        case str():
            return f"'{value}'"
        case Unknown(dtype="real"):
            return "1.0"
        case float():
            return repr(value)
        case Pack():
            items = [_value_text(each) for each in value.items or ()]
            return None if None in items else f"[{', '.join(each for each in items if each is not None)}]"
    return None
