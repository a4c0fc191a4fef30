"""The part of an invocation that is to blame for a failure of its operator (2.6.2)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from snd_analysis.compose.body.state import BodyState
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.template import Template
from snd_analysis.skriptnd.syntax import nodes, written


def invoked_at(state: BodyState, call: nodes.Call) -> Site:
    """Return the place of an invocation, as part of a chain."""
    return Site(state.place(call.function), f"'{call.function.text}' is invoked here")


def blame(state: BodyState, failure: Failure, invocation: nodes.Call | nodes.Quantization, template: Template) -> None:
    """Note a failure of an operator, as seen from its invocation: at the single part that is to blame."""
    if isinstance(invocation, nodes.Call):
        function, does = invocation.function, "is invoked"
    else:
        function, does = invocation.algorithm, "quantizes a tensor"
    node = _responsible(failure, invocation, template) or function
    if not failure.sites:
        failure = _with_value(state, failure.naming(template.shown, function.text), node)
    state.failures.append(failure.via(Site(state.place(node), f"'{function.text}' {does} here")))


def _with_value(state: BodyState, failure: Failure, node: nodes.Node) -> Failure:
    """Return the failure with the written value of an attribute in its fix."""
    if "…" not in failure.instead:
        return failure
    if not isinstance(node, nodes.Attribute):
        return replace(failure, instead="")
    span = state.place(node.value).span
    return replace(failure, instead=failure.instead.replace("…", written(node.value)), replaced=span)


def _responsible(
    failure: Failure, invocation: nodes.Call | nodes.Quantization, template: Template
) -> nodes.Node | None:
    """Return the one attribute or argument of an invocation that breaks a rule; None if there is not just one."""
    items = {item.name.text: item for item in invocation.attributes.items} if invocation.attributes is not None else {}
    written = invocation.arguments if isinstance(invocation, nodes.Call) else ()
    arguments = {
        member.name: argument
        for member, argument in zip(template.inputs, written, strict=False)
        if not isinstance(argument, nodes.Tilde)
    }
    given: Mapping[str, nodes.Node] = {**arguments, **items}
    found = [node for name in failure.responsible if (node := _part_of(given, name)) is not None]
    attributes = [items[name] for name in failure.responsible if name in items]
    if len(attributes) == 1:
        return attributes[0]
    return found[0] if len(found) == 1 else None


def _part_of(given: Mapping[str, nodes.Node], name: str) -> nodes.Node | None:
    """Return the argument for ``x``, or for ``x[1]``: the item of a literal list."""
    whole, _, at = name.rstrip("]").partition("[")
    node = given.get(whole)
    plain = isinstance(node, nodes.List) and not any(
        isinstance(item, nodes.Range | nodes.Expanded | nodes.Zip) for item in node.items
    )
    return node.items[int(at)] if at and plain and isinstance(node, nodes.List) else node
