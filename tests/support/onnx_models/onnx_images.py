"""Images and search: ``image`` and ``algo`` in place of nodes of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.onnx_models.onnx_nodes import Node, require, translation

TRANSFORMS = {"half_pixel": "SYMMETRIC", "align_corners": "ALIGNED", "asymmetric": "ASYMMETRIC"}


@translation("Resize", "Upsample")
def resize(node: Node) -> Any:
    x, given = node.input(0), node.attributes
    is_old = node.kind == "Upsample" or node.opset < 11
    transform = given.get("coordinate_transformation_mode", "asymmetric" if is_old else "half_pixel")
    require(transform in TRANSFORMS, f"Resize: coordinates by {transform}")
    require(not given.get("antialias", 0), "Resize: antialias, for which the draft has no formula")
    require(not given.get("exclude_outside", 0), "Resize: elements outside that don't count")
    axes = list(given.get("axes", range(x.ndim)))
    sizes = _sizes(node, [x.shape[axis] for axis in axes])
    mode = {"nearest": "NEAREST", "linear": "LINEAR", "cubic": "CUBIC"}[given.get("mode", "nearest")]
    rounding = given.get("nearest_mode", "floor" if is_old else "round_prefer_floor").upper()
    # Only the axes that change, as far as there are any: others would cost time in every combination of elements.
    changed = [at for at, axis in enumerate(axes) if sizes[at] != x.shape[axis]]
    return node.run(
        "image.resize",
        x,
        axes=[axes[at] for at in changed],
        size=[sizes[at] for at in changed],
        mode=mode,
        coordinate_transform=TRANSFORMS[transform],
        rounding_method=rounding,
        cubic_coeff_a=given.get("cubic_coeff_a", -0.75),
    )


def _sizes(node: Node, extents: list[int]) -> list[int]:
    scales = node.attributes.get("scales")
    if scales is None:
        scales = node.input(1 if node.kind == "Upsample" or node.opset < 11 else 2)
    policy = node.attributes.get("keep_aspect_ratio_policy", "stretch")
    if scales is not None and len(scales):
        sizes = [int(np.floor(extent * scale)) for extent, scale in zip(extents, scales, strict=True)]
        exact = all(
            abs(extent * scale - size) < 1e-4 for extent, scale, size in zip(extents, scales, sizes, strict=True)
        )
        require(exact, "Resize: scales that are no ratio of the extents")
        return sizes
    sizes = node.ints(3) or []
    if policy == "stretch":
        return sizes
    ratios = [size / extent for size, extent in zip(sizes, extents, strict=True)]
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    sizes = [int(np.floor(extent * ratio + 0.5)) for extent in extents]
    exact = all(abs(extent * ratio - size) < 1e-4 for extent, size in zip(extents, sizes, strict=True))
    require(exact, "Resize: scales that are no ratio of the extents")
    return sizes


@translation("GridSample")
def grid_sample(node: Node) -> Any:
    x, grid = node.inputs
    mode = node.attributes.get("mode", "linear").removeprefix("bi").upper()
    padding = node.attributes.get("padding_mode", "zeros")
    aligned = bool(node.attributes.get("align_corners", 0))
    require(padding != "reflection" or aligned, "GridSample: ONNX mirrors at the edges of the image")
    if mode == "NEAREST":
        extents = np.array(x.shape[:1:-1])
        at = (grid + 1) / 2 * (extents - 1) if aligned else ((grid + 1) * extents - 1) / 2
        require((np.abs(at % 1 - 0.5) > 1e-4).all(), "ONNX rounds halves to even numbers, the language away from zero")
    method = {"zeros": "ZEROS", "border": "REPLICATE", "reflection": "REFLECT"}[padding]
    return node.run("image.grid_sample", x, grid, mode=mode, padding=method, aligned=aligned)


# ---- search ----------------------------------------------------------------------------------------------------------
@translation("TopK")
def top_k(node: Node) -> Any:
    x = node.input(0)
    (k,) = node.ints(1) or [node.attributes.get("k")]
    values, indices = node.run(
        "algo.top_k",
        node.as_real(x),
        k=k,
        axis=node.attributes.get("axis", -1),
        largest=bool(node.attributes.get("largest", 1)),
        sorted=bool(node.attributes.get("sorted", 1)),
    )
    return values if x.dtype.kind == "f" else node.run("layout.cast", values, dtypes=["int"]), indices


@translation("NonMaxSuppression")
def nonmax_suppress(node: Node) -> Any:
    boxes, scores, most, iou, score = (node.input(number) for number in range(5))
    return node.run(
        "algo.nonmax_suppress",
        boxes,
        scores,
        box_format="CENTER" if node.attributes.get("center_point_box", 0) else "CORNERS",
        max_outputs_per_class=0 if most is None else int(most.reshape(())),
        iou_threshold=0.0 if iou is None else float(iou.reshape(())),
        score_threshold=None if score is None else float(score.reshape(())),
    )
