"""``image``: resizing and sampling; ``misc``: grids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import is_static, static_shape
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.registry import counterpart

Array = np.ndarray[Any, Any]

_TRANSFORMERS = {"SYMMETRIC": "half_pixel", "ASYMMETRIC": "asymmetric", "ALIGNED": "align_corners"}
_PADDINGS = {"ZEROS": "zeros", "REPLICATE": "border", "REFLECT": "reflection"}
_COEFFICIENT = -0.75
"""The coefficient of cubic interpolation that tract has."""


@counterpart("image.nearest_upsample", "image.nearest_downsample")
def _nearest_by_factors(call: OperationCall) -> None:
    assert call.operation.operator is not None
    is_larger = call.operation.operator.name == "nearest_upsample"
    factors = dict(zip(call.axes(), call["factor"], strict=True))
    if call.rank() > 2 and min(factors, default=2) > 1 and is_larger:
        whole = [factors.get(axis, 1) for axis in range(2, call.rank())]
        if call.is_tract:
            call.scope.root.register("tract_core")
        call.write("nearest_upsample", [call.input()], factor=whole)
        return
    if call.is_tract and not is_larger:
        name = call.input()
        for axis, factor in factors.items():
            name = call.scope.node("tract_core_downsample", [name], axis=axis, stride=factor, modulo=0)
        call.write("copy", [name])
        return
    shape = static_shape(call.output)
    indices = {
        axis: np.arange(shape[axis]) // factor if is_larger else np.arange(shape[axis]) * factor
        for axis, factor in factors.items()
    }
    _take(call, indices)


@counterpart("image.nearest_resize")
def _nearest(call: OperationCall) -> None:
    if len(_resized(call)) < len(call.axes()):
        _resize(call, "nearest", nearest_mode=call["rounding_method"].lower())
        return
    found = {}
    for axis, (source, target) in _resized(call).items():
        x = _positions(call, source, target)
        match call["rounding_method"]:
            case "FLOOR":
                nearest = np.floor(x)
            case "CEIL":
                nearest = np.ceil(x)
            case "ROUND_PREFER_FLOOR":
                nearest = np.ceil(x - np.float32(0.5))
            case _:
                nearest = np.floor(x + np.float32(0.5))
        found[axis] = np.clip(nearest.astype(np.int64), 0, source - 1)
    _take(call, found)


def _resized(call: OperationCall) -> dict[int, tuple[int, int]]:
    """Return the extents before and after by axis, of the resized axes for which both are numbers."""
    found = {}
    for axis in call.axes():
        extent = (call.output.shape or ())[axis]
        before, after = call.known()[axis], extent.value if isinstance(extent, Integer) else None
        if before is not None and after is not None:
            found[axis] = before, after
    return found


def _positions(call: OperationCall, source: int, target: int) -> Array:
    """Return the coordinates in the source, as the formulas of the library compute them."""
    transform = call["coordinate_transform"]
    is_aligned = transform == "ALIGNED"
    span = np.float32((0 if target <= 1 else source - 1) if is_aligned else source)
    steps = np.float32(max(target - 1, 1) if is_aligned else target)
    center = np.float32(0.5 if transform == "SYMMETRIC" else 0.0)
    found: Array = (np.arange(target, dtype=np.float32) + center) * span / steps - center
    return found


def _take(call: OperationCall, indices: dict[int, Array]) -> None:
    """Write the elements of the input at indices along axes."""
    name, kind = call.input(), "tract_core_gather" if call.is_tract else "gather"
    pending = list(indices.items())
    for at, (axis, each) in enumerate(pending, 1):
        target = call.target if at == len(pending) else None
        name = call.scope.node(kind, [name, call.scope.constant(each, np.int64, "indices")], target, axis=axis)
    if not pending:
        call.write("copy", [name])


@counterpart("image.linear_resize", "image.cubic_resize")
def _interpolated(call: OperationCall) -> None:
    assert call.operation.operator is not None
    mode = call.operation.operator.name.removesuffix("_resize")
    if call.is_tract and (mode == "linear" or call["coeff_a"] == _COEFFICIENT):
        _resize(call, mode)
        return
    source, target = call.shape(), static_shape(call.output)
    matrices = {}
    for axis in call.axes():
        x = _positions(call, source[axis], target[axis]).astype(np.float64)
        taps = range(2) if mode == "linear" else range(-1, 3)
        matrix = np.zeros((source[axis], target[axis]))
        for tap in taps:
            place = np.floor(x).astype(np.int64) + tap
            distance = np.abs(place - x)
            weights = 1.0 - distance if mode == "linear" else _cubic(distance, call["coeff_a"])
            np.add.at(matrix, (np.clip(place, 0, source[axis] - 1), np.arange(target[axis])), weights)
        matrices[axis] = matrix.astype(np.float32)
    _multiply(call, matrices)


def _cubic(t: Array, a: float) -> Array:
    near = ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0
    far = a * (((t - 5.0) * t + 8.0) * t - 4.0)
    return np.where(t <= 1.0, near, far)


def _resize(call: OperationCall, mode: str, **given: Any) -> None:
    call.demand_tract("resizing")
    resized = _resized(call)
    if is_static(call.output):
        given["sizes"] = list(static_shape(call.output))
    elif len(resized) < len(call.axes()):
        raise Unsuitable("tract resizes to extents that are numbers")
    else:  # tract has no symbols among sizes
        factors = {axis: after / before for axis, (before, after) in resized.items()}
        given["scales"] = [factors.get(axis, 1.0) for axis in range(call.rank())]
    given |= {"coord_transformer": _TRANSFORMERS[call["coordinate_transform"]], "interpolator": mode}
    call.write("tract_core_resize", [call.input()], **given)


def _multiply(call: OperationCall, matrices: dict[int, Array]) -> None:
    """Write products of the input with a matrix along each axis."""
    node, name, shape = call.scope.node, call.input(), list(call.shape())
    rank = len(shape)
    for axis, matrix in matrices.items():
        order = [*(at for at in range(rank) if at != axis), axis]
        moved = [shape[at] for at in order]
        flat = node("reshape", [node("transpose", [name], axes=order)], shape=[int(np.prod(moved[:-1])), moved[-1]])
        factors = call.scope.constant(matrix, np.float32, "factors")
        product = node("matmul", [flat, factors], transposeA=False, transposeB=False)
        shape[axis] = matrix.shape[1]
        whole = node("reshape", [product], shape=[*moved[:-1], shape[axis]])
        name = node("transpose", [whole], axes=[int(at) for at in np.argsort(order)])
    call.write("copy", [name])


@counterpart("image.linear_upsample")
def _linear_upsample(call: OperationCall) -> None:
    factors = [1] * call.rank()
    for axis, factor in zip(call.axes(), call["factor"], strict=True):
        factors[axis] = factor
    if call.rank() < 3 or factors[:2] != [1, 1]:
        raise Unsuitable("NNEF 1.0 interpolates along all axes but the first two")
    border = "replicate" if call["replicate_border"] else "constant"
    if call.is_tract:
        if border != "replicate" or 1 in factors[2:]:
            raise Unsuitable("tract repeats the border, along all axes but the first two")
        call.scope.root.register("tract_core")
    method = "symmetric" if call["symmetric"] else "asymmetric"
    call.write("multilinear_upsample", [call.input()], factor=factors[2:], method=method, border=border)


@counterpart("image._nearest_grid_sample", "image._linear_grid_sample", "image._cubic_grid_sample")
def _grid_sample(call: OperationCall) -> None:
    call.demand_tract("sampling of a grid")
    assert call.operation.operator is not None
    name = call.operation.operator.name.removeprefix("_").removesuffix("_grid_sample")
    mode = {"linear": "bilinear", "cubic": "bicubic"}.get(name, name)
    if mode == "bicubic" and call.rank() != 4:
        raise Unsuitable("tract interpolates so along two axes only")
    if call["padding"] == "REFLECT" and not call["aligned"]:
        raise Unsuitable("tract mirrors at the edges of the outermost elements")
    given = {"mode": mode, "padding_mode": _PADDINGS[call["padding"]], "align_corners": call["aligned"]}
    call.write("tract_core_grid_sample", [call.input(0), call.input(1)], **given)


@counterpart("misc.mesh_grid")
def _mesh_grid(call: OperationCall) -> None:
    items, targets = call.items(), call.names[0]
    shape = [static_shape(tensor)[0] for tensor in call.tensors()]
    for at, (name, target) in enumerate(zip(items, targets, strict=True)):
        ones = [axis for axis in range(len(items)) if axis != at]
        whole = call.scope.node("unsqueeze", [name], axes=ones) if ones else name
        _repeat(call, whole, target, [1 if axis == at else extent for axis, extent in enumerate(shape)])


def _repeat(call: OperationCall, name: str, target: str, repeats: Sequence[int]) -> None:
    call.scope.node("tile", [name], target, repeats=list(repeats))
