"""A scan of tract whose turns can't be counted, as a loop: the body stands in it once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import Context, Frame
from snd_analysis.nnef1.elaborate.values import UNKNOWN, TensorName, Value
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.syntax import nodes as flat_nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer

_PIECES, _JOINED = "_scan_pieces", "_scan_joined"


class Scanned(Struct, frozen=True):
    """A tensor that a loop takes apart along an axis into pieces of extent 1, for a parameter of its body."""

    parameter: str
    tensor: TensorName
    axis: int


class Carried(Struct, frozen=True):
    """What a parameter of the body has in the first turn, and the result that it has in the turn after."""

    parameter: str
    initial: TensorName
    result: str


class Wanted(Struct, frozen=True):
    """A result of the loop: that of the last turn, or those of all along an axis."""

    result: str
    is_last: bool
    axis: int
    target: nodes.Expression | None


def loop(
    context: Context,
    frame: Frame,
    span: Span,
    count: Integer,
    scanned: Sequence[Scanned],
    carried: Sequence[Carried],
    wanted: Sequence[Wanted],
    turn: Callable[[Mapping[str, Value]], Mapping[str, Value]],
) -> list[Value] | None:
    """Add a loop to the graph, and return its results; None if it has one that no loop has."""
    graph = context.graph
    packs = {each.parameter: graph.unused_name(f"{frame.prefix}{each.parameter}_pieces") for each in scanned}
    locals_ = {
        **{each.parameter: _local(context, frame, each.parameter, each.initial, None) for each in carried},
        **{each.parameter: _local(context, frame, each.parameter, each.tensor, each.axis) for each in scanned},
    }
    with context.aside() as statements:
        found = turn(locals_)
    made = {name: value for name, value in found.items() if isinstance(value, TensorName) and _extents(value)}
    joined = [each for each in wanted if not each.is_last]
    if not made.keys() >= {*(each.result for each in carried), *(each.result for each in wanted)}:
        return [UNKNOWN for _ in wanted]
    lasting = {each.result for each in carried}
    if any(each.result not in lasting for each in wanted if each.is_last) or not all(
        0 <= each.axis < len(_extents(made[each.result])) and _extents(made[each.result])[each.axis].value == 1
        for each in joined
    ):
        return None

    start, end, base = span.start, span.end, frame.base

    def name(text: str) -> flat_nodes.Name:
        return flat_nodes.Name(start, end, text)

    def result(target: flat_nodes.Name | flat_nodes.Tilde, length: Integer | None = None) -> flat_nodes.Result:
        pack = None if length is None else flat_nodes.Pack(start, end, flat_graph.expression(length, span), None, None)
        return flat_nodes.Result(start, end, target, None, pack)

    def add(results: Sequence[flat_nodes.Result], value: flat_nodes.Loop | flat_nodes.Callable) -> None:
        component = flat_nodes.Component(start, end, tuple(results), value)
        graph.add("compose", base, component)
        if frame.chain:
            context.record.chains.append((component, frame.chain))

    def invocation(operator: str, axis: int, argument: str) -> flat_nodes.Call:
        attributes = [("axis", flat_graph.expression(integers.constant(axis), span))]
        return flat_graph.invocation(name(operator), attributes, [flat_graph.reference(argument, span)])

    for each in scanned:
        add([result(name(packs[each.parameter]), count)], invocation(_PIECES, each.axis, each.tensor.name))
    names = {each: _wanted_name(context, frame, each) for each in wanted}
    last = {each.result: names[each] for each in reversed(wanted) if each.is_last}
    all_of = {each: graph.unused_name(f"{names[each]}_pieces") for each in joined}
    yields = [*(each.result for each in carried), *(each.result for each in joined)]
    body = flat_nodes.Region(
        start,
        end,
        (
            *(flat_graph.placed(each, span) for each in statements),
            flat_nodes.Yield(start, end, tuple(flat_graph.reference(made[each].name, span) for each in yields)),
        ),
    )
    add(
        [
            *(result(name(last[each.result]) if each.result in last else flat_graph.omitted(span)) for each in carried),
            *(result(name(all_of[each])) for each in joined),
        ],
        flat_nodes.Loop(
            start,
            end,
            tuple(
                flat_nodes.Carry(
                    start, end, name(_named(locals_, each)), None, flat_graph.reference(each.initial.name, span)
                )
                for each in carried
            ),
            tuple(
                flat_nodes.Scan(
                    start, end, name(_named(locals_, each)), flat_graph.reference(packs[each.parameter], span)
                )
                for each in scanned
            ),
            (),
            flat_nodes.Operator(start, end, "do"),
            None,
            body,
        ),
    )
    for one in joined:
        add([result(name(names[one]))], invocation(_JOINED, one.axis, all_of[one]))
    return [
        _result(last[each.result] if each.is_last else names[each], made[each.result], each, count) for each in wanted
    ]


def _named(known: Mapping[str, TensorName], each: Scanned | Carried) -> str:
    return known[each.parameter].name


def _local(context: Context, frame: Frame, parameter: str, source: TensorName, axis: int | None) -> TensorName:
    """What stands for a parameter in the body: a tensor of the extents of its source, of 1 along an axis."""
    assert source.tensor is not None
    shape = [*_extents(source)]
    if axis is not None:
        shape[axis] = integers.constant(1)
    name = context.graph.unused_name(f"{frame.prefix}{parameter}")
    return TensorName(name, Tensor(name, source.tensor.dtype, tuple(shape), TensorKind.RESULT))


def _wanted_name(context: Context, frame: Frame, wanted: Wanted) -> str:
    target = wanted.target
    text = frame.named(target.text) if isinstance(target, nodes.Identifier) else f"{frame.making}.{wanted.result}"
    return context.graph.unused_name(text)


def _result(name: str, found: TensorName, wanted: Wanted, count: Integer) -> TensorName:
    assert found.tensor is not None
    shape = [*_extents(found)]
    if not wanted.is_last:
        shape[wanted.axis] = count
    return TensorName(name, Tensor(name, found.tensor.dtype, tuple(shape), TensorKind.RESULT))


def _extents(value: Value) -> tuple[Integer, ...]:
    tensor = value.tensor if isinstance(value, TensorName) else None
    shape = () if tensor is None or tensor.shape is None else tensor.shape
    return tuple(each for each in shape if isinstance(each, Integer))
