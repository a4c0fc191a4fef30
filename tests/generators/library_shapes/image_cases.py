"""Shapes of the results of ``image``, ``quant``, ``misc``, ``algo`` and ``rand``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from generators.library_shapes.case import Case, Upto, case, ints, real


def images() -> Iterator[Case]:
    for shape, axes, factor in (
        ((2, 4, 6), [1, 2], [2, 3]),
        ((8,), [0], [4]),
        ((2, 4, 6, 3), [-2], [6]),
        ((4, 6), None, [2, 2]),
        ((0, 4), [1], [4]),
    ):
        at = range(len(shape)) if axes is None else axes
        index = [slice(None)] * len(shape)
        for axis, each in zip(at, factor, strict=True):
            index[axis] = slice(None, None, each)
        small, attributes = real(*shape)[tuple(index)], {"factor": factor} | ({} if axes is None else {"axes": axes})
        for name in ("nearest_downsample", "area_downsample"):
            yield case(f"image.{name}", [real(*shape)], small, **attributes)
        for name in ("nearest_upsample", "linear_upsample"):
            yield case(f"image.{name}", [small], real(*shape), **attributes)
        for symmetric, replicate in product((True, False), repeat=2):
            border = {"symmetric": symmetric, "replicate_border": replicate}
            yield case("image.linear_upsample", [small], real(*shape), **attributes, **border)
    transforms = ("SYMMETRIC", "ASYMMETRIC", "ALIGNED")
    for (shape, axes, size), transform in product(
        (((2, 4, 6), [1, 2], [9, 1]), ((5,), None, [3]), ((1, 3, 4, 5), [-1, 0], [2, 7]), ((0, 4), [1], [8])),
        transforms,
    ):
        at = range(len(shape)) if axes is None else axes
        wanted = np.array(shape)
        wanted[list(at)] = size
        attributes = {"size": size, "coordinate_transform": transform} | ({} if axes is None else {"axes": axes})
        for name in ("nearest_resize", "linear_resize", "cubic_resize"):
            yield case(f"image.{name}", [real(*shape)], real(*wanted), **attributes)
        for mode in ("NEAREST", "LINEAR", "CUBIC"):
            yield case("image.resize", [real(*shape)], real(*wanted), mode=mode, **attributes)
        for rounding in ("FLOOR", "CEIL", "ROUND_PREFER_FLOOR", "ROUND_PREFER_CEIL"):
            yield case("image.nearest_resize", [real(*shape)], real(*wanted), rounding_method=rounding, **attributes)
    for shape, axes, factors, wanted_ in (
        ((2, 4, 6), [1, 2], [2.0, 0.5], (2, 8, 3)), ((5,), [0], [0.5], (3,)), ((1, 7), [-1], [1.5], (1, 11)),
        ((4, 4), [0, 1], [0.25, 3.0], (1, 12)), ((3, 3), [0], [0.99], (3, 3)),
    ):  # fmt: skip
        for mode in ("NEAREST", "LINEAR", "CUBIC"):
            yield case("image.rescale", [real(*shape)], real(*wanted_), axes=axes, factor=factors, mode=mode)
    for d, name in product((1, 2, 3), ("max_roi_pool", "avg_roi_pool")):
        space, size = (5, 6, 7)[:d], [3, 2, 4][:d]
        yield case(f"image.{name}", [real(2, 3, *space), real(8, 2 * d), ints(8)], real(8, 3, *size), output_size=size)
    for d, mode, padding in product((1, 2, 3), ("NEAREST", "LINEAR", "CUBIC"), ("ZEROS", "REFLECT", "REPLICATE")):
        space, sampled = (5, 6, 7)[:d], (8, 9, 10)[:d]
        inputs = [real(2, 3, *space), real(2, *sampled, d)]
        yield case("image.grid_sample", inputs, real(2, 3, *sampled), mode=mode, padding=padding, aligned=d == 2)


def others() -> Iterator[Case]:
    for shape, axis in (((2, 3), 1), ((2, 3, 4, 4), 1), ((2, 3), 0), ((3,), 0)):
        n, x = shape[axis], real(*shape)
        for bits, signed, symmetric in ((8, True, False), (4, True, True), (1, False, False)):
            kind = {"bits": bits, "signed": signed, "symmetric": symmetric, "channel_axis": axis}
            name = "quant.zero_point_linear_quantize"
            yield case(name, [x], x, zero_point=[0] * n, scale=[0.5] * n, symbolic=False, **kind)
            yield case(name, [x], x, zero_point=0, scale=0.5, **kind)
            name = "quant.min_max_linear_quantize"
            yield case(name, [x], x, min=[-1.0] * n, max=[1.0] * n, symbolic=False, **kind)
            yield case(name, [x], x, min=-1.0, max=1.0, **kind)
    for sizes in ((2, 3, 4), (5,), (0, 3), (1, 1, 1, 2)):
        vectors = [real(n) for n in sizes]
        yield case("misc.mesh_grid", [vectors], list(np.meshgrid(*vectors, indexing="ij")))
    for shape, axis, k in (((9,), 0, 3), ((2, 9, 3), 1, 9), ((2, 9), -1, 20), ((4, 2), 0, 1)):
        wanted = np.sort(real(*shape), axis).take(range(min(k, shape[axis])), axis)
        for largest, ordered in product((True, False), repeat=2):
            given = {"axis": axis, "k": k, "largest": largest, "sorted": ordered}
            yield case("algo.top_k", [real(*shape)], wanted, wanted.astype(np.int64), **given)
    for b, c, n, most in ((1, 1, 5, None), (2, 3, 4, None), (2, 3, 40, 10), (1, 80, 7, 0)):
        attributes: dict[str, Any] = {} if most is None else {"max_outputs_per_class": most}
        rows = b * c * (n if most is None else most)
        inputs = [real(b, n, 4), real(b, c, n)]
        yield case("algo.nonmax_suppress", inputs, Upto(ints(rows, 3)), box_format="CENTER", **attributes)
