"""``layout``: operators that make tensors, or move and regroup their elements."""

from __future__ import annotations

import numpy as np

from snd_analysis.model import Tensor, tensors_of
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import NUMPY, rank_of
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.registry import counterpart
from snd_server.exchange.onnx_export.scope import TYPES


@counterpart(
    "layout.flatten", "layout.unflatten", "layout.unsqueeze", "layout.squeeze", "layout.reshape"
)  # fmt: skip
def _reshape(call: ScopedCall) -> None:
    shape = call.output.shape or ()
    attributes = {}
    if any(isinstance(extent, Integer) and extent.value == 0 for extent in shape):
        attributes["allowzero"] = 1
    elif sum(isinstance(extent, Integer) and extent.value is None for extent in shape) == 1:
        # The only extent that is not known follows from the others.
        known = [extent.value if isinstance(extent, Integer) and extent.value is not None else -1 for extent in shape]
        call.write("Reshape", [call.input(), call.scope.constant(known)])
        return
    call.write("Reshape", [call.input(), call.scope.extents(shape)], **attributes)


@counterpart("layout.transpose")
def _transpose(call: ScopedCall) -> None:
    axis, rank = call["axis"], call.rank()
    axis += rank if axis < 0 else 0
    perm = [each + (rank if each < 0 else 0) for each in call["perm"]]
    # The items are counted from the start of the tensor.
    call.write("Transpose", [call.input()], perm=[*range(axis), *perm])


@counterpart("layout.concat")
def _concat(call: ScopedCall) -> None:
    call.write("Concat", call.items(), axis=call["axis"])


@counterpart("layout.stack")
def _stack(call: ScopedCall) -> None:
    # A negative axis counts the dimensions of the inputs, but in ONNX the dimensions of the result.
    axis = call["axis"] + (rank_of(call.output) - (not call["squeeze"]) if call["axis"] < 0 else 0)
    stacked = call.stacked()
    if stacked is not None:
        if call["squeeze"]:
            raise Unsuitable("the number of tensors of a pack is known in the run only")
        order = [*range(1, axis + 1), 0, *range(axis + 1, rank_of(call.output))]
        call.write("Transpose", [stacked], perm=order)
        return
    items = call.items()
    if not call["squeeze"]:
        axes = call.scope.constant([axis])
        items = [call.scope.node("Unsqueeze", [item, axes]) for item in items]
    call.write("Concat", items, axis=axis)


@counterpart("layout.split")
def _split(call: ScopedCall) -> None:
    names = call.names[0]
    sizes = call.scope.constant(call["sizes"])
    call.scope.nodes_of("Split", [call.input(), sizes], names, axis=call["axis"])


@counterpart("layout.unstack")
def _unstack(call: ScopedCall) -> None:
    scope, names, parts = call.scope, call.names[0], call.operation.outputs[0]
    if not names:
        raise Unsuitable("there is no part")
    axis = call["axis"] + (call.rank() if call["axis"] < 0 else 0)
    if isinstance(parts, Pack) and parts.items is None:
        if not call["squeeze"]:
            raise Unsuitable("the number of tensors of a pack is known in the run only")
        order = [axis, *(at for at in range(call.rank()) if at != axis)]
        stacked = scope.node("Transpose", [call.input()], perm=order)
        scope.stacks.update((tensor, stacked) for tensor in tensors_of(parts))
        return
    if not call["squeeze"]:
        scope.nodes_of("Split", [call.input()], names, axis=axis, num_outputs=len(names))
        return
    for at, name in enumerate(names):
        scope.node("Gather", [call.input(), scope.constant(at)], name, axis=axis)


@counterpart("layout.slice")
def _slice(call: ScopedCall) -> None:
    begin, end = (call.attributes.get(name) for name in ("begin", "end"))
    if begin is not None and any(first < 0 for first in begin):
        raise Unsuitable("a slice begins before the first element")
    # An end of -1 is the place before the first element here, but the last element in ONNX.
    beyond = None if end is None else call.scope.constant([last if last >= 0 else -(1 << 62) for last in end])
    if beyond is None and any(step < 0 for step in call["stride"]):
        raise Unsuitable("where a slice ends before the first element is known in the run only")
    vectors = [call.vector("begin"), beyond or call.vector("end"), *(call.vector(name) for name in ("axes", "stride"))]
    call.write("Slice", [call.input(), *vectors])


@counterpart("layout.pad")
def _pad(call: ScopedCall) -> None:
    mode = {"CONSTANT": "constant", "REFLECT": "reflect", "REPLICATE": "edge"}.get(call["method"])
    if mode is None or call.dtype in ("bool", "str"):
        raise Unsuitable("ONNX does not pad so")
    if mode == "reflect" and any(width < 0 for width in call["padding"]):
        raise Unsuitable("ONNX does not pad so")
    filling = call.input(1) if call.has(1) else ""
    call.write("Pad", [call.input(), call.vector("padding"), filling, call.vector("axes")], mode=mode)


@counterpart("layout.tile")
def _tile(call: ScopedCall) -> None:
    given = call.callee.attributes["repeats"]
    counts: list[object] = [integers.constant(1)] * call.rank()
    for axis, count in zip(call["axes"], (given.items or ()) if isinstance(given, Pack) else (), strict=True):
        counts[axis] = count
    call.write("Tile", [call.input(), call.scope.extents(counts)])


@counterpart("layout.broadcast")
def _broadcast(call: ScopedCall) -> None:
    call.write("Expand", [call.input(), call.scope.extents(call.output.shape or ())])


@counterpart("layout.uniform")
def _uniform(call: ScopedCall) -> None:
    call.write("Expand", [call.input(), call.scope.extents(call.output.shape or ())])


@counterpart("layout.tensor")
def _tensor(call: ScopedCall) -> None:
    shape = [extent.value for extent in call.output.shape or () if isinstance(extent, Integer)]
    given = call.callee.attributes["value"]
    if "value" not in call.attributes and isinstance(given, Pack) and call.output.dtype == "int":
        items = call.scope.extents(given.items or ())
        extents = call.scope.extents(call.output.shape or ())
        call.write("Expand" if len(given.items or ()) == 1 else "Reshape", [items, extents])
        return
    if None in shape or call.output.dtype is None:
        raise Unsuitable("the shape is known in the run only")
    values = np.asarray(call["value"], NUMPY[call.output.dtype])
    whole = np.full(shape, values.reshape(-1)[0]) if values.size == 1 else values.reshape(shape)  # type: ignore[arg-type]
    call.write("Identity", [call.scope.constant(whole, NUMPY[call.output.dtype], "values")])


@counterpart("layout.range")
def _range(call: ScopedCall) -> None:
    dtype = NUMPY[call.output.dtype or "real"]
    ends = [call.callee.attributes[name] for name in ("first", "last", "stride")]
    if any(isinstance(each, Integer) and each.value is None for each in ends):
        call.write("Range", [call.scope.scalar(each) for each in ends if isinstance(each, Integer)])
        return
    first, last, stride = (call[name] for name in ("first", "last", "stride"))
    count = max(int(np.ceil((last - first) / stride)), 0)
    values = np.asarray(first, dtype) + np.arange(count).astype(dtype) * np.asarray(stride, dtype)
    call.write("Identity", [call.scope.constant(values, dtype, "range")])


@counterpart("layout.shape")
def _shape(call: ScopedCall) -> None:
    call.write("Shape", [call.input()])


@counterpart("layout.cast")
def _cast(call: ScopedCall) -> None:
    dtype = call.output.dtype or ""
    if dtype == "str" or call.dtype == "str":
        raise Unsuitable("ONNX writes numbers in another way")
    call.write("Cast", [call.input()], to=TYPES[dtype])


@counterpart("layout.gather")
def _gather(call: ScopedCall) -> None:
    call.write("Gather", [call.input(0), call.input(1)], axis=call["axis"])


@counterpart("layout.gather_nd")
def _gather_nd(call: ScopedCall) -> None:
    call.write("GatherND", [call.input(0), call.input(1)], batch_dims=call["batch_dims"])


@counterpart("layout.scatter")
def _scatter(call: ScopedCall) -> None:
    shapes = [value.shape for value in call.inputs if isinstance(value, Tensor)]
    if shapes[1] != shapes[2]:
        raise Unsuitable("the updates have another shape than the indices")
    call.write("ScatterElements", [call.input(at) for at in range(3)], axis=call["axis"])


@counterpart("layout.scatter_nd")
def _scatter_nd(call: ScopedCall) -> None:
    if call["batch_dims"]:
        raise Unsuitable("ONNX has no batches there")
    call.write("ScatterND", [call.input(at) for at in range(3)])


@counterpart("layout.nonzero")
def _nonzero(call: ScopedCall) -> None:
    call.write("NonZero", [call.input()])
