"""A new operator, made to fit an invocation of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis.ide.actions.action import Action, ActionKind, Request
from snd_analysis.ide.cursor import PlacedNode, definition_at, nodes_at
from snd_analysis.syntax import nodes
from snd_analysis.syntax.tokens import keywords
from snd_analysis.types.context import Context
from snd_analysis.types.type import Type

_INDENT = "    "


def create_operator(request: Request) -> Iterator[Action]:
    """Declares the operator that an invocation names and that does not exist. It has no body yet."""
    for found in request.here:
        if found.rule != "unknown-operator":
            continue
        around = nodes_at(request.tree, found.location.span.start)
        call = next((each for each in reversed(around) if isinstance(each.node, nodes.Call)), None)
        component = next((each.node for each in around if isinstance(each.node, nodes.Component)), None)
        placed = definition_at(request.tree, found.location.span.start)
        if call is None or component is None or placed is None or not isinstance(call.node, nodes.Call):
            continue
        start, definition = placed
        if component.value is not call.node or len(call.node.function.parts) != 1 or call.node.generics is not None:
            continue
        context = request.snapshot.typing(request.path, definition)
        text = _operator(call, component, definition, context)
        if text is not None:
            at = start + definition.end
            name = call.node.function.text
            edit = request.edit(at, at, f"\n\n{text}")
            yield Action(f"create the operator '{name}'", ActionKind.QUICK_FIX, (edit,), (found,))


def _operator(
    placed: PlacedNode, component: nodes.Component, definition: nodes.Definition, context: Context
) -> str | None:
    call = placed.node
    assert isinstance(call, nodes.Call)
    taken: set[str] = {*keywords()}
    attributes = []
    for item in call.attributes.items if call.attributes is not None else ():
        type_ = context.expressions.get(item.value)
        if type_ is None or type_.type is None or item.name.text in taken:
            return None
        taken.add(item.name.text)
        attributes.append(f"{item.name.text}: {type_.type.dtype}{'..' if type_.type.packed else ''};")
    inputs, shapes = [], []
    for argument in call.arguments:
        type_ = None if isinstance(argument, nodes.Tilde) else context.expressions.get(argument)
        if type_ is None or type_.type is None or type_.type.packed or type_.type.dtype.is_generic:
            return None
        name = _fresh(_name_of(argument) or "input", taken)
        shape = _fresh(f"{name}_shape", taken)
        shapes.append(shape)
        inputs.append(f"{name}: {'optional ' if type_.type.optional else ''}{type_.type.dtype}[{shape}..];")
    outputs = [*_outputs(component, definition, context, taken, shapes[0] if shapes else "")]
    if len(outputs) != len(component.results):
        return None
    blocks = [
        f"{_INDENT}@{kind} {{ {' '.join(entries)} }}"
        for kind, entries in (("attrib", attributes), ("input", inputs), ("output", outputs))
        if entries
    ]
    return "\n".join([f"operator {call.function.text} {{", *blocks, "}"])


def _outputs(
    component: nodes.Component, definition: nodes.Definition, context: Context, taken: set[str], shape: str
) -> Iterator[str]:
    dtype = _dtype([type_.type for each in component_arguments(component) if (type_ := context.expressions.get(each))])
    for result in component.results:
        if not isinstance(result, nodes.Result) or result.pack is not None:
            return
        target = result.target
        name = _fresh(target.text if isinstance(target, nodes.Name) else "output", taken)
        declared = None
        if isinstance(target, nodes.Name):
            symbol = context.symbol(target)
            declared = None if symbol is None else context.typed(symbol).type
        own = declared.dtype if declared is not None and not declared.dtype.is_generic else dtype
        rank = declared.shape.rank.value if declared is not None and declared.shape is not None else None
        if rank is not None and not shape:
            extents = ", ".join("1" for _ in range(rank))
        else:
            extents = f"{shape}.." if shape else "1"
        yield f"{name}: {own}[{extents}];"


def component_arguments(component: nodes.Component) -> Sequence[nodes.Node]:
    """What an invocation passes on."""
    return component.value.arguments if isinstance(component.value, nodes.Call) else ()


def _dtype(types: Sequence[Type | None]) -> str:
    return next((str(type_.dtype) for type_ in types if type_ is not None and not type_.dtype.is_generic), "real")


def _name_of(node: nodes.Node) -> str:
    return node.text if isinstance(node, nodes.Qualified) and len(node.parts) == 1 else ""


def _fresh(name: str, taken: set[str]) -> str:
    """A name that is not taken; from now on it is."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}{number}"
    taken.add(found)
    return found
