"""Convolutions and pooling: ``nn`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.node import OnnxNode, translation, unless


def _list(node: OnnxNode, name: str, count: int, default: int) -> list[int]:
    found = node.attribute(name, [default] * count)
    require(isinstance(found, list) and len(found) == count, f"'{name}' must have {count} items")
    return [int(each) for each in found]


def _window(node: OnnxNode, extents: tuple[int | None, ...], size: list[int]) -> dict[str, Any]:
    """Return stride, dilation and padding of a window that slides over extents."""
    d = len(extents)
    stride, dilation = _list(node, "strides", d, 1), _list(node, "dilations", d, 1)
    ceil_mode = bool(node.number("ceil_mode", 0))
    given: dict[str, Any] = {"stride": stride, "dilation": dilation}
    padding = _list(node, "pads", 2 * d, 0)
    automatic = node.text("auto_pad", "NOTSET")
    if automatic.startswith("SAME"):
        reach = [(extent - 1) * step + 1 for extent, step in zip(size, dilation, strict=True)]
        if all(each == 1 for each in stride):
            total = [each - 1 for each in reach]
            begins = [each // 2 if automatic == "SAME_UPPER" else each - each // 2 for each in total]
            return {**given, "padding": begins + [each - one for each, one in zip(total, begins, strict=True)]}
        fits = [s is not None and (-(-s // t) - 1) * t + r >= s for s, t, r in zip(extents, stride, reach, strict=True)]
        require(all(fits), "ONNX never cuts off input, where the padding of the draft would be negative")
        # As many windows as strides begin, complete or not: without padding, ours are the complete ones.
        return {**given, **unless(automatic == "SAME_UPPER", padding_align="LOWER"), "ceil_mode": True}
    if automatic == "VALID":
        padding = [0] * 2 * d
    return {**given, "padding": padding, "ceil_mode": ceil_mode}


def _complete(
    node: OnnxNode, extents: tuple[int | None, ...], size: list[int], window: dict[str, Any]
) -> dict[str, Any]:
    """Return a window that takes part of all that it begins at.

    Where the last window would begin behind the input, ONNX leaves it out; where all windows are complete anyway,
    rounding up makes no difference.
    """
    if not window.get("ceil_mode") or "padding" not in window:
        return window
    padding, d = window["padding"], len(extents)
    incomplete = False
    for at, extent in enumerate(extents):
        begin, end, stride = padding[at], padding[d + at], window["stride"][at]
        reach = (size[at] - 1) * window["dilation"][at] + 1
        if extent is None:
            # The last window begins at most `stride - 1` after the last complete one.
            require(end + stride <= reach, "ONNX leaves out windows that begin behind the input of some extent")
            incomplete = True
            continue
        rest = extent + begin + end - reach
        last = -(-rest // stride) * stride
        require(last < extent + begin or rest % stride == 0, "ONNX leaves out windows that begin behind the input")
        incomplete |= rest % stride != 0
    return {**window, "ceil_mode": incomplete}


def _plain(window: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in window.items() if not (key == "ceil_mode" and value is False)}


@translation("Conv")
def conv(node: OnnxNode) -> Data:
    return convolution(node, node.input(0), node.input(1), node.maybe(2))


def convolution(node: OnnxNode, x: Data, weights: Data, bias: Data | None) -> Data:
    """Return the convolution that the attributes of a node describe."""
    sizes = weights.extents[2:]
    require(all(each is not None for each in sizes), "the size of the filter is not known")
    window = _plain(_window(node, x.extents[2:], [each or 0 for each in sizes]))
    return node.run("nn.conv", x, weights, bias, groups=node.number("group", 1), **window)


@translation("ConvTranspose")
def deconv(node: OnnxNode) -> Data:
    x, weights, bias = node.input(0), node.input(1), node.maybe(2)
    d = x.rank - 2
    wanted = node.attribute("output_shape")
    require(None not in weights.extents[2:], "the size of the filter is not known")
    require(wanted is None or None not in x.extents[2:], "extents that are not known")
    size: list[Any] = [each or 0 for each in weights.extents[2:]]
    extents = [extent if extent.value is None else extent.value for extent in x.shape[2:]]
    stride, dilation = _list(node, "strides", d, 1), _list(node, "dilations", d, 1)
    extra = _list(node, "output_padding", d, 0)
    reach = [(extent - 1) * step + 1 for extent, step in zip(size, dilation, strict=True)]
    whole = [(s - 1) * t + r for s, t, r in zip(extents, stride, reach, strict=True)]
    automatic = node.text("auto_pad", "NOTSET")
    attributes: dict[str, Any] = {"stride": stride, "dilation": dilation, "groups": node.number("group", 1)}
    if automatic.startswith("SAME") and wanted is None:
        align = unless(automatic == "SAME_UPPER", padding_align="LOWER")
        return node.run("nn.deconv", x, weights, bias, **align, **attributes)
    if wanted is not None:
        wanted = wanted[-d:]
        total = [have + more - want for have, more, want in zip(whole, extra, wanted, strict=True)]
        begins = [each // 2 if automatic == "SAME_UPPER" else each - each // 2 for each in total]
        padding = begins + [have - begin for have, begin in zip(total, begins, strict=True)]
        size = list(wanted)
    else:
        padding = [0] * 2 * d if automatic == "VALID" else _list(node, "pads", 2 * d, 0)
        size = [whole[at] + (extra[at] - padding[at] - padding[d + at]) for at in range(d)]
    for at in range(d):
        # Without `wanted`, the size is that of the input times the stride, and `extra`.
        added = size[at] + padding[at] + padding[d + at] - whole[at] if wanted is not None else extra[at]
        fits = 0 <= added < stride[at]
        require(fits, "ONNX can make outputs from which no convolution leads back to the input")
    if any(extra) or wanted is not None:
        attributes["output_size"] = size
    return node.run("nn.deconv", x, weights, bias, padding=padding, **attributes)


@translation("MaxPool")
def max_pool(node: OnnxNode) -> list[Data | None]:
    x, size = node.input(0), [int(each) for each in node.attribute("kernel_shape", [])]
    require(not node.wants(1), "the positions of the greatest elements")
    window = _plain(_complete(node, x.extents[2:], size, _window(node, x.extents[2:], size)))
    return [node.back(node.run("nn.max_pool", node.as_real(x), size=size, **window), x)]


@translation("AveragePool")
def avg_pool(node: OnnxNode) -> Data:
    x, size = node.input(0), [int(each) for each in node.attribute("kernel_shape", [])]
    window = _complete(node, x.extents[2:], size, _window(node, x.extents[2:], size))
    counts_padding = bool(node.number("count_include_pad", 0)) and any(window.get("padding", [1]))
    if counts_padding and window.get("ceil_mode") and window.get("padding"):
        # ONNX counts padding in means, but not positions behind it: padding becomes part of the input.
        padding, d = window["padding"], x.rank - 2
        outside = [0, 0, *padding[:d], 0, 0, *padding[d:]]
        x = node.run("layout.pad", x, padding=outside)
        counts_padding, window = False, {**window, "padding": [0] * 2 * d}
    require(not counts_padding or not window.get("ceil_mode"), "windows that lie behind padding")
    border = unless(not counts_padding, ignore_border=False)
    return node.run("nn.avg_pool", x, size=size, **border, **_plain(window))


@translation("LpPool")
def lp_pool(node: OnnxNode) -> Data:
    x, size = node.input(0), [int(each) for each in node.attribute("kernel_shape", [])]
    window = _plain(_complete(node, x.extents[2:], size, _window(node, x.extents[2:], size)))
    return node.run("nn.lp_pool", x, size=size, p=float(node.real("p", 2)), **window)


@translation("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(node: OnnxNode) -> Data:
    x = node.input(0)
    axes = list(range(2, x.rank))
    match node.kind:
        case "GlobalAveragePool":
            return node.run("math.mean_reduce", x, axes=axes)
        case "GlobalMaxPool":
            return node.run("math.max_reduce", x, axes=axes)
    return node.run("math.lp_reduce", x, axes=axes, p=float(node.real("p", 2)))
