"""Attributes that an invocation lacks."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.ide.actions.action import Action, ActionKind, Request
from snd_analysis.ide.completion.expected import signature_named
from snd_analysis.ide.cursor import PlacedNode, nodes_at
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types import AttributeParameter

_VALUES = {"int": "1", "real": "1.0", "bool": "false", "str": "''"}


def missing_attributes(request: Request) -> Iterator[Action]:
    """Give an invocation all the attributes that it needs, with values to be replaced."""
    placed = call_at(request, request.span.start)
    if placed is None or not isinstance(placed.node, nodes.Call | nodes.Quantization):
        return
    call = placed.node
    found = signature_named(request.snapshot, request.path, _called(call))
    if found is None:
        return
    given = {item.name.text for item in call.attributes.items} if call.attributes is not None else set()
    missing = [each for name, each in found[1].attributes.items() if each.required and name not in given]
    if not missing or given - found[1].attributes.keys():
        return
    text = ", ".join(f"{each.symbol.name}={_value(each)}" for each in missing)
    names = ", ".join(f"'{each.symbol.name}'" for each in missing)
    if call.attributes is None:
        at, text = (call.generics or _called(call)).end, f"{{{text}}}"
    elif call.attributes.items:
        at, text = call.attributes.items[-1].end, f", {text}"
    else:
        at = call.attributes.start + 1
    place = at + placed.base
    resolved = tuple(each for each in request.here if each.rule == rules.MISSING_ATTRIBUTE)
    title = f"add the attribute{'s' if len(missing) > 1 else ''} {names}"
    yield Action(title, ActionKind.QUICK_FIX, (request.edit(place, place, text),), resolved, bool(resolved))


def call_at(request: Request, offset: int) -> PlacedNode | None:
    """Return the innermost invocation whose name or attributes an offset touches."""
    for placed in reversed(nodes_at(request.tree, offset)):
        node = placed.node
        if isinstance(node, nodes.Call | nodes.Quantization):
            end = (node.attributes or _called(node)).end + placed.base
            return placed if offset <= end else None
    return None


def _called(call: nodes.Call | nodes.Quantization) -> nodes.Qualified:
    return call.function if isinstance(call, nodes.Call) else call.algorithm


def _value(parameter: AttributeParameter) -> str:
    type_ = parameter.type
    if type_ is None:
        return "1"
    value = _VALUES.get(type_.dtype.name, "1.0")
    return f"[{value}]" if type_.packed and not parameter.has_length else value
