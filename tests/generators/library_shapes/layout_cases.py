"""Shapes of the results of ``layout``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from generators.library_shapes.case import SHAPES, Case, Upto, bools, case, ints, real


def generators() -> Iterator[Case]:
    yield case("layout.tensor", [], real(2, 3), shape=[2, 3], value=[0.0] * 6)
    yield case("layout.tensor", [], real(2, 3), shape=[2, 3], value=1.5)
    yield case("layout.tensor", [], ints(), value=[4])
    yield case("layout.tensor", [], bools(4), shape=[4], value=[True, False, True, False])
    for shape in ((), (2,), (2, 0), (2, 3, 4)):
        yield case("layout.uniform", [np.array(3)], np.full(shape, 3), shape=list(shape))
        yield case("layout.uniform", [0.5], np.full(shape, 0.5), shape=list(shape))
        yield case("rand.uniform", [], real(*shape), shape=list(shape))
        yield replace(case("rand.uniform", [], ints(*shape), shape=list(shape), max=6), generic="int")
        yield case("rand.normal", [], real(*shape), shape=list(shape), std=2.0)
        yield case("rand.bernoulli", [], bools(*shape), shape=list(shape), prob=0.5)
    for first, last, stride in ((2, 11, 3), (0, 5, 1), (5, 0, -2), (3, 3, 1), (-4, 4, 3), (7, -8, -1)):
        yield case("layout.range", [], np.arange(first, last, stride), first=first, last=last, stride=stride)
    for low, high, step in ((1.0, -1.0, -0.25), (0.0, 1.0, 0.3), (0.0, 0.0, 0.5)):
        yield case("layout.range", [], np.arange(low, high, step), first=low, last=high, stride=step)
    yield case("layout.range", [], np.arange(4), first=0, last=4)
    for shape in SHAPES:
        yield case("layout.shape", [real(*shape)], np.array(shape, np.int64))
        for kind, make in (("int", ints), ("real", real), ("bool", bools)):
            yield replace(case("layout.cast", [real(*shape)], make(*shape)), generic=kind)
        yield replace(case("layout.cast", [bools(*shape)], ints(*shape)), generic="int")


RESHAPED: tuple[tuple[tuple[int, ...], dict[str, Any], tuple[int, ...]], ...] = (
    ((2, 3, 4), {"shape": [24]}, (24,)),
    ((2, 3, 4), {"shape": [4, 6]}, (4, 6)),
    ((2, 3, 4), {"shape": [-1]}, (24,)),
    ((2, 3, 4), {"shape": [4, -1]}, (4, -1)),
    ((2, 3, 4), {"shape": [2, -1, 2, 2]}, (2, -1, 2, 2)),
    ((2, 3, 4), {"axis": 1, "shape": [12]}, (2, 12)),
    ((2, 3, 4), {"axis": 1, "shape": [-1, 6]}, (2, -1, 6)),
    ((2, 3, 4), {"axis": 1, "rank": 1, "shape": [3, 1]}, (2, 3, 1, 4)),
    ((2, 3, 4), {"rank": 2, "shape": [-1]}, (-1, 4)),
    ((2, 3, 4), {"axis": -1, "shape": [2, 2]}, (2, 3, 2, 2)),
    ((2, 3, 4), {"axis": -2, "rank": 2, "shape": [6, 2]}, (2, 6, 2)),
    ((2, 3, 4), {"axis": 2, "rank": 0, "shape": [1]}, (2, 3, 1, 4)),
    ((2, 0, 4), {"shape": [0]}, (0,)),
    ((2, 0, 4), {"shape": [5, 0, 3]}, (5, 0, 3)),
    ((6,), {"shape": [2, 3]}, (2, 3)),
    ((1,), {"shape": []}, ()),
    ((2, 3, 4, 5, 6), {"axis": 1, "rank": 3, "shape": [-1]}, (2, -1, 6)),
)


def views() -> Iterator[Case]:
    for shape, attributes, wanted in RESHAPED:
        yield case("layout.reshape", [real(*shape)], real(*shape).reshape(wanted), **attributes)
    x = real(2, 3, 4, 5)
    for attributes, wanted in (
        ({}, (120,)), ({"axis": 1}, (2, 60)), ({"axis": 1, "rank": 2}, (2, 12, 5)), ({"axis": -1}, (2, 3, 4, 5)),
        ({"axis": -2}, (2, 3, 20)), ({"rank": 0}, (1, 2, 3, 4, 5)), ({"axis": 3, "rank": 0}, (2, 3, 4, 1, 5)),
        ({"rank": 3}, (24, 5)),
    ):  # fmt: skip
        yield case("layout.flatten", [x], x.reshape(wanted), **attributes)
    yield case("layout.flatten", [real(2, 0, 3)], real(0))
    for axis, shape, wanted in (
        (0, [1, 2], (1, 2, 3, 4, 5)), (2, [2, 2], (2, 3, 2, 2, 5)), (-1, [5], (2, 3, 4, 5)),
        (-3, [3, 1, 1], (2, 3, 1, 1, 4, 5)),
    ):  # fmt: skip
        yield case("layout.unflatten", [x], x.reshape(wanted), axis=axis, shape=shape)
    yield case("layout.unflatten", [real(0, 3)], real(2, 0, 3), axis=0, shape=[2, 0])
    yield case("layout.unflatten", [real(1, 3)], real(3), axis=0, shape=[])
    one = real(1, 3, 1, 0, 1)
    for axes in ([0], [0, 2], [-1], [4, 0], [-1, -3, 0], []):
        yield case("layout.squeeze", [one], np.squeeze(one, tuple(axes)), axes=axes)
    for axes in ([0], [1, 3], [-1], [-1, 0], [], [5], [2, 1]):
        count = len(axes)
        if all(-4 - count <= axis < 4 + count for axis in axes):
            yield case("layout.unsqueeze", [x], np.expand_dims(x, tuple(axes)), axes=axes)
    yield case("layout.unsqueeze", [real()], real(1), axes=[0])


def joining() -> Iterator[Case]:
    for axis, parts in (
        (1, [(2, 1, 3), (2, 4, 3), (2, 2, 3)]), (0, [(2, 3), (5, 3)]), (-1, [(2, 2), (2, 2)]), (0, [(4,)]),
        (0, [(0,), (3,), (0,)]), (-2, [(2, 1, 3), (2, 6, 3)]), (2, [(1, 2, 3, 4)] * 5), (1, [(0, 2), (0, 3)]),
    ):  # fmt: skip
        arrays = [real(*shape) for shape in parts]
        yield case("layout.concat", [arrays], np.concatenate(arrays, axis), axis=axis)
    for shape, axis, count in (
        ((2, 6), 1, 3),
        ((2, 6), 0, 2),
        ((6,), 0, 1),
        ((3, 8, 2), -2, 4),
        ((0, 4), 0, 2),
        ((9, 2), -2, 3),
    ):
        x = real(*shape)
        yield case("layout.split", [x], np.split(x, count, axis), axis=axis, count=count)
    for shape, axis, sizes in (
        ((2, 6), 1, [1, 2, 3]),
        ((6, 2), 0, [6]),
        ((5, 2), -2, [0, 5]),
        ((4, 3, 7), 2, [3, 1, 3]),
    ):
        x = real(*shape)
        parts_ = np.split(x, np.cumsum(sizes)[:-1], axis)
        yield case("layout.split", [x], parts_, axis=axis, sizes=sizes)
        yield case("layout.split", [x], parts_, axis=axis, sizes=sizes, count=len(sizes))
    for shape, count in (((2, 3), 2), ((4,), 3), ((0, 2), 1), ((2, 3, 4), 4)):
        arrays = [real(*shape)] * count
        for axis in range(len(shape) + 1):
            yield case("layout.stack", [arrays], np.stack(arrays, axis), axis=axis)
        for axis in range(len(shape)):
            wide = [np.expand_dims(each, axis) for each in arrays]
            yield case("layout.stack", [wide], np.stack(arrays, axis), axis=axis, squeeze=True)
        # a negative axis counts from the end of an input, not of the result
        yield case("layout.stack", [arrays], np.stack(arrays, len(shape) - 1), axis=-1)
    yield case("layout.stack", [[real(), real()]], np.stack([real(), real()]), axis=0)
    for shape, axis in (((3, 2), 0), ((3, 2), 1), ((2, 3, 4), -1), ((2, 1), 1), ((4,), 0), ((2, 0), 0)):
        slices = list(np.moveaxis(real(*shape), axis, 0))
        kept = [np.expand_dims(each, axis % len(shape)) for each in slices]
        yield case("layout.unstack", [real(*shape)], [np.asarray(each) for each in slices], axis=axis, symbolic=False)
        yield case("layout.unstack", [real(*shape)], kept, axis=axis, squeeze=False, symbolic=False)


def extending() -> Iterator[Case]:
    for repeats in ([1, 1], [3, 2], [1, 5]):
        yield case("layout.tile", [real(2, 6)], np.tile(real(2, 6), repeats), repeats=repeats)
    yield case("layout.tile", [real(2, 3, 4)], np.tile(real(2, 3, 4), (2, 1, 3)), axes=[-1, 0], repeats=[3, 2])
    yield case("layout.tile", [real(0, 3)], real(0, 6), repeats=2)
    for shape, wanted in (((1, 6), [4, 6]), ((1,), [5]), ((2, 3), [2, 3]), ((1, 1, 2), [3, 1, 2]), ((0, 1), [1, 4])):
        expected = np.broadcast_to(real(*shape), np.broadcast_shapes(shape, wanted))
        yield case("layout.broadcast", [real(*shape)], expected, shape=wanted)
    yield case("layout.broadcast", [real(2, 1, 3)], real(2, 7, 3), axes=[1], shape=[7])
    yield case("layout.broadcast", [real(2, 1, 1)], real(2, 7, 3), axes=[-1, 1], shape=[3, 7])
    x = real(4, 5, 6)
    for axes, begin, end, stride in (
        ([0], [1], [3], [1]), ([1, 2], [1, 0], [3, 4], [1, 2]), ([2], [0], [6], [4]), ([-1], [5], [0], [-1]),
        ([1], [4], [-1], [-2]), ([0, 1, 2], [0, 0, 0], [4, 5, 6], [3, 3, 3]), ([0], [2], [2], [1]),
        ([2], [0], [100], [5]),
        ([-1, -3], [2, 3], [5, 0], [1, -1]),
    ):  # fmt: skip
        index = [slice(None)] * 3
        for axis, first, last, step in zip(axes, begin, end, stride, strict=True):
            index[axis] = slice(first, None if last < 0 else last, step)
        yield case("layout.slice", [x], x[tuple(index)], axes=axes, begin=begin, end=end, stride=stride)
    yield case("layout.slice", [x], x[1:3, 1:3, 1:3], begin=1, end=3)
    for method, mode in (
        ("CONSTANT", "constant"),
        ("REFLECT", "reflect"),
        ("SYMMETRIC", "symmetric"),
        ("REPLICATE", "edge"),
    ):
        for axes, before, after in (([0, 1, 2], [1, 0, 2], [0, 3, 1]), ([1], [2], [2]), ([-1, 0], [1, 2], [0, 1])):
            widths = np.zeros((3, 2), int)
            widths[axes] = np.stack([before, after], 1)
            wanted = np.pad(x, widths, mode)  # type: ignore[call-overload]
            yield case("layout.pad", [x], wanted, axes=axes, padding=[*before, *after], method=method)
    yield case("layout.pad", [real(2, 6), 7.0], np.pad(real(2, 6), 1), padding=1)
    yield case("layout.pad", [real(0, 2), real()], np.pad(real(0, 2), 2), padding=2)
    yield case("layout.pad", [real()], real(), padding=[])
    for perm in ([2, 0, 1], [0, 1, 2], [-1, 1, 0]):
        yield case("layout.transpose", [x], x.transpose(perm), perm=perm)
    yield case("layout.transpose", [x], x.T)
    yield case("layout.transpose", [real(2, 0)], real(0, 2))
    yield case("layout.transpose", [x], x.swapaxes(1, 2), axis=1, perm=[2, 1])
    yield case("layout.transpose", [x], x.swapaxes(1, 2), axis=-2, perm=[-1, 1])
    for shape, axis, groups in (((2, 6), 1, 3), ((4, 3), 0, 2), ((2, 3, 8), -1, 8), ((2, 0), 1, 3)):
        yield case("layout.shuffle", [real(*shape)], real(*shape), axis=axis, groups=groups)


def blocks() -> Iterator[Case]:
    for space, block, first, ncx in product(((4, 6), (8,), (2, 4, 6)), (2, 1), (True, False), (True, False)):
        d = len(space)
        volume, small = block**d, [extent // block for extent in space]
        attributes = {"block_size": [block] * d, "blocks_first": first, "data_format": "NCX" if ncx else "NXC"}

        def tensor(batch: int, channels: int, extents: Sequence[int], ncx: bool = ncx) -> Any:
            return real(batch, channels, *extents) if ncx else real(batch, *extents, channels)

        wide, narrow = tensor(3, 5, space), tensor(3 * volume, 5, small)
        yield case("layout.space_to_batch", [wide], narrow, **attributes)
        yield case("layout.batch_to_space", [narrow], wide, **attributes)
        deep = tensor(3, 5 * volume, small)
        yield case("layout.space_to_depth", [wide], deep, **attributes)
        yield case("layout.depth_to_space", [deep], wide, **attributes)


def indexing() -> Iterator[Case]:
    for shape in ((4,), (2, 3), (2, 3, 4), (0, 3)):
        columns = int(np.prod(shape))
        yield case("layout.nonzero", [ints(*shape)], Upto(ints(len(shape), columns), 1))
        for axis, index in ((0, ()), (-1, (2,)), (len(shape) - 1, (3, 2)), (0, (0, 2)), (0, (1, 1, 1))):
            axis_ = axis % len(shape)
            wanted = real(*shape[:axis_], *index, *shape[axis_ + 1 :])
            if shape[axis_]:
                wanted = np.take(real(*shape), ints(*index), axis)
            yield case("layout.gather", [real(*shape), ints(*index)], wanted, axis=axis)
        for axis in range(len(shape)):
            indices = list(shape)
            indices[axis] = 7
            yield case(
                "layout.scatter", [real(*shape), ints(*indices), real(*indices)], real(*shape), axis=axis - len(shape)
            )
    x = real(2, 3, 4, 5)
    for batch, shape in (
        (0, (1,)),
        (0, (4,)),
        (0, (6, 2)),
        (0, (3, 7, 3)),
        (1, (2, 2)),
        (1, (2, 6, 1)),
        (2, (2, 3, 4, 2)),
        (0, (0, 2)),
    ):
        depth = shape[-1]
        wanted = real(*shape[:-1], *x.shape[batch + depth :])
        # the last extent of the indices is a number of dimensions
        yield case("layout.gather_nd", [x, ints(*shape)], wanted, batch_dims=batch, symbolic=depth == 1)
        yield case("layout.scatter_nd", [x, ints(*shape), wanted], x, batch_dims=batch, symbolic=depth == 1)
    yield case("layout.gather_nd", [x, ints(6, 2)], x[tuple(ints(2, 6))], symbolic=False)
