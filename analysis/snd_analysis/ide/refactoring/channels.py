"""Moves the channels of tensors in selected statements to the second or to the last dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.refactoring.change import (
    Refactored,
    RefactoringError,
    comments_in,
    edited,
    edited_files,
    fresh,
    new_problem,
    words,
)
from snd_analysis.ide.refactoring.extract import extract_operator
from snd_analysis.ide.refactoring.selection import Selected, selected_statements, symbols_of
from snd_analysis.model import Operation, Tensor
from snd_analysis.skriptnd.names import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack, Value
from snd_analysis.workspace import Snapshot

_FORMAT, _CHANNEL_AXIS = "data_format", "channel_axis"
_LEAST_RANK = 3
"""The rank of tensors with a batch, channels, and at least one other dimension."""


class ChannelOrder(StrEnum):
    """The dimension of the channels: ``[b, c, x..]`` or ``[b, x.., c]``."""

    FIRST = "channel-first"
    LAST = "channel-last"

    @property
    def other(self) -> ChannelOrder:
        """The order of a block that is switched from this one."""
        return ChannelOrder.LAST if self is ChannelOrder.FIRST else ChannelOrder.FIRST

    @property
    def data_format(self) -> str:
        """The value of the attribute ``data_format``."""
        return "NCX" if self is ChannelOrder.FIRST else "NXC"

    def moved(self, axis: int, rank: int) -> int:
        """Return the position in this order of a dimension of the other order."""
        at = axis + rank if axis < 0 else axis
        if self is ChannelOrder.LAST:
            return at if at == 0 else rank - 1 if at == 1 else at - 1
        return at if at == 0 else 1 if at == rank - 1 else at + 1

    def perm(self, rank: int) -> list[int]:
        """Return the permutation that brings a tensor of the other order into this one."""
        return [self.other.moved(axis, rank) for axis in range(rank)]


class _Call(Struct, frozen=True):
    """An invocation of an operator, with the composed operation; its spans count from ``base``."""

    node: nodes.Call
    base: int
    operation: Operation
    attributes: frozenset[str]

    @property
    def rank(self) -> int | None:
        """The rank of the first input, whose channels are meant; None if it is unknown."""
        first: Value | None = next(iter(self.operation.inputs), None)
        if isinstance(first, Pack):
            first = next(iter(first.items or ()), None)
        return len(first.shape) if isinstance(first, Tensor) and first.shape is not None else None


def channel_order(snapshot: Snapshot, path: str, selected: Selected) -> ChannelOrder | None:
    """Return the order of selected statements; None if no attribute of them decides it."""
    resolution, source = snapshot.resolution(path, selected.definition), snapshot.source(path).text
    for base, call in _calls(selected):
        name = resolution.targets.get(call.function)
        known = _attributes(snapshot, name) if isinstance(name, OperatorName) else frozenset()
        items = call.attributes.items if call.attributes is not None else ()
        spans = {each.name.text: each.value.span.shifted(selected.start + base) for each in items}
        given = {name: source[span.start : span.end].strip("'\"") for name, span in spans.items()}
        if _FORMAT in known:
            return ChannelOrder.LAST if given.get(_FORMAT) == ChannelOrder.LAST.data_format else ChannelOrder.FIRST
        if _CHANNEL_AXIS in known:
            return ChannelOrder.LAST if given.get(_CHANNEL_AXIS, "1") != "1" else ChannelOrder.FIRST
    return None


def switch_channels(snapshot: Snapshot, path: str, span: Span) -> Sequence[Refactored]:
    """Return the edits that give selected statements the other order, transposing tensors at the borders.

    Raise RefactoringError.
    """
    selected = selected_statements(snapshot, path, span)
    order = None if selected is None else channel_order(snapshot, path, selected)
    if selected is None or order is None:
        raise RefactoringError("select statements with a convolution, or another operator that has channels")
    knowledge, wanted = Knowledge(snapshot, path, selected.start, selected.definition), order.other
    edits = [edit for call in _composed(knowledge, selected) for edit in _attribute_edits(knowledge, call, wanted)]
    edits += _border_edits(knowledge, selected, wanted)
    if "layout" not in snapshot.module_scope(path).imports:
        edits.insert(0, snapshot.import_edit(path, "layout"))
    if any(comments_in(snapshot, path, each.location.span) for each in edits):
        raise RefactoringError("a comment within an attribute would be lost")
    changed = snapshot.changed({path: edited(snapshot.source(path).text, edits)})
    problem = new_problem(snapshot, changed, path)
    if problem is not None:
        raise RefactoringError(f"the statements would not be right: {problem}")
    return (Refactored(knowledge.name, tuple(edits), f"switched to {wanted}"),)


def switch_alone(snapshot: Snapshot, path: str, span: Span) -> tuple[Snapshot, Refactored]:
    """Return the files with the selected statements as an operator of their own, and the edits that switch these.

    The operator takes less time than the definition around the statements. Raise RefactoringError.
    """
    (extracted,) = extract_operator(snapshot, path, span)
    alone = snapshot.changed(edited_files(snapshot, extracted.edits))
    (name,) = alone.definitions(path).keys() - snapshot.definitions(path).keys()
    found = alone.definitions(path)[name]
    blocks = [each for each in found.definition.blocks if isinstance(each, nodes.Block)]
    (body,) = [each for each in blocks if each.kind is BlockKind.COMPOSE]
    statements = Span(body.entries[0].start, body.entries[-1].end).shifted(found.start)
    (switched,) = switch_channels(alone, path, statements)
    return alone, switched


# ---- invocations -----------------------------------------------------------------------------------------------------
def _calls(selected: Selected) -> Iterator[tuple[int, nodes.Call]]:
    """Yield the invocations of the statements, with the offsets from which their spans count."""
    for entry in selected.entries:
        for node in nodes.descendants(entry.statement):
            if isinstance(node, nodes.Call):
                yield entry.start, node


def _composed(knowledge: Knowledge, selected: Selected) -> Iterator[_Call]:
    for entry in selected.entries:
        statement = entry.statement
        if not isinstance(statement, nodes.Component) or isinstance(statement.value, nodes.Branch | nodes.Loop):
            raise RefactoringError("branches and loops can't be switched")
    for base, node in _calls(selected):
        operations = knowledge.operations_of(node, base)
        if len(operations) != 1:
            raise RefactoringError(f"it is not known what '{node.function.text}' becomes")
        name = knowledge.resolution.targets.get(node.function)
        if isinstance(name, OperatorName):
            yield _Call(node, base, operations[0], _attributes(knowledge.snapshot, name))


def _attributes(snapshot: Snapshot, name: OperatorName) -> frozenset[str]:
    definition = snapshot.definition(name)
    if definition is None:
        return frozenset()
    return frozenset(node.name.text for _, node in nodes.entries_of(definition, BlockKind.ATTRIB, nodes.Parameter))


def _attribute_edits(knowledge: Knowledge, call: _Call, wanted: ChannelOrder) -> Iterator[TextEdit]:
    """Yield the edits that give the attributes of an invocation the same meaning in the other order."""
    rank = call.rank
    if rank is None or rank < _LEAST_RANK:
        return
    texts: dict[str, str] = {}
    for name in call.attributes & {_FORMAT, _CHANNEL_AXIS, "axes", "axis"}:
        value = call.operation.attributes.get(name)
        text = f"'{wanted.data_format}'" if name == _FORMAT else _moved_text(value, rank, wanted)
        if name == _FORMAT and value != wanted.other.data_format:
            raise RefactoringError(f"the tensors of '{call.node.function.text}' have the order '{value}'")
        if text is not None:
            texts[name] = text
    given = {each.name.text: each for each in (call.node.attributes.items if call.node.attributes is not None else ())}
    start = knowledge.start + call.base
    for name in texts.keys() & given.keys():
        yield TextEdit(Location(knowledge.path, given[name].value.span.shifted(start)), texts[name])
    added = ", ".join(f"{name}={text}" for name, text in sorted(texts.items()) if name not in given)
    if not added:
        return
    if given:
        at = next(iter(given.values())).span.shifted(start).start
        yield TextEdit(Location(knowledge.path, Span(at, at)), f"{added}, ")
    else:
        at = (call.node.generics or call.node.function).span.shifted(start).end
        end = call.node.attributes.span.shifted(start).end if call.node.attributes is not None else at
        yield TextEdit(Location(knowledge.path, Span(at, end)), f"{{{added}}}")


def _moved_text(value: Value | None, rank: int, wanted: ChannelOrder) -> str | None:
    """Return the text of a dimension, or dimensions, of the other order in the wanted one; None if they stay."""
    match value:
        case Integer(value=int(axis)):
            moved = wanted.moved(axis, rank)
            return None if moved == (axis + rank if axis < 0 else axis) else str(moved)
        case Pack(items=items) if items is not None:
            axes = [item.value for item in items if isinstance(item, Integer) and item.value is not None]
            if len(axes) == len(items):
                new = [wanted.moved(axis, rank) for axis in axes]
                return None if new == axes else f"[{', '.join(map(str, new))}]"
    return None


# ---- borders ---------------------------------------------------------------------------------------------------------
def _border_edits(knowledge: Knowledge, selected: Selected, wanted: ChannelOrder) -> list[TextEdit]:
    """Return the edits that transpose the tensors at the borders of the selection, and rename the transposed ones."""
    source, symbols = knowledge.snapshot.source(knowledge.path).text, symbols_of(knowledge, selected)
    around = selected.definition.span.shifted(selected.start)
    taken = {*words(source[around.start : around.end]), *keywords()}
    places = dict(_places(knowledge, selected))
    names: dict[Symbol, str] = {}
    before: list[str] = []
    after: list[str] = []
    for symbol in (*symbols.read, *symbols.written):
        rank = _rank(knowledge, symbol)
        is_read = symbol in symbols.read
        if rank is None or rank < _LEAST_RANK or (is_read and symbol not in places.values()):
            continue
        new = names[symbol] = fresh(f"{symbol.name}_{wanted.name.lower()}", taken)
        perm = (wanted if is_read else wanted.other).perm(rank)
        to, of = (new, symbol.name) if is_read else (symbol.name, new)
        (before if is_read else after).append(f"{to} = layout.transpose{{perm=[{', '.join(map(str, perm))}]}}({of});")
    edits = [
        TextEdit(Location(knowledge.path, place), names[symbol]) for place, symbol in places.items() if symbol in names
    ]
    line_break = "\r\n" if "\r\n" in source else "\n"
    line = source[source.rfind("\n", 0, selected.span.start) + 1 : selected.span.start]
    gap = f"{line_break}{line}" if not line.strip() else " "
    # The comment behind the last statement belongs to that statement.
    rest = source[selected.span.end :].partition("\n")[0].rstrip()
    end = selected.span.end + (len(rest) if rest.lstrip().startswith("#") else 0)
    for lines, at in ((before, selected.span.start), (after, end)):
        text = "".join(f"{each}{gap}" if at == selected.span.start else f"{gap}{each}" for each in lines)
        if text:
            edits.append(TextEdit(Location(knowledge.path, Span(at, at)), text))
    return edits


def _places(knowledge: Knowledge, selected: Selected) -> Iterator[tuple[Span, Symbol]]:
    """Yield the names of tensors with channels in the statements: results, and arguments that are no weights."""
    targets = knowledge.resolution.targets
    for entry in selected.entries:
        shift = knowledge.start + entry.start
        if isinstance(entry.statement, nodes.Component):
            for name in entry.statement.names:
                if isinstance(symbol := targets.get(name), Symbol):
                    yield name.span.shifted(shift), symbol
    for base, call in _calls(selected):
        target = targets.get(call.function)
        known = _attributes(knowledge.snapshot, target) if isinstance(target, OperatorName) else frozenset()
        arguments = call.arguments[:1] if known & {_FORMAT, _CHANNEL_AXIS} else call.arguments
        for argument in arguments:
            for node in _named(argument):
                if isinstance(symbol := targets.get(node), Symbol):
                    yield node.span.shifted(knowledge.start + base), symbol


def _named(node: nodes.Node) -> Iterator[nodes.Qualified]:
    """Yield the names in an argument, without the ones in nested invocations, which have arguments of their own."""
    match node:
        case nodes.Qualified(parts=[_]):
            yield node
        case nodes.List(items=items):
            for item in items:
                yield from (each for each in nodes.descendants(item) if isinstance(each, nodes.Qualified))


def _rank(knowledge: Knowledge, symbol: Symbol) -> int | None:
    value = knowledge.value_of(symbol)
    return len(value.shape) if isinstance(value, Tensor) and value.shape is not None else None
