"""Convolutions and pooling: ``nn`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

from support.onnx_models.onnx_nodes import Node, require, translation


def _window(node: Node, extents: tuple[int, ...], size: list[int]) -> dict[str, Any]:
    """Stride, dilation and padding of a window that slides over extents."""
    d = len(extents)
    stride = list(node.attributes.get("strides", [1] * d))
    dilation = list(node.attributes.get("dilations", [1] * d))
    ceil_mode = bool(node.attributes.get("ceil_mode", 0))
    given = {"stride": stride, "dilation": dilation}
    padding = list(node.attributes.get("pads", [0] * 2 * d))
    automatic = node.attributes.get("auto_pad", "NOTSET")
    if automatic.startswith("SAME"):
        reach = [(extent - 1) * step + 1 for extent, step in zip(size, dilation, strict=True)]
        fits = [(-(-s // t) - 1) * t + r >= s for s, t, r in zip(extents, stride, reach, strict=True)]
        require(all(fits), "ONNX never cuts off input, where the draft's padding would be negative")
        # As many windows as strides begin, complete or not: without padding, ours are the complete ones.
        return {**given, "padding_align": automatic.removeprefix("SAME_"), "ceil_mode": True}
    if automatic == "VALID":
        padding = [0] * 2 * d
    return {**given, "padding": padding, "ceil_mode": ceil_mode}


def _require_windows_within(extents: tuple[int, ...], size: list[int], window: dict[str, Any]) -> None:
    if not window["ceil_mode"] or "padding" not in window:
        return
    padding, d = window["padding"], len(extents)
    for at, extent in enumerate(extents):
        begin, end, stride = padding[at], padding[d + at], window["stride"][at]
        reach = (size[at] - 1) * window["dilation"][at] + 1
        last = -(-(extent + begin + end - reach) // stride) * stride
        require(last < extent + begin, "ONNX leaves out windows that begin behind the input, the draft does not")


@translation("Conv")
def conv(node: Node) -> Any:
    x, weights, bias = (node.input(number) for number in range(3))
    window = _window(node, x.shape[2:], list(weights.shape[2:]))
    return node.run("nn.conv", x, weights, bias, groups=node.attributes.get("group", 1), **window)


@translation("ConvTranspose")
def deconv(node: Node) -> Any:
    x, weights, bias = (node.input(number) for number in range(3))
    d = x.ndim - 2
    size = list(weights.shape[2:])
    stride = list(node.attributes.get("strides", [1] * d))
    dilation = list(node.attributes.get("dilations", [1] * d))
    extra = list(node.attributes.get("output_padding", [0] * d))
    reach = [(extent - 1) * step + 1 for extent, step in zip(size, dilation, strict=True)]
    whole = [(s - 1) * t + r for s, t, r in zip(x.shape[2:], stride, reach, strict=True)]
    wanted = node.attributes.get("output_shape")
    automatic = node.attributes.get("auto_pad", "NOTSET")
    attributes: dict[str, Any] = {"stride": stride, "dilation": dilation, "groups": node.attributes.get("group", 1)}
    if automatic.startswith("SAME") and wanted is None:
        align = {"SAME_UPPER": "UPPER", "SAME_LOWER": "LOWER"}[automatic]
        return node.run("nn.deconv", x, weights, bias, padding_align=align, **attributes)
    if wanted is not None:
        total = [have + more - want for have, more, want in zip(whole, extra, wanted, strict=True)]
        begins = [each // 2 if automatic == "SAME_UPPER" else each - each // 2 for each in total]
        padding = begins + [have - begin for have, begin in zip(total, begins, strict=True)]
        size = list(wanted)
    else:
        padding = [0] * 2 * d if automatic == "VALID" else list(node.attributes.get("pads", [0] * 2 * d))
        size = [whole[at] + extra[at] - padding[at] - padding[d + at] for at in range(d)]
    for at in range(d):
        fits = (size[at] + padding[at] + padding[d + at] - reach[at]) // stride[at] + 1 == x.shape[2 + at]
        require(fits, "ONNX can make outputs from which no convolution leads back to the input")
    return node.run("nn.deconv", x, weights, bias, padding=padding, output_size=size, **attributes)


@translation("MaxPool")
def max_pool(node: Node) -> Any:
    x, size = node.input(0), list(node.attributes["kernel_shape"])
    window = _window(node, x.shape[2:], size)
    _require_windows_within(x.shape[2:], size, window)
    result = node.run("nn.max_pool", node.as_real(x), size=size, **window)
    return result if x.dtype.kind == "f" else node.run("layout.cast", result, dtypes=["int"]), None


@translation("AveragePool")
def avg_pool(node: Node) -> Any:
    x, size = node.input(0), list(node.attributes["kernel_shape"])
    window = _window(node, x.shape[2:], size)
    _require_windows_within(x.shape[2:], size, window)
    ignored = not node.attributes.get("count_include_pad", 0)
    if not ignored and window["ceil_mode"]:
        complete = all(
            (s + b + e - (k - 1) * t - 1) % step == 0
            for s, b, e, k, t, step in zip(
                x.shape[2:],
                window["padding"][: len(size)],
                window["padding"][len(size) :],
                size,
                window["dilation"],
                window["stride"],
                strict=True,
            )
        )
        require(complete, "ONNX counts padding in means, but not what lies behind it, where the draft counts all")
    return node.run("nn.avg_pool", x, size=size, ignore_border=ignored, **window)


@translation("LpPool")
def lp_pool(node: Node) -> Any:
    x, size = node.input(0), list(node.attributes["kernel_shape"])
    window = _window(node, x.shape[2:], size)
    _require_windows_within(x.shape[2:], size, window)
    return node.run("nn.lp_pool", x, size=size, p=float(node.attributes.get("p", 2)), **window)


@translation("GlobalAveragePool", "GlobalMaxPool")
def global_pool(node: Node) -> Any:
    x = node.input(0)
    name = "math.mean_reduce" if node.kind == "GlobalAveragePool" else "math.max_reduce"
    return node.run(name, x, axes=list(range(2, x.ndim)))
