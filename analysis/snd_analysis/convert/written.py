"""The attributes and generic types of an invocation that must be written, with their spelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from snd_analysis.compose import Member
from snd_analysis.convert.steps import InvocationStep, number_list, numbers, rank
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer
from snd_analysis.symbolic.values import NULL, Pack, Value, format_value

_OF_WINDOWS = frozenset(["size", "stride", "dilation", "padding"])
"""Lists that are written as one number where all items are equal."""


def written_attributes(step: InvocationStep, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an invocation that differ from their defaults, as text.

    ``names`` are names of values, by their spelling.
    """
    for member in step.template.attributes:
        value = step.attributes.get(member.name, NULL)
        named = None if value is NULL else names.get(format_value(value, quoted=True))
        if named is not None:
            yield member.name, named
        elif value is NULL or _is_default(step, member, value):
            continue
        else:
            uniform = _uniform(value) if member.name in _OF_WINDOWS and step.module == "nn" else None
            yield member.name, format_value(value if uniform is None else uniform, quoted=True)


def written_dtypes(step: InvocationStep) -> list[str]:
    """Return the generic types that neither the arguments nor the attributes imply."""
    members = (*step.template.inputs, *step.template.attributes)
    implied = {each.node.type.text for each in members if each.name in step.attributes or each in step.template.inputs}
    return [step.dtypes[each.name.text] for each in step.template.generics if each.name.text not in implied]


def _uniform(value: Value) -> Value | None:
    found = numbers(value)
    return None if not found or len(set(found)) > 1 else number_list(found[:1]).items[0]  # type: ignore[index]


def _is_default(step: InvocationStep, member: Member, value: Value) -> bool:
    default = member.node.default
    if default is None:
        return False
    match default.value:
        case nodes.Literal() | nodes.String():
            if isinstance(value, Pack):
                return bool(value.items) and all(_is_literal(default.value, each) for each in value.items or ())
            return _is_literal(default.value, value)
        case nodes.List(items=(nodes.Range(first=nodes.Literal(value=int(first)), last=nodes.Qualified(), step=None),)):
            count = rank(step.inputs[0]) if step.inputs else None
            return count is not None and numbers(value) == tuple(range(first, count))
        case nodes.List(items=items):
            found = value.items if isinstance(value, Pack) else None
            return (
                found is not None
                and len(found) == len(items)
                and all(_is_literal(node, each) for node, each in zip(items, found, strict=True))
            )
    return False


def _is_literal(node: nodes.Expression | nodes.Node, value: Value) -> bool:
    match node, value:
        case nodes.Literal(type="int", value=written), Integer(value=found):
            return written == found
        case nodes.Literal(type="real", value=written), float():
            return written == value
        case nodes.Literal(type="bool", value=written), _:
            return value is (TRUE if written else FALSE)
        case nodes.String(parts=(nodes.Text(value=written),)), str():
            return written == value
        case nodes.String(parts=()), str():
            return not value
    return False
