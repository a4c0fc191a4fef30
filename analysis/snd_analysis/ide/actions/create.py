"""A new operator, made to fit an invocation of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from snd_analysis import rules
from snd_analysis.ide.actions.action import Action, ActionKind, Request
from snd_analysis.ide.cursor import PlacedNode, definition_at, nodes_at
from snd_analysis.ide.refactoring import fresh
from snd_analysis.skriptnd.syntax import keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types import Context, Type

_INDENT = "    "
# Extents that mean the same anywhere.
_WRITTEN = re.compile(r"\d+(?:, ?\d+)*", re.ASCII)


def create_operator(request: Request) -> Iterator[Action]:
    """Declare the operator that an invocation names and that does not exist. It has no body yet."""
    for found in request.here:
        if found.rule != rules.UNKNOWN_OPERATOR:
            continue
        around = nodes_at(request.tree, found.location.span.start)
        call = next((each for each in reversed(around) if isinstance(each.node, nodes.Call)), None)
        component = next((each.node for each in reversed(around) if isinstance(each.node, nodes.Component)), None)
        placed = definition_at(request.tree, found.location.span.start)
        if call is None or component is None or placed is None or not isinstance(call.node, nodes.Call):
            continue
        start, definition = placed
        if call.node not in _giving(component) or len(call.node.function.parts) != 1 or call.node.generics is not None:
            continue
        context = request.snapshot.typing(request.path, definition)
        text = _operator(call, component, context)
        if text is not None:
            at = start + definition.end
            name = call.node.function.text
            edit = request.edit(at, at, f"\n\n{text}")
            yield Action(f"create the operator '{name}'", ActionKind.QUICK_FIX, (edit,), (found,))


def _operator(placed: PlacedNode, component: nodes.Component, context: Context) -> str | None:
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
        if type_ is None or type_.type is None or type_.type.dtype.is_generic:
            return None
        name = fresh(_name_of(argument) or "input", taken)
        shape = fresh(f"{name}_shape", taken)
        shapes.append(shape)
        pack = f"..({fresh(f'{name}_count', taken)})" if type_.type.packed else ""
        inputs.append(f"{name}: {'optional ' if type_.type.optional else ''}{type_.type.dtype}[{shape}..]{pack};")
    outputs = [*_outputs(component, call, context, taken, shapes[0] if shapes else "")]
    if len(outputs) != len(component.results):
        return None
    blocks = [
        f"{_INDENT}@{kind} {{ {' '.join(entries)} }}"
        for kind, entries in ((BlockKind.ATTRIB, attributes), (BlockKind.INPUT, inputs), (BlockKind.OUTPUT, outputs))
        if entries
    ]
    return "\n".join([f"operator {call.function.text} {{", *blocks, "}"])


def _outputs(
    component: nodes.Component, call: nodes.Call, context: Context, taken: set[str], shape: str
) -> Iterator[str]:
    dtype = _dtype([type_.type for each in call.arguments if (type_ := context.expressions.get(each))])
    for result in component.results:
        length = _length(result)
        if not isinstance(result, nodes.Result) and length is None:
            return
        target = result.target if isinstance(result, nodes.Result) else None
        if isinstance(result, nodes.Result) and result.pack is not None and length is None:
            return
        pack = "" if length is None else f"..({length})"
        name = fresh(target.text if isinstance(target, nodes.Name) else "output", taken)
        declared = None
        if isinstance(target, nodes.Name):
            symbol = context.symbol(target)
            declared = None if symbol is None else context.typed(symbol).type
        own = declared.dtype if declared is not None and not declared.dtype.is_generic else dtype
        rank = declared.shape.rank.value if declared is not None and declared.shape is not None else None
        if rank is not None and not shape:
            text = declared.shape.text if declared is not None and declared.shape is not None else ""
            extents = text if _WRITTEN.fullmatch(text) else ", ".join("1" for _ in range(rank))
        else:
            extents = f"{shape}.." if shape else "1"
        yield f"{name}: {own}[{extents}]{pack};"


def _giving(component: nodes.Component) -> list[nodes.Node]:
    """Return the nodes that produce the results of a statement: its right side, or all branches of a choice."""
    value = component.value
    if not isinstance(value, nodes.Branch):
        parts: list[nodes.Node] = [value]
    else:
        parts = [*(case.consequent for case in value.cases), value.alternative]
    return [each.value if isinstance(each, nodes.Labelled) else each for each in parts]


def _length(result: nodes.Node) -> int | None:
    """Return how many tensors a result packs, where that is written as a number or each of them is named."""
    if isinstance(result, nodes.ResultList):
        single = all(isinstance(item, nodes.Result) and item.pack is None for item in result.items)
        return len(result.items) if single else None
    pack = result.pack if isinstance(result, nodes.Result) else None
    length = None if pack is None else pack.length
    return length.value if isinstance(length, nodes.Literal) and isinstance(length.value, int) else None


def _dtype(types: Sequence[Type | None]) -> str:
    return next((str(type_.dtype) for type_ in types if type_ is not None and not type_.dtype.is_generic), "real")


def _name_of(node: nodes.Node) -> str:
    return node.text if isinstance(node, nodes.Qualified) and len(node.parts) == 1 else ""
