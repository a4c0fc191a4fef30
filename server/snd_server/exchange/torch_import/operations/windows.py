"""Convolutions, pooling and interpolation: ``nn`` and ``image`` in place of ATen calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Any

import numpy as np

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.onnx_import.data import Data, constant_of, require
from snd_server.exchange.torch_import.call import Call, Extent, aten, integer, known


def _each(given: int | Sequence[int] | None, count: int, default: int) -> list[int]:
    """Return an item for each dimension of a window."""
    items = [given] if isinstance(given, int) else list(given or [default])
    require(len(items) in (1, count), f"{len(items)} items for {count} dimensions")
    return [int(each) for each in (items * count if len(items) == 1 else items)]


@aten("conv1d", "conv2d", "conv3d", "convolution", "_convolution")
def convolution(
    call: Call, x: Data, weight: Data, bias: Data | None = None, stride: Sequence[int] = (1,),
    padding: str | Sequence[int] = (0,), dilation: Sequence[int] = (1,), groups: int = 1, transposed: bool = False,
    output_padding: Sequence[int] = (0,), **ignored: Any,
) -> Data:  # fmt: skip
    count = weight.rank - 2
    if x.rank == count + 1:  # without a batch
        whole = call.one("Unsqueeze", x, call.ints([0]))
        found = convolution(call, whole, weight, bias, stride, padding, dilation, groups, transposed, output_padding)
        return call.one("Squeeze", found, call.ints([0]))
    attributes: dict[str, Any] = {
        "strides": _each(stride, count, 1), "dilations": _each(dilation, count, 1), "group": groups,
    }  # fmt: skip
    if padding == "same":
        sizes = [known(each, "the size of a filter") for each in weight.shape[2:]]
        totals = [(size - 1) * step for size, step in zip(sizes, attributes["dilations"], strict=True)]
        begins = [each // 2 for each in totals]
        attributes["pads"] = [*begins, *(total - begin for total, begin in zip(totals, begins, strict=True))]
    else:
        attributes["pads"] = 2 * _each(0 if isinstance(padding, str) else padding, count, 0)
    if transposed:
        attributes["output_padding"] = _each(output_padding, count, 0)
        return call.one("ConvTranspose", x, weight, bias, **attributes)
    return call.one("Conv", x, weight, bias, **attributes)


@aten("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def deconvolution(
    call: Call, x: Data, weight: Data, bias: Data | None = None, stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0,), output_padding: Sequence[int] = (0,), groups: int = 1,
    dilation: Sequence[int] = (1,),
) -> Data:  # fmt: skip
    return convolution(call, x, weight, bias, stride, padding, dilation, groups, True, output_padding)


@aten("max_pool1d", "max_pool2d", "max_pool3d", "max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool(
    call: Call, x: Data, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,), ceil_mode: bool = False,
) -> list[Data | None]:  # fmt: skip
    count = int(call.name.partition("max_pool")[2][0])
    size = _each(kernel_size, count, 1)
    return [_pooled(call, "MaxPool", x, size, stride, padding, ceil_mode, dilations=_each(dilation, count, 1)), None]


def _pooled(
    call: Call, kind: str, x: Data, size: list[int], stride: Sequence[int], padding: Sequence[int], ceil_mode: bool,
    **attributes: Any,
) -> Data:  # fmt: skip
    count = len(size)
    given = {
        "kernel_shape": size, "strides": _each(stride or size, count, 1), "pads": 2 * _each(padding, count, 0),
        "ceil_mode": int(ceil_mode), **attributes,
    }  # fmt: skip
    if x.rank == count + 2:
        return call.one(kind, x, **given)
    found = call.one(kind, call.one("Unsqueeze", x, call.ints([0])), **given)
    return call.one("Squeeze", found, call.ints([0]))


@aten("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(
    call: Call, x: Data, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Data:  # fmt: skip
    require(divisor_override is None, "means with a divisor of their own")
    size = _each(kernel_size, int(call.name[-2]), 1)
    counted = int(count_include_pad and any(_each(padding, len(size), 0)))
    return _pooled(call, "AveragePool", x, size, stride, padding, ceil_mode, count_include_pad=counted)


@aten("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "_adaptive_avg_pool2d",
      "_adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")  # fmt: skip
def adaptive_pool(call: Call, x: Data, output_size: Sequence[Extent]) -> list[Data | None]:
    is_mean = "avg" in call.name
    wanted = [integer(each) for each in output_size]
    axes = list(range(x.rank - len(wanted), x.rank))
    if all(each.value == 1 for each in wanted):
        return [call.run("math.mean_reduce" if is_mean else "math.max_reduce", x, axes=axes), None]
    if all(x.shape[axis] == each for axis, each in zip(axes, wanted, strict=True)):
        return [x, None]
    extents = [known(x.shape[axis], "an extent that is pooled") for axis in axes]
    sizes = [known(each, "a size that is pooled to") for each in wanted]
    if all(extent % size == 0 for extent, size in zip(extents, sizes, strict=True)):
        window = [extent // size for extent, size in zip(extents, sizes, strict=True)]
        return [_pooled(call, "AveragePool" if is_mean else "MaxPool", x, window, window, [0], False), None]
    require(is_mean, "maxima of windows with different sizes")
    for axis, extent, size in zip(axes, extents, sizes, strict=True):
        if extent != size:
            x = _means(call, x, axis, extent, size)
    return [x, None]


def _means(call: Call, x: Data, axis: int, extent: int, size: int) -> Data:
    """Return means of windows with different sizes along an axis: a product with a matrix."""
    matrix = np.zeros((size, extent), np.float32)
    for at in range(size):
        begin, end = at * extent // size, -(-(at + 1) * extent // size)
        matrix[at, begin:end] = 1 / (end - begin)
    factors = constant_of(matrix, "means")
    if axis == x.rank - 1:
        return call.run("linalg.matmul", x, factors, transB=True)
    require(axis == x.rank - 2, "means of windows with different sizes along three dimensions")
    return call.run("linalg.matmul", factors, x)


_MODES = {"nearest": "nearest", "bilinear": "linear", "linear": "linear", "trilinear": "linear", "bicubic": "cubic"}


@aten("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_linear1d", "upsample_bilinear2d",
      "upsample_trilinear3d", "upsample_bicubic2d")  # fmt: skip
def upsample(
    call: Call, x: Data, output_size: Sequence[Extent] | None = None, align_corners: bool = False,
    scale_factors: Sequence[float] | None = None, **scales: Any,
) -> Data:  # fmt: skip
    mode = _MODES[call.name.removeprefix("upsample_")[:-2]]
    count = int(call.name[-2])
    if output_size is None:
        assert scale_factors is not None
        sizes = [_scaled(x.shape[x.rank - count + at], each) for at, each in enumerate(scale_factors)]
    else:
        given = [each for each in scales.values() if each is not None] or list(scale_factors or ())
        sizes = [integer(each) for each in output_size]
        for at, each in enumerate(given):
            extent = x.shape[x.rank - count + at].value
            exact = extent is not None and sizes[at].value == extent * each
            require(exact, "a scale that the sizes do not have")
    transform = "asymmetric" if mode == "nearest" else "align_corners" if align_corners else "half_pixel"
    attributes = {"mode": mode, "coordinate_transformation_mode": transform, "cubic_coeff_a": -0.75}
    if mode == "nearest":
        attributes["nearest_mode"] = "floor"
    return call.one("Resize", x, None, None, call.extents([*x.shape[:-count], *sizes]), **attributes)


def _scaled(extent: Integer, scale: float) -> Integer:
    if float(scale).is_integer():
        return extent * int(scale)
    number = known(extent, "an extent that is scaled by no whole number")
    size = floor(number * scale)
    require(size == number * scale, "a scale by which the size is no whole number")
    return integers.constant(size)


@aten("grid_sampler", "grid_sampler_2d")
def grid_sample(
    call: Call, x: Data, grid: Data, interpolation_mode: int = 0, padding_mode: int = 0, align_corners: bool = False
) -> Data:
    modes, paddings = ("linear", "nearest", "cubic"), ("zeros", "border", "reflection")
    return call.one(
        "GridSample", x, grid, mode=modes[interpolation_mode], padding_mode=paddings[padding_mode],
        align_corners=int(align_corners),
    )  # fmt: skip
