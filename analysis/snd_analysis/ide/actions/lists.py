"""Lists of equal values, written out or as one value."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.ide.actions.action import Action, ActionKind, Request
from snd_analysis.ide.completion.expected import signature_named
from snd_analysis.ide.cursor import PlacedNode, nodes_at
from snd_analysis.ide.knowledge import knowledge_at
from snd_analysis.ide.limits import LONGEST_LIST
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types import AttributeParameter, Signature
from snd_analysis.symbolic.values import ItemRun, Pack


def lists(request: Request) -> Iterator[Action]:
    """Turn the list around a place into one value that is repeated, and back."""
    around = nodes_at(request.tree, request.span.start)
    for at in reversed(range(len(around))):
        node = around[at].node
        if isinstance(node, nodes.List):
            yield from _shorter(request, around, at)
            yield from _written_out(request, around[at])
            return
        if isinstance(node, nodes.Attribute):
            yield from _as_list(request, around, at)
            return


def _shorter(request: Request, around: list[PlacedNode], at: int) -> Iterator[Action]:
    placed = around[at]
    node = placed.node
    assert isinstance(node, nodes.List)
    items = [request.text[item.start + placed.base : item.end + placed.base] for item in node.items]
    if len(items) < 2 or len(set(items)) > 1 or not all(_is_plain(item) for item in node.items):
        return
    span = node.span.shifted(placed.base)
    gap = " " if items[0][-1].isdigit() else ""  # as the formatter has it: '1..' looks like a number
    text = f"[{items[0]}{gap}..({len(items)})]"
    yield Action(f"write {text}", ActionKind.REWRITE, (request.edit(span.start, span.end, text),))
    parameter = _parameter(request, around, at)
    if parameter is not None and _tells_length(*parameter):
        yield Action(f"write {items[0]}", ActionKind.REWRITE, (request.edit(span.start, span.end, items[0]),))


def _written_out(request: Request, placed: PlacedNode) -> Iterator[Action]:
    node = placed.node
    assert isinstance(node, nodes.List)
    if len(node.items) != 1:
        return
    item = node.items[0]
    if not isinstance(item, nodes.Expanded) or not isinstance(item.item, nodes.Literal | nodes.String | nodes.Unary):
        return
    length = item.expansion.length
    if not _is_plain(item.item) or not isinstance(length, nodes.Literal) or length.type != "int":
        return
    if not 0 < length.value <= LONGEST_LIST:
        return
    value = request.text[item.item.start + placed.base : item.item.end + placed.base]
    text = f"[{', '.join([value] * int(length.value))}]"
    span = node.span.shifted(placed.base)
    yield Action(f"write {text}", ActionKind.REWRITE, (request.edit(span.start, span.end, text),))


def _as_list(request: Request, around: list[PlacedNode], at: int) -> Iterator[Action]:
    """Yield the list equal to a single value of an attribute, if its length is known."""
    placed = around[at]
    attribute = placed.node
    assert isinstance(attribute, nodes.Attribute)
    parameter = _parameter(request, around, at + 1)
    knowledge = knowledge_at(request.snapshot, request.path, request.span.start)
    call = next((each.node for each in reversed(around[:at]) if isinstance(each.node, nodes.Call)), None)
    if parameter is None or parameter[1].type is None or not parameter[1].type.packed or call is None:
        return
    if not _is_plain(attribute.value) or knowledge is None:
        return
    operations = knowledge.operations_of(call, placed.base - knowledge.start)
    lengths = {_length(operation.attributes.get(attribute.name.text)) for operation in operations}
    length = lengths.pop() if len(lengths) == 1 else None
    if not length or length > LONGEST_LIST:
        return
    span = attribute.value.span.shifted(placed.base)
    text = f"[{', '.join([request.text[span.start : span.end]] * length)}]"
    yield Action(f"write {text}", ActionKind.REWRITE, (request.edit(span.start, span.end, text),))


def _length(value: object) -> int | None:
    if not isinstance(value, Pack) or any(isinstance(segment, ItemRun) for segment in value.segments):
        return None
    return len(value.segments)


def _parameter(request: Request, around: list[PlacedNode], at: int) -> tuple[Signature, AttributeParameter] | None:
    """Return the attribute whose whole value is the node at a position."""
    attribute = around[at - 1].node if at else None
    call = next((each.node for each in reversed(around[:at]) if isinstance(each.node, nodes.Call)), None)
    if not isinstance(attribute, nodes.Attribute) or call is None:
        return None
    found = signature_named(request.snapshot, request.path, call.function)
    parameter = None if found is None else found[1].attributes.get(attribute.name.text)
    return None if found is None or parameter is None else (found[1], parameter)


def _tells_length(signature: Signature, parameter: AttributeParameter) -> bool:
    """Return whether the inputs determine how long the pack is, so that a list need not say it."""
    pack = parameter.node.pack
    if pack is None or pack.length is None:
        return False
    needed = _names(pack.length)
    bound = {
        name
        for _, entry in entries_of(signature.definition, BlockKind.INPUT, nodes.Parameter)
        if not entry.optional and entry.shape is not None
        for name in _names(entry.shape)
    }
    return needed <= bound


def _names(node: nodes.Node) -> set[str]:
    return {each.text for each in nodes.descendants(node) if isinstance(each, nodes.Qualified)}


def _is_plain(node: nodes.Node) -> bool:
    """Return whether a value is a number, a string or the like."""
    if isinstance(node, nodes.Unary):
        return isinstance(node.operand, nodes.Literal)
    if isinstance(node, nodes.String):
        return all(isinstance(part, nodes.Text) for part in node.parts)
    return isinstance(node, nodes.Literal)
