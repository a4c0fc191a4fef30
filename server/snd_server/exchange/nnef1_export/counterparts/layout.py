"""``layout``: operators that make tensors, or move and regroup their elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from snd_analysis.model import Tensor, tensors_of
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import NUMPY, constant_array, is_static, rank_of, static_shape
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.literals import Expression, written_extent
from snd_server.exchange.nnef1_export.registry import counterpart
from snd_server.exchange.nnef1_export.scope import TRACT_TYPES, StackedPack

_LARGEST_CONSTANT = 1 << 24


def extents(call: OperationCall, shape: Sequence[object]) -> list[Any]:
    """Return extents as items of an attribute. Raise Unsuitable if one can't be written."""
    found: list[Any] = []
    for each in shape:
        if not isinstance(each, Integer):
            raise Unsuitable("the rank is not known before the run")
        found.append(Expression(written_extent(each, call.scope.dialect)))
    return found


@counterpart("layout.flatten", "layout.unflatten", "layout.reshape", "nnef1.reshape")
def _reshape(call: OperationCall) -> None:
    shape = call.output.shape or ()
    if 0 in _numbers(shape):
        raise Unsuitable("NNEF 1.0 has no extent of 0 in 'reshape'")
    source = call.inputs[0]
    assert isinstance(source, Tensor)
    before, after = list(source.shape or ()), list(shape)
    if None not in (*_numbers(before), *_numbers(after)):
        call.write("reshape", [call.input()], shape=_numbers(after))
        return
    # Engines can't prove that products of extents with symbols are equal: extents that stay are left alone.
    start = 0
    while before[start : start + 1] == after[start : start + 1] != []:
        start += 1
    end = 0
    while len(before) - end > start and len(after) - end > start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = (each[start : len(each) - end] for each in (before, after))
    if not old and not new:
        call.write("copy", [call.input()])
    elif not old:
        call.write("unsqueeze", [call.input()], axes=[*range(start, start + len(new))])
    elif not new:
        call.write("squeeze", [call.input()], axes=[*range(start, start + len(old))])
    else:
        given = {"axis_start": start, "axis_count": len(old)} if start or end else {}
        call.write("reshape", [call.input()], shape=_reshaped(call, new), **given)


def _numbers(shape: Sequence[object]) -> list[int | None]:
    return [each.value if isinstance(each, Integer) else None for each in shape]


def _reshaped(call: OperationCall, shape: Sequence[object]) -> list[Any]:
    """Return the extents of a reshape. The only one that is no number follows from the others."""
    numbers = _numbers(shape)
    if 0 in numbers:
        raise Unsuitable("NNEF 1.0 has no extent of 0 in 'reshape'")
    if numbers.count(None) == 1 and all(isinstance(each, Integer) for each in shape):
        return [-1 if each is None else each for each in numbers]
    return extents(call, shape)


@counterpart("layout.squeeze", "layout.unsqueeze")
def _ones(call: OperationCall) -> None:
    assert call.operation.operator is not None
    name = call.operation.operator.name
    rank = rank_of(call.output) if name == "unsqueeze" else call.rank()
    axes = sorted(axis + rank if axis < 0 else axis for axis in call["axes"])
    if not axes:
        call.write("copy", [call.input()])
        return
    call.write(name, [call.input()], axes=axes)


@counterpart("layout.transpose")
def _transpose(call: OperationCall) -> None:
    axis, rank = call.axis(), call.rank()
    perm = [each + (rank if each < 0 else 0) for each in call["perm"]]
    # The items are counted from the start of the tensor.
    call.write("transpose", [call.input()], axes=[*range(axis), *perm])


@counterpart("layout.concat")
def _concat(call: OperationCall) -> None:
    axis = call["axis"]
    join(call, call.items(), axis + rank_of(call.output) if axis < 0 else axis)


def join(call: OperationCall, items: Sequence[str], axis: int) -> None:
    """Write the concatenation of tensors."""
    if not items:
        raise Unsuitable("there is no tensor to join")
    call.write("concat", [f"[{', '.join(items)}]"], axis=axis)


@counterpart("layout.stack")
def _stack(call: OperationCall) -> None:
    # A negative axis counts the dimensions of the inputs.
    axis = call["axis"] + (rank_of(call.output) - (not call["squeeze"]) if call["axis"] < 0 else 0)
    stacked = call.scope.packed(call.inputs[0])
    if stacked is not None:
        _unpacked(call, stacked, axis)
        return
    items = call.items()
    if call["squeeze"]:
        join(call, items, axis)
    elif not items:
        raise Unsuitable("there is no tensor to join")
    else:
        call.write("stack", [f"[{', '.join(items)}]"], axis=axis)


def _unpacked(call: OperationCall, stacked: StackedPack, axis: int) -> None:
    """Write the tensor that holds the tensors of a pack, with these along an axis."""
    name, rank, node = stacked.name, rank_of(call.output), call.scope.node
    source = stacked.axis
    if call["squeeze"] and stacked.is_squeezed:  # the parts have extent 1 in this place
        name = node("squeeze", [name], axes=[axis + (axis >= source)])
        source -= axis < source
    elif not call["squeeze"] and not stacked.is_squeezed:
        name = node("unsqueeze", [name], axes=[source + 1])
    order = [at for at in range(rank) if at != source]
    if call["squeeze"] and not stacked.is_squeezed:  # both are dimensions of the parts
        order = [*range(rank)]
        order[source], order[axis] = axis, source
    else:
        order.insert(axis, source)
    if order == [*range(rank)]:
        call.write("copy", [name])
    else:
        call.write("transpose", [name], axes=order)


@counterpart("layout.split")
def _split(call: OperationCall) -> None:
    axis, begin = call.axis(), 0
    if not call.is_tract:
        sizes = call["sizes"]
        call.scope.nodes_of("split", [call.input()], call.names[0], is_array=True, axis=axis, ratios=list(sizes))
        return
    for name, size in zip(call.names[0], call["sizes"], strict=True):
        if not size:
            raise Unsuitable("a part has no elements")
        call.scope.node("slice", [call.input()], name, axes=[axis], begin=[begin], end=[begin + size])
        begin += size


@counterpart("layout.unstack")
def _unstack(call: OperationCall) -> None:
    names, parts = call.names[0], call.operation.outputs[0]
    if not names:
        raise Unsuitable("there is no part")
    axis = call.axis()
    call.scope.packs[tuple(tensors_of(parts))] = StackedPack(call.input(), axis, call["squeeze"])
    if isinstance(parts, Pack) and parts.items is None:
        return
    if call["squeeze"]:
        call.scope.nodes_of("unstack", [call.input()], names, is_array=True, axis=axis)
        return
    for at, name in enumerate(names):
        call.scope.node("slice", [call.input()], name, axes=[axis], begin=[at], end=[at + 1])


@counterpart("layout.slice")
def _slice(call: OperationCall) -> None:
    axes, strides = call.axes(), call["stride"]
    output = call.output.shape or ()
    begins = call.callee.attributes["begin"]
    assert isinstance(begins, Pack)
    source = call.inputs[0]
    assert isinstance(source, Tensor)
    whole = source.shape or ()
    cut: dict[int, tuple[Integer, Integer]] = {}
    for axis, begin, stride in zip(axes, begins.items or (), strides, strict=True):
        length = output[axis]
        if not isinstance(begin, Integer) or not isinstance(length, Integer) or length.value == 0:
            raise Unsuitable("a slice has no elements, or their number is not known")
        low, _ = integers.bounds(length)
        if not low and abs(stride) > 1:
            raise Unsuitable("a slice may have no elements")
        last = begin + (length - 1) * stride
        first, last = (begin, last) if stride > 0 else (last, begin)
        if first != integers.constant(0) or last + 1 != whole[axis]:
            cut[axis] = first, last + 1
    name = call.input()
    stepped = any(stride != 1 for stride in strides)
    if cut:
        given = {
            "axes": sorted(cut),
            "begin": extents(call, [cut[axis][0] for axis in sorted(cut)]),
            "end": extents(call, [cut[axis][1] for axis in sorted(cut)]),
        }
        name = call.scope.node("slice", [name], None if stepped else call.target, **given)
    if not stepped:
        if not cut:
            call.write("copy", [name])
        return
    stepping = [(axis, stride) for axis, stride in zip(axes, strides, strict=True) if stride != 1]
    call.demand_tract("slice with steps")
    for at, (axis, stride) in enumerate(stepping, 1):
        result = call.target if at == len(stepping) else None
        name = call.scope.node("tract_core_downsample", [name], result, axis=axis, stride=stride, modulo=0)


@counterpart("layout.pad")
def _pad(call: OperationCall) -> None:
    names = {"CONSTANT": "constant", "REFLECT": "reflect", "REPLICATE": "replicated" if call.is_tract else "replicate"}
    border = names.get(call["method"]) or ("" if call.is_tract else "reflect-even")
    if not border or call.dtype in ("bool", "str"):
        raise Unsuitable("NNEF 1.0 does not pad so")
    demand_real = call.dtype != "real" and not call.is_tract
    if demand_real:
        raise Unsuitable("Khronos' dialect pads scalars only")
    widths = call["padding"]
    if any(width < 0 for width in widths):
        raise Unsuitable("NNEF 1.0 cuts off nothing by 'pad'")
    pairs = [(0, 0)] * call.rank()
    for axis, before, after in zip(call.axes(), widths, widths[len(widths) // 2 :], strict=False):
        pairs[axis] = (before, after)
    value = 0.0
    if border == "constant" and call.has(1):
        filling = call.inputs[1]
        if not isinstance(filling, Tensor) or filling.value is None:
            raise Unsuitable("the value that it pads with is a tensor")
        value = float(constant_array(filling))
        if call.dtype != "real" and value:
            raise Unsuitable("tract pads integers with zeros only")
    given = {"value": value} if border == "constant" else {}
    call.write("pad", [call.input()], padding=pairs, border=border, **given)


@counterpart("layout.tile")
def _tile(call: OperationCall) -> None:
    given = call.callee.attributes["repeats"]
    counts: list[object] = [integers.constant(1)] * call.rank()
    for axis, count in zip(call.axes(), (given.items or ()) if isinstance(given, Pack) else (), strict=True):
        counts[axis] = count
    call.write("tile", [call.input()], repeats=extents(call, counts))


@counterpart("layout.broadcast")
def _broadcast(call: OperationCall) -> None:
    whole = call.output.shape or ()
    if call.is_tract:
        call.write("tract_core_broadcast", [call.input()], shape=extents(call, whole))
        return
    before, after = static_shape(call.inputs[0]), static_shape(call.output)
    repeats = [new if old == 1 else 1 for old, new in zip(before, after, strict=True)]
    call.write("tile", [call.input()], repeats=repeats)


@counterpart("layout.uniform")
def _uniform(call: OperationCall) -> None:
    tensor, shape = call.inputs[0], call.output.shape or ()
    assert isinstance(tensor, Tensor)
    if tensor.value is not None and is_static(call.output):
        numbers = static_shape(call.output)
        if prod(numbers) > _LARGEST_CONSTANT:
            raise Unsuitable(f"a table of {prod(numbers):,} equal elements would be needed")
        call.alias(call.scope.array(np.full(numbers, constant_array(tensor)), "values"))
        return
    whole = call.scope.node("unsqueeze", [call.input()], axes=[*range(len(shape))]) if shape else call.input()
    if call.is_tract:
        call.write("tract_core_broadcast", [whole], shape=extents(call, shape))
    else:
        call.write("tile", [whole], repeats=extents(call, shape))


@counterpart("layout.tensor")
def _tensor(call: OperationCall) -> None:
    shape = static_shape(call.output)
    if call.output.dtype not in TRACT_TYPES:
        raise Unsuitable("NNEF 1.0 has no tensors of strings")
    values = np.asarray(call["value"], NUMPY[call.output.dtype or "real"])
    whole = np.full(shape, values.reshape(-1)[0]) if values.size == 1 else values.reshape(shape)
    call.alias(call.scope.array(whole, "values"))


@counterpart("layout.range")
def _range(call: OperationCall) -> None:
    dtype = NUMPY[call.output.dtype or "real"]
    ends = [call.callee.attributes[name] for name in ("first", "last", "stride")]
    if any(isinstance(each, Integer) and each.value is None for each in ends):
        call.demand_tract("range")
        start, end, step = extents(call, ends)
        whole = call.scope.node("tract_core_range", [], start=start, end=end, step=step)
        call.write("tract_core_cast", [whole], to="i64")
        return
    first, last, stride = (call[name] for name in ("first", "last", "stride"))
    count = max(int(np.ceil((last - first) / stride)), 0)
    values = np.asarray(first, dtype) + np.arange(count).astype(dtype) * np.asarray(stride, dtype)
    call.alias(call.scope.constant(values, dtype, "range"))


@counterpart("layout.shape")
def _shape(call: OperationCall) -> None:
    tensor = call.inputs[0]
    assert isinstance(tensor, Tensor)
    numbers = [each.value if isinstance(each, Integer) else None for each in tensor.shape or ()]
    if None not in numbers:
        call.alias(call.scope.constant(numbers, np.int64, "extents"))
        return
    call.demand_tract("operation for extents")
    call.write("tract_core_cast", [call.scope.node("tract_core_shape_of", [call.input()])], to="i64")


@counterpart("layout.cast")
def _cast(call: OperationCall) -> None:
    dtype = call.output.dtype or ""
    if dtype not in TRACT_TYPES or call.dtype not in TRACT_TYPES:
        raise Unsuitable("NNEF 1.0 has no tensors of strings")
    if dtype == call.dtype:
        call.write("copy", [call.input()])
    elif call.is_tract:
        call.write("tract_core_cast", [call.input()], to=TRACT_TYPES[dtype])
    elif (call.dtype, dtype) == ("bool", "real"):
        call.write("select", [call.input(), "1.0", "0.0"])
    elif (call.dtype, dtype) == ("real", "bool"):
        call.write("ne", [call.input(), "0.0"])
    else:
        raise Unsuitable("Khronos' dialect converts scalars and logicals only")


@counterpart("layout.gather")
def _gather(call: OperationCall) -> None:
    name = "tract_core_gather" if call.is_tract else "gather"
    call.write(name, [call.input(0), call.input(1)], axis=call.axis())


@counterpart("layout.gather_nd")
def _gather_nd(call: OperationCall) -> None:
    call.demand_tract("selection by several indices")
    call.write("tract_core_gather_nd", [call.input(0), call.input(1)], batch_dims=call["batch_dims"])


@counterpart("layout.scatter")
def _scatter(call: OperationCall) -> None:
    call.demand_tract("operation that scatters elements")
    shapes = [value.shape for value in call.inputs if isinstance(value, Tensor)]
    if shapes[1] != shapes[2]:
        raise Unsuitable("the updates have another shape than the indices")
    call.write("tract_core_scatter_elements", [call.input(at) for at in range(3)], axis=call.axis())


@counterpart("layout.scatter_nd")
def _scatter_nd(call: OperationCall) -> None:
    call.demand_tract("operation that scatters elements")
    if call["batch_dims"]:
        raise Unsuitable("tract has no batches there")
    call.write("tract_core_scatter_nd", [call.input(at) for at in range(3)])
