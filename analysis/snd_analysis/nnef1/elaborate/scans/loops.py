"""A scan of tract whose turns can't be counted, as a loop: the body stands in it once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import ElaborationContext, Frame
from snd_analysis.nnef1.elaborate.values import UNKNOWN, ElaboratedValue, GraphTensor
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.syntax import nodes as flat_nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer

_PIECES, _JOINED = "_scan_pieces", "_scan_joined"


class Scanned(Struct, frozen=True):
    """A tensor that a loop takes apart along an axis into pieces of extent 1, for a parameter of its body."""

    parameter: str
    tensor: GraphTensor
    axis: int


class Carried(Struct, frozen=True):
    """The value of a parameter of the body in the first turn, and the result that it takes in later turns."""

    parameter: str
    initial: GraphTensor
    result: str


class Wanted(Struct, frozen=True):
    """A result of the loop: of the last turn, or of all turns along an axis."""

    result: str
    is_last: bool
    axis: int
    target: nodes.Expression | None


def loop(
    context: ElaborationContext,
    frame: Frame,
    span: Span,
    count: Integer,
    scanned: Sequence[Scanned],
    carried: Sequence[Carried],
    wanted: Sequence[Wanted],
    turn: Callable[[Mapping[str, ElaboratedValue]], Mapping[str, ElaboratedValue]],
) -> list[ElaboratedValue] | None:
    """Add a loop to the graph, and return its results; None if it has one that no loop has."""
    write = _Writer(context, frame, span)
    packs = {
        each.parameter: context.graph.unused_name(f"{_local_name(context, frame, each.parameter)}_pieces")
        for each in scanned
    }
    locals_ = {
        **{each.parameter: _local(context, frame, each.parameter, each.initial, None) for each in carried},
        **{each.parameter: _local(context, frame, each.parameter, each.tensor, each.axis) for each in scanned},
    }
    with context.aside() as statements:
        found = turn(locals_)
    made = {name: value for name, value in found.items() if isinstance(value, GraphTensor) and _extents(value)}
    if not made.keys() >= {*(each.result for each in carried), *(each.result for each in wanted)}:
        return [UNKNOWN for _ in wanted]
    if not _are_results(made, carried, wanted):
        return None
    for each in scanned:
        write.invocation(packs[each.parameter], count, _PIECES, each.axis, each.tensor.name)
    joined = [each for each in wanted if not each.is_last]
    names = {each: _wanted_name(context, frame, each) for each in wanted}
    last = {each.result: names[each] for each in reversed(wanted) if each.is_last}
    all_of = {each: context.graph.unused_name(f"{names[each]}_pieces") for each in joined}
    write.loop(
        [*(last.get(each.result) for each in carried), *all_of.values()],
        [(locals_[each.parameter].name, each.initial.name) for each in carried],
        [(locals_[each.parameter].name, packs[each.parameter]) for each in scanned],
        statements,
        [*(made[each.result].name for each in carried), *(made[each.result].name for each in joined)],
    )
    for one in joined:
        write.invocation(names[one], None, _JOINED, one.axis, all_of[one])
    return [
        _result(last[each.result] if each.is_last else names[each], made[each.result], each, count) for each in wanted
    ]


def _are_results(made: Mapping[str, GraphTensor], carried: Sequence[Carried], wanted: Sequence[Wanted]) -> bool:
    """Return whether a loop can produce all results: last values of carried tensors, others in pieces of extent 1."""
    lasting = {each.result for each in carried}
    return all(
        each.result in lasting
        if each.is_last
        else 0 <= each.axis < len(shape := _extents(made[each.result])) and shape[each.axis].value == 1
        for each in wanted
    )


class _Writer(Struct, frozen=True):
    """A writer of statements to the graph, all at one place."""

    context: ElaborationContext
    frame: Frame
    span: Span

    def invocation(self, result: str, length: Integer | None, operator: str, axis: int, argument: str) -> None:
        """Add an invocation whose result is a pack of a length, or a tensor (None)."""
        start, end = self.span.start, self.span.end
        pack = None
        if length is not None:
            pack = flat_nodes.Pack(start, end, flat_graph.expression(length, self.span), None, None)
        attributes = [("axis", flat_graph.expression(integers.constant(axis), self.span))]
        value = flat_graph.invocation(self._name(operator), attributes, [self._reference(argument)])
        self._add((flat_nodes.Result(start, end, self._name(result), None, pack),), value)

    def loop(
        self,
        results: Sequence[str | None],
        carried: Sequence[tuple[str, str]],
        scanned: Sequence[tuple[str, str]],
        statements: Sequence[flat_nodes.Statement],
        yields: Sequence[str],
    ) -> None:
        """Add a loop. ``carried`` and ``scanned`` pair a name in the body with its initial value or scanned tensor."""
        start, end = self.span.start, self.span.end
        targets = (self._name(each) if each is not None else flat_graph.omitted(self.span) for each in results)
        body = (
            *(flat_graph.placed(each, self.span) for each in statements),
            flat_nodes.Yield(start, end, tuple(map(self._reference, yields))),
        )
        carries = (
            flat_nodes.Carry(start, end, self._name(name), None, self._reference(initial)) for name, initial in carried
        )
        scans = (flat_nodes.Scan(start, end, self._name(name), self._reference(pack)) for name, pack in scanned)
        do = flat_nodes.Operator(start, end, "do")
        region = flat_nodes.Region(start, end, body)
        self._add(
            tuple(flat_nodes.Result(start, end, target, None, None) for target in targets),
            flat_nodes.Loop(start, end, tuple(carries), tuple(scans), (), do, None, region),
        )

    def _add(self, results: tuple[flat_nodes.Result, ...], value: flat_nodes.Loop | flat_nodes.Callable) -> None:
        component = flat_nodes.Component(self.span.start, self.span.end, results, value)
        self.context.graph.add("compose", self.frame.base, component)
        if self.frame.chain:
            self.context.record.chains.append((component, self.frame.chain))

    def _name(self, text: str) -> flat_nodes.Name:
        return flat_nodes.Name(self.span.start, self.span.end, text)

    def _reference(self, name: str) -> flat_nodes.Expression:
        return flat_graph.reference(name, self.span)


def _local(
    context: ElaborationContext, frame: Frame, parameter: str, source: GraphTensor, axis: int | None
) -> GraphTensor:
    """Return the tensor of a parameter in the body: the extents of its source, with extent 1 along ``axis``."""
    assert source.tensor is not None
    shape = [*_extents(source)]
    if axis is not None:
        shape[axis] = integers.constant(1)
    name = context.graph.unused_name(_local_name(context, frame, parameter))
    return GraphTensor(name, Tensor(name, source.tensor.dtype, tuple(shape), TensorKind.RESULT))


def _local_name(context: ElaborationContext, frame: Frame, parameter: str) -> str:
    """Return the name of a tensor of the body, distinct from names that statements of the graph assign."""
    name = f"{frame.prefix}{parameter}"
    return f"{frame.making}.{name}" if name in context.names.assigned else name


def _wanted_name(context: ElaborationContext, frame: Frame, wanted: Wanted) -> str:
    target = wanted.target
    text = frame.named(target.text) if isinstance(target, nodes.Identifier) else f"{frame.making}.{wanted.result}"
    return context.graph.unused_name(text)


def _result(name: str, found: GraphTensor, wanted: Wanted, count: Integer) -> GraphTensor:
    assert found.tensor is not None
    shape = [*_extents(found)]
    if not wanted.is_last:
        shape[wanted.axis] = count
    return GraphTensor(name, Tensor(name, found.tensor.dtype, tuple(shape), TensorKind.RESULT))


def _extents(value: ElaboratedValue) -> tuple[Integer, ...]:
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    shape = () if tensor is None or tensor.shape is None else tensor.shape
    return tuple(each for each in shape if isinstance(each, Integer))
