"""Images and search: ``image`` and ``algo`` in place of nodes of ONNX."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer, floor_divide
from snd_server.exchange.onnx_import.data import Data, require
from snd_server.exchange.onnx_import.limits import MOST_MATRIX_ELEMENTS
from snd_server.exchange.onnx_import.node import OnnxNode, translation, unless
from snd_server.exchange.onnx_import.source import Array

TRANSFORMS = {"half_pixel": "SYMMETRIC", "align_corners": "ALIGNED", "asymmetric": "ASYMMETRIC"}


@translation("Resize", "Upsample")
def resize(node: OnnxNode) -> Data:
    x = node.input(0)
    is_old = node.kind == "Upsample" or node.opset < 11
    transform = node.text("coordinate_transformation_mode", "asymmetric" if is_old else "half_pixel")
    axes = [int(each) % x.rank for each in node.attribute("axes", list(range(x.rank)))]
    plain = transform in TRANSFORMS and not node.number("antialias", 0) and not node.number("exclude_outside", 0)
    known = [x.shape[axis] for axis in axes]
    sizes = _sizes(node, known) if plain else None
    if sizes is None:
        return _by_matrices(node, x, axes)
    mode = node.text("mode", "nearest").upper()
    rounding = node.text("nearest_mode", "floor" if is_old else "round_prefer_floor").upper()
    # Only the axes that change: others would cost time in every combination of elements.
    changed = [at for at, size in enumerate(sizes) if size != known[at]]
    if not changed:
        return x
    given: dict[str, Any] = unless(mode == "NEAREST", mode=mode)
    given |= unless(transform == "half_pixel", coordinate_transform=TRANSFORMS[transform])
    given |= unless(mode != "NEAREST" or rounding == "ROUND_PREFER_FLOOR", rounding_method=rounding)
    coefficient = node.real("cubic_coeff_a", -0.75)
    given |= unless(mode != "CUBIC" or coefficient == -0.75, cubic_coeff_a=coefficient)
    if mode != "NEAREST" and not all(_is_less(known[at], sizes[at]) for at in changed):
        given["antialias"] = False
    result = node.run(
        "image.resize", node.as_real(x), axes=[axes[at] for at in changed], size=[sizes[at] for at in changed], **given
    )
    return node.back(result, x)


def _scales(node: OnnxNode) -> Array | None:
    given = node.attribute("scales")
    if given is None:
        data = node.maybe(1 if node.kind == "Upsample" or node.opset < 11 else 2)
        if data is None or data.extents == (0,):
            return None
        require(data.array is not None, "the scales must be known, but depend on data")
        given = data.array
    return np.asarray(given, np.float64)


def _sizes(node: OnnxNode, known: list[Integer]) -> list[Integer] | None:
    """Return the extents after resizing; None if they have another ratio than the one of interpolation."""
    scales = _scales(node)
    if scales is not None:
        return _scaled(known, [float(each) for each in scales])
    wanted = node.integers(3) or []
    policy = node.text("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return wanted
    extents, sizes = _numbers(known), _numbers(wanted)
    ratios = [size / extent for size, extent in zip(sizes, extents, strict=True)]
    return _scaled(known, [min(ratios) if policy == "not_larger" else max(ratios)] * len(known), 0.5)


def _scaled(known: list[Integer], scales: list[float], rounding: float = 0.0) -> list[Integer] | None:
    """Return extents times scales; None if a product is no int. An extent that is not a number has an int for scale."""
    sizes = []
    for extent, scale in zip(known, scales, strict=True):
        if scale.is_integer():
            sizes.append(extent * int(scale))
            continue
        (number,) = _numbers([extent])
        sizes.append(integers.constant(int(np.floor(number * scale + rounding))))
        if abs(number * scale - (sizes[-1].value or 0)) >= 1e-4:
            return None
    return sizes


def _numbers(extents: list[Integer]) -> list[int]:
    values = [each.value for each in extents]
    require(None not in values, "extents that are not known are resized by no whole number")
    return [each for each in values if each is not None]


def _is_less(one: Integer, other: Integer) -> bool:
    low, _ = integers.bounds(other - one)
    return low is not None and low >= 0


def _by_matrices(node: OnnxNode, x: Data, axes: list[int]) -> Data:
    """Interpolate along each axis by a matrix, the result of resizing each element of the axis alone."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    require(None not in x.extents, "extents that are not known are resized")
    extents = [each or 0 for each in x.extents]
    attributes = {key: each for key, each in node.source.attributes.items() if key != "axes"}
    require(attributes.get("extrapolation_value", 0.0) == 0.0, "elements outside have another value than 0")
    scales, sizes = _scales(node), node.ints(3) if node.opset >= 11 else None
    policy = attributes.pop("keep_aspect_ratio_policy", "stretch")
    if sizes is not None and policy != "stretch":
        ratios = [size / extents[axis] for size, axis in zip(sizes, axes, strict=True)]
        ratio = min(ratios) if policy == "not_larger" else max(ratios)
        sizes = [int(np.floor(extents[axis] * ratio + 0.5)) for axis in axes]
    region = node.maybe(1)
    roi = None if region is None or region.array is None else region.array.reshape(2, -1)
    result = node.as_real(x)
    for at, axis in enumerate(axes):
        extent = extents[axis]
        inputs: dict[str, Any] = {"x": np.eye(extent, dtype=np.float32)}
        if roi is not None and roi.size:
            inputs["roi"] = np.array([0.0, roi[0, at], 1.0, roi[1, at]], np.float32)
        if scales is not None:
            inputs["scales"] = np.array([1.0, scales[at]], np.float32)
        else:
            assert sizes is not None
            inputs["sizes"] = np.array([extent, sizes[at]], np.int64)
        names = ["x", *(name if name in inputs else "" for name in ("roi", "scales", "sizes"))]
        proto = onnx.helper.make_node("Resize", names, ["y"], **attributes)
        graph = onnx.helper.make_graph(
            [proto], "resize", [onnx.ValueInfoProto(name=name) for name in inputs], [onnx.ValueInfoProto(name="y")]
        )
        version = max(node.opset, 11)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", version)])
        try:
            (found,) = ReferenceEvaluator(model).run(None, inputs)
            matrix = np.asarray(found)
        except Exception as error:
            require(False, f"how elements are interpolated is not known: {error}")
        require(matrix.size <= MOST_MATRIX_ELEMENTS, "the image is too large for this kind of interpolation")
        if matrix.shape == (extent, extent) and np.array_equal(matrix, inputs["x"]):
            continue
        result = _along(node, result, matrix, axis)
    return node.back(result, x)


def _along(node: OnnxNode, x: Data, matrix: Array, axis: int) -> Data:
    """Multiply each row along an axis by a matrix."""
    factors = node.constant(matrix, np.dtype(np.float32), "interpolation")
    if axis == x.rank - 1:
        return node.run("linalg.matmul", x, factors)
    if axis == x.rank - 2:
        return node.run("linalg.matmul", factors, x, transA=True)
    order = [each for each in range(x.rank) if each != axis] + [axis]
    moved = node.run("linalg.matmul", node.run("layout.transpose", x, perm=order), factors)
    return node.run("layout.transpose", moved, perm=[order.index(each) for each in range(x.rank)])


@translation("GridSample")
def grid_sample(node: OnnxNode) -> Data:
    x, grid = node.input(0), node.input(1)
    mode = node.text("mode", "linear").removeprefix("bi").upper()
    padding = node.text("padding_mode", "zeros")
    aligned = bool(node.number("align_corners", 0))
    require(padding != "reflection" or aligned, "ONNX mirrors at the edges of the image")
    method = {"zeros": "ZEROS", "border": "REPLICATE", "reflection": "REFLECT"}[padding]
    given = {**unless(mode == "LINEAR", mode=mode), **unless(method == "ZEROS", padding=method)}
    if mode == "NEAREST":
        grid = _at_elements(node, x, grid, aligned)
    return node.run("image.grid_sample", x, grid, **given, **unless(not aligned, aligned=True))


def _at_elements(node: OnnxNode, x: Data, grid: Data, aligned: bool) -> Data:
    """Move places to the elements next to them: where two are, ONNX takes the even one."""
    require(None not in x.extents, "extents that are not known")
    extents = np.array([each or 0 for each in x.extents[:1:-1]], np.float32)
    half = np.maximum(extents - 1, 1) / 2 if aligned else extents / 2
    first = half if aligned else half - 0.5
    scale, offset = node.constant(half, half.dtype, "half_extents"), node.constant(first, half.dtype, "first_places")
    places = node.run("math.add", node.run("math.mul", grid, scale), offset)
    elements = node.run("onnx.round", places)
    return node.run("math.div", node.run("math.sub", elements, offset), scale)


@translation("RoiAlign")
def roi_align(node: OnnxNode) -> Data:
    x, rois, batch_indices = (node.input(at) for at in range(3))
    size, scale = [node.number(f"output_{each}", 1) for each in ("height", "width")], node.real("spatial_scale", 1.0)
    mode = node.text("coordinate_transformation_mode", "half_pixel" if node.opset >= 16 else "output_half_pixel")
    samples, reduction = node.number("sampling_ratio", 0), node.text("mode", "avg")
    given = {
        **unless(not samples, sampling_rate=[samples] * 2), **unless(reduction == "avg", mode=reduction),
        **unless(scale == 1, scale=scale), **unless(mode == "half_pixel", half_pixel=False),
    }  # fmt: skip
    return node.run("onnx.roi_align", x, rois, batch_indices, output_size=size, **given)


@translation("Col2Im")
def col2im(node: OnnxNode) -> Data:
    x, size, block = node.input(0), node.integers(1) or [], node.ints(2) or []
    d = len(size)
    steps, dilations = (node.attribute(each, [1] * d) for each in ("strides", "dilations"))
    pads = node.attribute("pads", [0] * 2 * d)
    require(d == len(block) == len(steps) == len(dilations) == len(pads) / 2, "lists of different lengths")
    require(min(*steps, *dilations, *block) > 0, "steps and blocks that are not positive")
    counts = [
        floor_divide(size[at] + pads[at] + pads[d + at] - (block[at] - 1) * dilations[at] - 1, steps[at]) + 1
        for at in range(d)
    ]
    channels = floor_divide(x.shape[1], prod(block))
    blocks = node.run("layout.reshape", x, shape=[x.shape[0], channels, *block, *counts])
    given = {
        **unless(d == 2, d=d), **unless(set(steps) == {1}, stride=steps),
        **unless(set(dilations) == {1}, dilation=dilations), **unless(set(pads) == {0}, padding=pads),
    }  # fmt: skip
    return node.run("onnx.col2im", blocks, output_size=size, **given)


# ---- search ----------------------------------------------------------------------------------------------------------
@translation("TopK")
def top_k(node: OnnxNode) -> list[Data]:
    x = node.input(0)
    (k,) = node.integers(1, "k") or []
    axis = node.number("axis", -1)
    _, most = integers.bounds(k)
    if not node.is_named(k) and most is not None and k == integers.minimum(integers.constant(most), x.shape[axis]):
        k = integers.constant(most)  # algo.top_k gives no more than there are
    flags: dict[str, Any] = {name: False for name in ("largest", "sorted") if not node.number(name, 1)}
    values, indices = node.run_all("algo.top_k", node.as_real(x), k=k, axis=axis, **flags)
    return [node.back(values, x), indices]


@translation("NonMaxSuppression")
def nonmax_suppress(node: OnnxNode) -> Data:
    boxes, scores = node.input(0), node.input(1)
    most, iou, score = (node.known_scalar(number) for number in range(2, 5))
    return node.run(
        "algo.nonmax_suppress",
        boxes,
        scores,
        **unless(not node.number("center_point_box", 0), box_format="CENTER"),
        max_outputs_per_class=0 if most is None else min(int(most), 1 << 31),
        iou_threshold=0.0 if iou is None else float(iou),
        **unless(score is None, score_threshold=float(score or 0.0)),
        like=np.dtype(np.int64),
    )
