"""``layout``: operators that make tensors, or move and regroup their elements."""

from __future__ import annotations

from math import ceil

from snd_analysis.model import Tensor, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import rank_of
from snd_server.exchange.torch_export.call import TorchCall
from snd_server.exchange.torch_export.counterparts.arithmetic import joined
from snd_server.exchange.torch_export.limits import MOST_NAMED
from snd_server.exchange.torch_export.merging import number
from snd_server.exchange.torch_export.registry import counterpart
from snd_server.exchange.torch_export.scope import DTYPES, written


@counterpart("layout.reshape", "layout.unflatten")
def _reshape(call: TorchCall) -> None:
    call.write(f"{call.tensor()}.reshape{_new_shape(call)}")


def _new_shape(call: TorchCall) -> str:
    shape = call.output.shape or ()
    unknown = [at for at, each in enumerate(shape) if isinstance(each, Integer) and each.value is None]
    try:
        return call.scope.shape(shape)
    except Unsuitable:
        if len(unknown) != 1:
            raise
        # The only extent that is not known follows from the others.
        return _with_rest(call, unknown[0])


def _with_rest(call: TorchCall, open_axis: int) -> str:
    items = ["-1" if at == open_axis else call.scope.extent(each) for at, each in enumerate(call.output.shape or ())]
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


@counterpart("layout.flatten")
def _flatten(call: TorchCall) -> None:
    rank, axis = call.rank(), call["axis"] % max(call.rank(), 1)
    last = axis + rank - rank_of(call.output)
    if not rank or last < axis:
        call.write(f"{call.tensor()}.reshape({_new_shape(call)})")
        return
    call.write(f"{call.input()}.flatten({axis}{'' if last == rank - 1 else f', {last}'})")


@counterpart("layout.squeeze")
def _squeeze(call: TorchCall) -> None:
    axes = call.axes()
    call.write(f"{call.input()}.squeeze({axes[0] if len(axes) == 1 else tuple(axes)})" if axes else call.input())


@counterpart("layout.unsqueeze")
def _unsqueeze(call: TorchCall) -> None:
    rank = rank_of(call.output)
    axes = {each % rank for each in call.ints("axes")}
    if len(axes) == 1 and call.rank():
        call.write(f"{call.input()}.unsqueeze({axes.pop()})")
        return
    places = ["None" if at in axes else ":" for at in range(rank)]
    while places and places[-1] == ":":
        places.pop()
    call.write(
        f"{call.tensor()}[{', '.join(places)}]" if call.rank() else f"{call.tensor()}.reshape({call.target_shape})"
    )


@counterpart("layout.transpose")
def _transpose(call: TorchCall) -> None:
    axis, rank = call["axis"], call.rank()
    axis += rank if axis < 0 else 0
    # The items are counted from the start of the tensor.
    order = [*range(axis), *(each % rank for each in call.ints("perm"))]
    moved = [at for at, each in enumerate(order) if at != each]
    if len(moved) == 2:
        call.write(f"{call.input()}.transpose({moved[0]}, {moved[1]})")
    else:
        call.write(f"{call.input()}.permute({', '.join(map(str, order))})")


@counterpart("layout.concat")
def _concat(call: TorchCall) -> None:
    call.write(f"torch.cat({call.scope.listed(call.items())}, {call['axis']})")


@counterpart("layout.stack")
def _stack(call: TorchCall) -> None:
    axis = call["axis"] + (rank_of(call.output) - (not call["squeeze"]) if call["axis"] < 0 else 0)
    stacked = call.stacked()
    if stacked is not None:
        if call["squeeze"]:
            raise Unsuitable("the number of tensors of a pack is known in the run only")
        call.write(f"{stacked}.movedim(0, {axis})" if axis else stacked)
        return
    call.write(f"torch.{'cat' if call['squeeze'] else 'stack'}({call.scope.listed(call.items())}, {axis})")


@counterpart("layout.split")
def _split(call: TorchCall) -> None:
    sizes = [number(each) for each in call.ints("sizes")]
    call.write_all(f"{call.input()}.split([{', '.join(sizes)}], {call['axis']})")


@counterpart("layout.unstack")
def _unstack(call: TorchCall) -> None:
    value = call.operation.outputs[0]
    axis = call["axis"] % max(call.rank(), 1)
    if isinstance(value, Pack) and value.items is None:
        if not call["squeeze"]:
            raise Unsuitable("the number of tensors of a pack is known in the run only")
        steps = call.scope.root.fresh("steps")
        call.scope.add([steps], f"{call.input()}.movedim({axis}, 0)" if axis else call.input())
        call.scope.stacks.update((tensor, steps) for tensor in tensors_of(value))
        return
    parts = f"{call.input()}.unbind({axis})" if call["squeeze"] else f"{call.input()}.split(1, {axis})"
    if len(call.names[0]) <= MOST_NAMED:
        call.write_all(parts)
        return
    steps = call.scope.root.fresh("steps")
    call.scope.add([steps], parts)
    call.scope.keep(steps, call.names[0])


@counterpart("layout.slice")
def _slice(call: TorchCall) -> None:
    begins, ends = call.extents("begin"), call.extents("end")
    places = [":"] * call.rank()
    flipped = []
    for axis, begin, end, step in zip(call.axes(), begins, ends, call.ints("stride"), strict=True):
        if begin.lstrip("\x00").startswith("-"):
            raise Unsuitable("a slice begins before the first element")
        if step < 0:
            if step != -1 or end != number(-1):
                raise Unsuitable("PyTorch has no strides that are negative")
            flipped.append(axis)
            places[axis] = f":{begin} + 1"
            continue
        places[axis] = f"{begin}:{end}" + (f":{number(step)}" if step != 1 else "")
    while places and places[-1] == ":":
        places.pop()
    text = f"{call.input()}[{', '.join(places)}]" if places else call.input()
    call.write(f"{text}.flip({', '.join(map(str, flipped))})" if flipped else text)


@counterpart("layout.pad")
def _pad(call: TorchCall) -> None:
    mode = {"CONSTANT": "constant", "REFLECT": "reflect", "REPLICATE": "replicate"}.get(call["method"])
    rank, axes = call.rank(), call.axes()
    if mode is None or call.dtype == "bool" or (mode != "constant" and call.dtype != "real"):
        raise Unsuitable("PyTorch does not pad so")
    widths = call.extents("padding")
    before, after = [number(0)] * rank, [number(0)] * rank
    for at, axis in enumerate(axes):
        before[axis], after[axis] = widths[at], widths[len(axes) + at]
    first = min(axes, default=rank - 1)
    if mode != "constant" and (first < 2 or rank not in (3, 4, 5) or rank - 2 < rank - first):
        raise Unsuitable("PyTorch pads the last dimensions of a batch so")
    first = 2 if mode != "constant" else first
    text = ", ".join(f"{before[axis]}, {after[axis]}" for axis in range(rank - 1, first - 1, -1))
    filling = f", value={call.input(1)}" if mode == "constant" and call.has(1) else ""
    other = "" if mode == "constant" else f", mode={mode!r}"
    call.write(f"F.pad({call.input()}, ({text}){other}{filling})")


@counterpart("layout.tile")
def _tile(call: TorchCall) -> None:
    counts = [number(1)] * call.rank()
    for axis, count in zip(call.axes(), call.extents("repeats"), strict=True):
        counts[axis] = count
    call.write(f"{call.input()}.repeat({', '.join(counts)})")


@counterpart("layout.broadcast")
def _broadcast(call: TorchCall) -> None:
    call.write(f"{call.tensor()}.expand({call.target_shape})")


@counterpart("layout.uniform")
def _uniform(call: TorchCall) -> None:
    value = call.inputs[0]
    dtype = DTYPES.get(call.output.dtype or "real")
    if isinstance(value, Tensor) and value.value is not None and dtype is not None:
        call.write(f"torch.full({call.target_shape}, {call.input()}, dtype={dtype})")
    else:
        call.write(f"{call.input()}.expand({call.target_shape})")


@counterpart("layout.tensor")
def _tensor(call: TorchCall) -> None:
    dtype = DTYPES.get(call.output.dtype or "real")
    if dtype is None:
        raise Unsuitable("PyTorch has no strings")
    try:
        items = written(list(call["value"]) if isinstance(call["value"], list | tuple) else [call["value"]])
        count = len(call["value"]) if isinstance(call["value"], list | tuple) else 1
    except Unsuitable:
        texts = call.extents("value")
        items, count = joined(texts), len(texts)
    method = "expand" if count == 1 and rank_of(call.output) else "reshape"
    call.write(f"torch.tensor({items}, dtype={dtype}).{method}({call.target_shape})")


@counterpart("layout.range")
def _range(call: TorchCall) -> None:
    first, last, stride = (call.callee.attributes[name] for name in ("first", "last", "stride"))
    if all(isinstance(each, Integer) for each in (first, last, stride)):
        texts = [call.scope.extent(each) for each in (first, last, stride)]
        shown = texts[1:2] if texts[0] == number(0) and texts[2] == number(1) else texts
        call.write(f"torch.arange({', '.join(shown)})")
        return
    begin, end, step = (float(call[name]) for name in ("first", "last", "stride"))
    count = max(ceil((end - begin) / step), 0)
    call.write(f"{written(begin)} + {written(step)} * torch.arange({count}, dtype=torch.float32)")


@counterpart("layout.shape")
def _shape(call: TorchCall) -> None:
    call.write(f"torch.tensor({call.input()}.shape)")


@counterpart("layout.gather")
def _gather(call: TorchCall) -> None:
    axis = call["axis"] % max(call.rank(), 1)
    x, indices = call.input(0), call.tensor(1)
    if axis == 0:
        call.write(f"{x}[{indices}]")
    elif call.rank(1) == 1:
        call.write(f"{x}.index_select({axis}, {indices})")
    else:
        call.write(f"{x}[{', '.join([':'] * axis + [indices])}]")


@counterpart("layout.nonzero")
def _nonzero(call: TorchCall) -> None:
    call.write(f"{call.input()}.nonzero().T")


@counterpart("layout.scatter")
def _scatter(call: TorchCall) -> None:
    shapes = [value.shape for value in call.inputs if isinstance(value, Tensor)]
    x, indices, updates = (call.input(at) for at in range(3))
    if shapes[1] == shapes[2]:
        call.write(f"{x}.scatter({call['axis']}, {indices}, {updates})")
    elif call.rank(1) == 1:
        call.write(f"{x}.index_copy({call['axis']}, {indices}, {updates})")
    else:
        raise Unsuitable("the updates have another shape than the indices")


@counterpart("onnx.gather_elements")
def _gather_elements(call: TorchCall) -> None:
    value = call.inputs[0]
    axis = call["axis"] % max(call.rank(), 1)
    if not isinstance(value, Tensor):
        raise Unsuitable("it takes no tensor")
    extent = call.scope.extent((value.shape or ())[axis])
    call.write(f"torch.gather({call.input()}, {axis}, {call.input(1)} % {extent})")


@counterpart("onnx.reverse")
def _reverse(call: TorchCall) -> None:
    call.write(f"{call.input()}.flip({call['axis'] % max(call.rank(), 1)})")


@counterpart("onnx.trilu")
def _triangle(call: TorchCall) -> None:
    call.write(f"torch.{'triu' if call['upper'] else 'tril'}({call.input()}, {call['k']})")


@counterpart("layout.gather_nd")
def _gather_nd(call: TorchCall) -> None:
    if call["batch_dims"]:
        raise Unsuitable("PyTorch has no batches there")
    call.write(f"{call.input()}[{call.input(1)}.unbind(-1)]")


@counterpart("onnx.scatter_elements")
def _scatter_elements(call: TorchCall) -> None:
    value = call.inputs[0]
    axis = call["axis"] % max(call.rank(), 1)
    if not isinstance(value, Tensor):
        raise Unsuitable("it takes no tensor")
    extent = call.scope.extent((value.shape or ())[axis])
    x, indices, updates = call.input(0), f"{call.input(1)} % {extent}", call.input(2)
    reductions = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}
    if call["reduction"] == "none":
        call.write(f"{x}.scatter({axis}, {indices}, {updates})")
    else:
        call.write(f"{x}.scatter_reduce({axis}, {indices}, {updates}, {reductions[call['reduction']]!r})")


@counterpart("onnx.wrap")
def _wrap(call: TorchCall) -> None:
    dtypes = {(8, True): "int8", (16, True): "int16", (32, True): "int32", (8, False): "uint8"}
    dtype = dtypes.get((call["bits"], call["signed"]))
    if dtype is None:
        raise Unsuitable("PyTorch has no ints of so many bits")
    call.write(f"{call.input()}.to(torch.{dtype}).to(torch.int64)")


@counterpart("image.resize")
def _resize(call: TorchCall) -> None:
    axes, rank = call.axes(), call.rank()
    first = min(axes, default=rank)
    transform, rounding = call["coordinate_transform"], call["rounding_method"]
    mode = {"LINEAR": {3: "linear", 4: "bilinear", 5: "trilinear"}, "NEAREST": dict.fromkeys((3, 4, 5), "nearest"),
            "CUBIC": {4: "bicubic"}}[call["mode"]].get(rank)  # fmt: skip
    if first < 2 or mode is None:
        raise Unsuitable("PyTorch resizes the dimensions after batch and channels")
    if mode == "nearest" and (transform, rounding) != ("ASYMMETRIC", "FLOOR"):
        raise Unsuitable("PyTorch chooses other neighbours")
    if mode != "nearest" and transform == "ASYMMETRIC":
        raise Unsuitable("PyTorch has other coordinates")
    if mode != "nearest" and call["antialias"]:
        pairs = zip(call.known(), (getattr(each, "value", None) for each in call.output.shape or ()), strict=True)
        if any(old is None or new is None or new < old for old, new in pairs):
            raise Unsuitable("PyTorch weighs the elements of a smaller image in another way")
    if mode == "bicubic" and call["cubic_coeff_a"] != -0.75:
        raise Unsuitable("PyTorch has another cubic")
    size = call.scope.shape((call.output.shape or ())[2:])
    aligned = ", align_corners=True" if transform == "ALIGNED" and mode != "nearest" else ""
    call.write(f"F.interpolate({call.input()}, {size}, mode={mode!r}{aligned})")
