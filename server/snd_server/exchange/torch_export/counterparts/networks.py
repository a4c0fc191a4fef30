"""``nn``, ``linalg`` and the layers of ``onnx``."""

from __future__ import annotations

from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.windows import declared_padding, window_padding
from snd_server.exchange.torch_export.call import TorchCall, per_axis
from snd_server.exchange.torch_export.counterparts.arithmetic import name_of
from snd_server.exchange.torch_export.merging import number
from snd_server.exchange.torch_export.registry import counterpart


@counterpart("nn.linear")
def _linear(call: TorchCall) -> None:
    call.write(f"F.linear({', '.join(call.given())})")


@counterpart("linalg.matmul")
def _matmul(call: TorchCall) -> None:
    left, right = (f"{call.tensor(at)}{'.mT' if call[flag] else ''}" for at, flag in enumerate(("transA", "transB")))
    call.write(f"{left} @ {right}{_added(call)}")


@counterpart("linalg.matvec")
def _matvec(call: TorchCall) -> None:
    call.write(f"{call.input(0)}{'.mT' if call['transA'] else ''} @ {call.input(1)}{_added(call)}")


@counterpart("linalg.dot")
def _dot(call: TorchCall) -> None:
    call.write(f"torch.dot({call.input(0)}, {call.input(1)}){_added(call)}")


def _added(call: TorchCall) -> str:
    """Return the end of an expression that adds the third argument, if it is given."""
    return f" + {call.input(2)}" if call.has(2) else ""


@counterpart("nn.relu")
def _relu(call: TorchCall) -> None:
    alpha, most = call["alpha"], call["max"]
    if most is None:
        call.write(f"F.relu({call.tensor()})" if not alpha else f"F.leaky_relu({call.tensor()}, {alpha!r})")
    elif alpha:
        raise Unsuitable("PyTorch has no upper bound with a slope")
    else:
        call.write(f"torch.clamp({call.tensor()}, 0.0, {most!r})")


@counterpart("nn.sigmoid", "nn.erf")
def _function(call: TorchCall) -> None:
    call.write(f"torch.{name_of(call)}({call.tensor()})")


@counterpart("nn.silu", "nn.softplus")
def _activation(call: TorchCall) -> None:
    call.write(f"F.{name_of(call)}({call.tensor()})")


@counterpart("nn.gelu")
def _gelu(call: TorchCall) -> None:
    kind = {None: "", "TANH": ", approximate='tanh'"}.get(call["approximate"])
    if kind is None:
        raise Unsuitable("PyTorch does not approximate so")
    call.write(f"F.gelu({call.tensor()}{kind})")


@counterpart("nn.elu")
def _elu(call: TorchCall) -> None:
    call.write(f"F.elu({call.tensor()}, {call['alpha']!r})")


@counterpart("nn.selu")
def _selu(call: TorchCall) -> None:
    if abs(call["alpha"] - 1.6732632) > 1e-6 or abs(call["lambda"] - 1.0507010) > 1e-6:
        raise Unsuitable("PyTorch has its own numbers")
    call.write(f"F.selu({call.tensor()})")


@counterpart("nn.prelu")
def _prelu(call: TorchCall) -> None:
    axis, rank = call["axis"] % call.rank(), call.rank()
    if axis != 1 or rank < 2:
        raise Unsuitable("PyTorch has channels in the second place")
    call.write(f"F.prelu({call.input()}, {call.input(1)})")


@counterpart("nn.softmax")
def _softmax(call: TorchCall) -> None:
    axes = call.axes()
    if len(axes) != 1:
        raise Unsuitable("PyTorch has a softmax along one axis")
    call.write(f"torch.softmax({call.input()}, {axes[0]})")


@counterpart("nn.batch_norm")
def _batch_norm(call: TorchCall) -> None:
    if call["channel_axis"] % call.rank() != 1 or call.rank() < 2:
        raise Unsuitable("PyTorch has channels in the second place")
    x, mean, variance = (call.input(at) for at in range(3))
    bias, scale = (call.input(at) if call.has(at) and not call.is_default(at) else "" for at in (3, 4))
    given = [x, mean, variance, *([f"weight={scale}"] if scale else []), *([f"bias={bias}"] if bias else [])]
    epsilon = "" if call["epsilon"] == 1e-5 else f", eps={call['epsilon']!r}"
    call.write(f"F.batch_norm({', '.join(given)}{epsilon})")


@counterpart("onnx.layer_norm", "onnx.rms_norm")
def _layer_norm(call: TorchCall) -> None:
    first = call["axis"] % call.rank()
    given = [f"weight={call.input(1)}"]
    is_layer = name_of(call) == "layer_norm"
    if is_layer and call.has(2):
        given.append(f"bias={call.input(2)}")
    if not is_layer or call["epsilon"] != 1e-5:
        given.append(f"eps={call['epsilon']!r}")
    x = call.input()
    call.write(f"F.{name_of(call)}({x}, {x}.shape[{first - call.rank()}:], {', '.join(given)})")


@counterpart("nn.conv", "nn.deconv")
def _convolution(call: TorchCall) -> None:
    is_plain = name_of(call) == "conv"
    dimensions = call.rank() - 2
    if call["data_format"] != "NCX" or call["filter_format"] != "NCX" or not 1 <= dimensions <= 3:
        raise Unsuitable("PyTorch has batch and channels in front")
    before, after = window_padding(call)
    if min(*before, *after) < 0:
        raise Unsuitable("PyTorch has no negative padding")
    x, stride, dilation, groups = call.input(), list(call["stride"]), list(call["dilation"]), call.symbol("g")
    given = []
    if is_plain:
        if call["ceil_mode"]:
            x = _padded_up(call, x, before, after, stride)
            before = after = [0] * dimensions
        if before != after:
            x = _padded(x, before, after)
            before = after = [0] * dimensions
    else:
        extents, source, taps = list(call.symbol("ox")), list(call.symbol("ix")), list(call.symbol("fd"))
        if before != after:
            raise Unsuitable("PyTorch has the same padding on both sides")
        more = [
            extents[at] - ((source[at] - 1) * stride[at] + taps[at] - before[at] - after[at])
            for at in range(dimensions)
        ]
        if min(more) < 0 or any(each >= max(pair) for each, *pair in zip(more, stride, dilation, strict=True)):
            raise Unsuitable("PyTorch does not add so many elements")
        given += [f"output_padding={per_axis(more)}"] if any(more) else []
    given = [
        *([f"stride={per_axis(stride)}"] if _matters(stride, 1) else []),
        *([f"padding={per_axis(before)}"] if _matters(before, 0) else []),
        *given,
        *([f"dilation={per_axis(dilation)}"] if _matters(dilation, 1) else []),
        *([f"groups={number(groups)}"] if groups != 1 else []),
    ]
    bias = [call.input(2)] if call.has(2) and not call.is_default(2) else []
    function = f"conv{dimensions}d" if is_plain else f"conv_transpose{dimensions}d"
    call.write(f"F.{function}({', '.join([x, call.input(1), *bias, *given])})")


def _matters(values: list[int], default: int) -> bool:
    return any(each != default for each in values)


def _padded(x: str, before: list[int], after: list[int], value: str = "") -> str:
    widths = [number(each) for pair in zip(reversed(before), reversed(after), strict=True) for each in pair]
    return f"F.pad({x}, ({', '.join(widths)}){value})"


def _padded_up(call: TorchCall, x: str, before: list[int], after: list[int], stride: list[int]) -> str:
    """Return the input with padding up to the end of the last window."""
    extents, source, taps = list(call.symbol("ox")), list(call.symbol("ix")), list(call.symbol("fd"))
    ends = [(extents[at] - 1) * stride[at] + taps[at] - source[at] - before[at] for at in range(len(stride))]
    return _padded(x, before, [max(end, given) for end, given in zip(ends, after, strict=True)])


@counterpart("nn.max_pool", "nn.avg_pool")
def _pool(call: TorchCall) -> None:
    rank, axes = call.rank(), call.axes()
    dimensions = rank - 2
    if axes != [*range(2, rank)] or not 1 <= dimensions <= 3:
        raise Unsuitable("PyTorch pools along all axes but the first two")
    is_max = name_of(call) == "max_pool"
    size, stride, dilation = (list(call[each]) for each in ("size", "stride", "dilation"))
    before, after = declared_padding(call)
    x = call.input()
    if min(*before, *after) < 0 or (not is_max and _matters(dilation, 1)):
        raise Unsuitable("PyTorch has no such windows")
    reach = [(width - 1) * step + 1 for width, step in zip(size, dilation, strict=True)]
    shape = call.known()[2:]
    if call["ceil_mode"]:
        for at, extent in enumerate(shape):
            if extent is None:
                raise Unsuitable("how far the last window reaches is known in the run only")
            rest = (extent + before[at] + after[at] - reach[at]) % stride[at]
            after[at] += (stride[at] - rest) % stride[at]
    if before != after or any(each > width // 2 for each, width in zip(before, reach, strict=True)):
        if not is_max and call["ignore_border"]:
            raise Unsuitable("PyTorch counts such padding in means")
        x = _padded(x, before, after, ", value=-float('inf')" if is_max else "")
        before = [0] * dimensions
    given = [x, per_axis(size)]
    given += [f"stride={per_axis(stride)}"] if stride != size else []
    given += [f"padding={per_axis(before)}"] if _matters(before, 0) else []
    given += [f"dilation={per_axis(dilation)}"] if _matters(dilation, 1) else []
    if not is_max and _matters(before, 0) and call["ignore_border"]:
        given.append("count_include_pad=False")
    call.write(f"F.{'max' if is_max else 'avg'}_pool{dimensions}d({', '.join(given)})")


@counterpart("nn.lstm")
def _lstm(call: TorchCall) -> None:
    if call.has(6):
        raise Unsuitable("a number of steps is given")
    x, w, r, b = (call.input(at) for at in range(4))
    hidden = call.shape(2)[1]
    zeros = f"{x}.new_zeros(1, {x}.shape[1], {number(hidden)})"
    states = [zeros if call.is_default(at) else f"{call.input(at)}[None]" for at in (4, 5)]
    (y,), (h,), (c,) = call.names
    flags = "True, 1, 0.0, False, False, False"
    weights = f"[{w}, {r}, {b}, torch.zeros_like({b})]"
    call.scope.add([y, h, c], f"torch.lstm({x}, ({', '.join(states)}), {weights}, {flags})")
    call.scope.lines.append(f"{h}, {c} = {h}[0], {c}[0]")


@counterpart("rand.uniform", "rand.normal", "rand.bernoulli")
def _random(call: TorchCall) -> None:
    if call.output.dtype == "int":
        raise Unsuitable("PyTorch draws reals")
    shape = call.target_shape
    match name_of(call):
        case "uniform":
            call.write(f"torch.empty({shape}).uniform_({float(call['min'])!r}, {float(call['max'])!r})")
        case "normal":
            call.write(f"torch.empty({shape}).normal_({float(call['mean'])!r}, {float(call['std'])!r})")
        case _:
            call.write(f"torch.rand({shape}) < {float(call['prob'])!r}")
