"""The shapes of what library operators give, for many ranks, attributes and formats, against those of NumPy arrays.

Every case is composed three times: with the extents as numbers; with an attribute without a value in place of each
number, which is given afterwards; and with a dynamic extent in place of each, whose bound is the number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from memory import snapshot_of
from snd_analysis import shapes
from snd_analysis.compose.entry import Composition
from snd_analysis.model import Tensor, TensorValue
from snd_analysis.names.symbols import OperatorName
from snd_analysis.values import Pack, Run, Value, substitute
from snd_analysis.workspace import Snapshot

MAIN = "main.sknd"
MODULES = ("algo", "image", "layer", "layout", "linalg", "math", "misc", "nn", "quant", "rand")
_DTYPES = {"f": "real", "i": "int", "b": "bool"}


@dataclass(frozen=True)
class Upto:
    """A result with an extent that depends on the data: how many elements it may have, and which extents vary."""

    array: Any
    axis: int = 0


@dataclass(frozen=True)
class Case:
    """``expected`` is an array for each result, a list of them for a pack."""

    operator: str
    inputs: tuple[Any, ...]
    expected: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    generic: str = ""
    symbolic: bool = True
    """Whether extents may be symbols, too: not where the number of results depends on them."""

    def __str__(self) -> str:
        given = ",".join(map(_label, self.inputs))
        attributes = ",".join(f"{key}={_literal(value)}" for key, value in self.attributes.items())
        return f"{self.operator}{{{attributes}}}({given})".replace(" ", "")


def _label(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(map(_label, value))
    return "x".join(map(str, value.shape)) or "scalar" if isinstance(value, np.ndarray) else str(value)


def case(operator: str, inputs: Sequence[Any], *expected: Any, symbolic: bool = True, **attributes: Any) -> Case:
    return Case(operator, tuple(inputs), expected, attributes, symbolic=symbolic)


def real(*shape: int) -> Any:
    return np.zeros(shape)


def ints(*shape: int) -> Any:
    return np.zeros(shape, np.int64)


def bools(*shape: int) -> Any:
    return np.zeros(shape, bool)


SHAPES = ((), (5,), (2, 3), (2, 0, 3), (4, 1, 2, 3), (2, 3, 1, 2, 2))


# ---- math: element by element ----------------------------------------------------------------------------------------
REAL_UNARY = (
    *(
        "iden",
        "neg",
        "rcp",
        "sqr",
        "sqrt",
        "rsqr",
        "rsqrt",
        "exp",
        "log",
        "log2",
        "sin",
        "cos",
        "tan",
        "sinh",
        "cosh",
        "tanh",
    ),
    *("asin", "acos", "atan", "asinh", "acosh", "atanh", "abs", "sign", "floor", "ceil", "round"),
)
ACTIVATIONS = ("relu", "thresholded_relu", "elu", "selu", "gelu", "silu", "sigmoid", "softplus", "erf")


def unary() -> Iterator[Case]:
    for name, shape in product(
        (*(f"math.{name}" for name in REAL_UNARY), *(f"nn.{name}" for name in ACTIVATIONS)), SHAPES
    ):
        yield case(name, [real(*shape)], np.negative(real(*shape)))
    for shape in SHAPES:
        yield case("math.not", [bools(*shape)], np.logical_not(bools(*shape)))
    for name in ("iden", "neg", "sqr", "abs", "sign"):
        yield case(f"math.{name}", [ints(3, 4)], ints(3, 4))
    yield case("math.iden", [bools(3, 4)], bools(3, 4))
    yield case("math.sqrt", [2.0], np.sqrt(2.0))
    yield case("nn.relu", [real(3, 4)], real(3, 4), alpha=0.5, max=6.0)
    for method in ("TANH", "SIGMOID"):
        yield case("nn.gelu", [real(3, 4)], real(3, 4), approximate=method)
    for shape, axis in (((2, 3), 1), ((2, 3, 4), -1), ((5,), 0), ((0, 3, 4, 4), 1)):
        yield case("nn.prelu", [real(*shape), real(shape[axis])], real(*shape), axis=axis)


BROADCAST = (
    ((), ()), ((3,), ()), ((), (2, 3)), ((3,), (3,)), ((2, 3), (3,)), ((2, 3), (1, 3)), ((2, 1, 4), (1, 3, 4)),
    ((0, 2), (1, 2)), ((1, 2), (0, 1)), ((5, 1, 3), (4, 1)), ((2, 3, 4, 5), (2, 3, 4, 5)), ((1, 1), (3, 4)),
)  # fmt: skip
# shapes, alignments, and the shapes with the singular dimensions that these say
ALIGNED: tuple[tuple[Any, ...], ...] = (
    ((2, 3), (2,), {"rhs_align": 0}, (2, 3), (2, 1)),
    ((2, 3, 4), (3,), {"rhs_align": 1}, (2, 3, 4), (1, 3, 1)),
    ((2, 3, 4), (3,), {"rhs_align": -1}, (2, 3, 4), (3, 1)),
    ((3,), (2, 3, 4), {"lhs_align": 1}, (1, 3, 1), (2, 3, 4)),
    ((2,), (2, 3, 4), {"lhs_align": -2}, (2, 1, 1), (2, 3, 4)),
    ((2,), (3,), {"lhs_align": 0, "rhs_align": 1}, (2, 1), (1, 3)),
    ((2,), (3,), {"lhs_align": -1}, (2, 1), (3,)),
)
ARITHMETIC = ("add", "sub", "mul", "div", "mod", "pow", "min", "max")
COMPARISONS = ("lt", "gt", "le", "ge", "eq", "ne")
LOGICAL = ("and", "or", "xor")


def binary() -> Iterator[Case]:
    for name in (*ARITHMETIC, *COMPARISONS, *LOGICAL):
        make = bools if name in LOGICAL else real
        kind = make if name in ARITHMETIC else bools
        for first, second in BROADCAST:
            yield case(f"math.{name}", [make(*first), make(*second)], kind(*np.broadcast_shapes(first, second)))
        for first, second, attributes, padded, other in ALIGNED:
            wanted = kind(*np.broadcast_shapes(padded, other))
            yield case(f"math.{name}", [make(*first), make(*second)], wanted, **attributes)
        scalar: Any = True if name in LOGICAL else 2.0
        yield case(f"math.{name}", [make(2, 3), scalar], kind(2, 3))
        yield case(f"math.{name}", [scalar, make(4)], kind(4))
        if name not in LOGICAL:
            yield case(f"math.{name}", [ints(2, 3), 2], ints(2, 3) if name in ARITHMETIC else kind(2, 3))
    for name in COMPARISONS:
        yield case(f"math.{name}", [ints(2, 1), real(1, 3)], bools(2, 3))


def several() -> Iterator[Case]:
    for c, x, y in (
        ((2, 3), (2, 3), (2, 3)),
        ((2, 1), (1, 3), ()),
        ((3,), (2, 1), (1, 1, 1)),
        ((), (4,), (4,)),
        ((0, 1), (1, 2), (2,)),
    ):
        yield case("math.select", [bools(*c), real(*x), real(*y)], np.where(bools(*c), real(*x), real(*y)))
        yield case("math.clamp", [ints(*c), ints(*x), ints(*y)], ints(*np.broadcast_shapes(c, x, y)))
        yield case("math.axpb", [real(*c), real(*x), real(*y)], real(*c) * real(*x) + real(*y))
        for name in ("axpby", "axpy"):
            yield case(f"math.{name}", [real(*c), real(*x), real(*y), real(*x)], real(*np.broadcast_shapes(c, x, y)))
    yield case("math.select", [bools(2), real(2, 3), real(3)], real(2, 3), cond_align=0)
    yield case("math.select", [bools(2, 3), 1.0, 0.0], real(2, 3))
    yield case("math.clamp", [real(2, 3, 4), real(3), 1.0], real(2, 3, 4), min_align=1)
    yield case("math.axpb", [real(2), real(2, 3), 0.0], real(2, 3), a_align=0)
    yield case("math.axpby", [real(2), real(2, 3), 0.5, real(3)], real(2, 3), a_align=0)
    for name in ("sum", "prod", "min", "max"):
        for n, shape in ((1, (3,)), (2, (2, 4)), (4, ()), (3, (2, 0, 1))):
            yield case(f"math.{name}_n", [[real(*shape)] * n], real(*shape))
            if name in ("min", "max"):
                yield case(f"math.arg{name}_n", [[ints(*shape)] * n], ints(*shape))
    for name in ("any", "all"):
        for n, shape in ((1, (3,)), (2, (2, 4)), (4, ())):
            yield case(f"math.{name}_n", [[bools(*shape)] * n], np.any([bools(*shape)] * n, 0))


# ---- math: along dimensions ------------------------------------------------------------------------------------------
REDUCED: tuple[tuple[tuple[int, ...], tuple[int, ...] | None], ...] = (
    ((5,), (0,)), ((5,), None), ((2, 3, 4), (1,)), ((2, 3, 4), (0, 2)), ((2, 3, 4), (-1,)), ((2, 3, 4), (-1, 0)),
    ((2, 3, 4), None), ((2, 3, 4), ()), ((), None), ((2, 0, 4), (0,)), ((2, 0, 4), (1,)), ((2, 3, 4, 5, 6), (2, 3, 4)),
)  # fmt: skip


def reductions() -> Iterator[Case]:
    for (shape, axes), squeeze in product(REDUCED, (True, False)):
        wanted = np.sum(real(*shape), axis=axes, keepdims=not squeeze)
        attributes: dict[str, Any] = {"squeeze": squeeze} | ({} if axes is None else {"axes": list(axes)})
        for name in ("sum", "prod", "min", "max", "mean"):
            yield case(f"math.{name}_reduce", [real(*shape)], wanted, **attributes)
        yield case("math.lp_reduce", [real(*shape)], wanted, **attributes, p=2.0)
        yield case("math.max_reduce", [ints(*shape)], wanted.astype(np.int64), **attributes)
        for name in ("any", "all"):
            yield case(f"math.{name}_reduce", [bools(*shape)], wanted > 0, **attributes)
        yield case("math.moments", [real(*shape)], wanted, wanted, **attributes)
        if wanted.size and 0 not in shape:
            count = len(shape if axes is None else axes)
            yield from (
                case(f"math.{name}", [real(*shape)], ints(*wanted.shape, count), **attributes)
                for name in ("argmin_nd", "argmax_nd")
            )
    for shape, axis in (((5,), 0), ((2, 3, 4), 1), ((2, 3, 4), -1), ((0, 3), 1), ((2, 3, 1, 4), -2)):
        for name, squeeze in product(("argmin", "argmax"), (True, False)):
            wanted = np.argmin(real(*shape), axis, keepdims=not squeeze)
            yield case(f"math.{name}", [real(*shape)], np.asarray(wanted), axis=axis, squeeze=squeeze)
        for exclusive, reverse in product((True, False), repeat=2):
            wanted = np.cumsum(real(*shape), axis)
            yield case("math.cumsum", [real(*shape)], wanted, axis=axis, exclusive=exclusive, reverse=reverse)


# ---- linalg ----------------------------------------------------------------------------------------------------------
def linear_algebra() -> Iterator[Case]:
    for n in (6, 1, 0):
        yield case("linalg.dot", [real(n), real(n)], np.asarray(np.dot(real(n), real(n))))
        yield case("linalg.matvec", [real(4, n), real(n)], real(4, n) @ real(n))
        yield case("linalg.matvec", [real(4, n), real(4), real(n)], real(4, n).T @ real(4), transA=True)
    yield case("linalg.dot", [real(3), real(3), 0.5], real())
    for a, b in (((3,), (2, 4)), ((), (2,)), ((2, 3), ()), ((0,), (3,)), ((1, 2), (3, 4, 5))):
        yield case("linalg.outer", [real(*a), real(*b)], np.multiply.outer(real(*a), real(*b)))
    batches = (
        ((), ()), ((2,), (2,)), ((2, 1), (1, 3)), ((7,), ()), ((5, 2), (2,)), ((1,), (6,)), ((0,), (1,)), ((), (2, 3)),
        ((1,), (2, 3)),
    )  # fmt: skip
    for (first, second), ta, tb in product(batches, (False, True), (False, True)):
        left, right = (4, 5) if not ta else (5, 4), (5, 3) if not tb else (3, 5)
        wanted = real(*first, 4, 5) @ real(*second, 5, 3)
        if len(first) < len(second) and not first:
            first = (1,) * len(second)  # A has the most batch dimensions, as the formula of the draft demands
        if len(first) < len(second):
            continue
        inputs = [real(*first, *left), real(*second, *right)]
        yield case("linalg.matmul", inputs, wanted, transA=ta, transB=tb)
        yield case("linalg.matmul", [*inputs, real(4, 3)], wanted, transA=ta, transB=tb)
        yield case("linalg.matmul", [*inputs, real(*wanted.shape)], wanted, transA=ta, transB=tb)
    yield case("linalg.matmul", [real(3, 0), real(0, 2)], real(3, 0) @ real(0, 2))


# ---- layout ----------------------------------------------------------------------------------------------------------
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


# ---- nn --------------------------------------------------------------------------------------------------------------
def positions(extent: int, pad: int | None, size: int, stride: int, dilation: int, ceil: bool) -> int:
    """Where a window starts: as many places as it fits at, or covers something new from."""
    if pad is None:
        return len(range(0, extent, stride)) if ceil else extent // stride
    free = extent + pad - len(range(dilation * (size - 1) + 1))
    return len(range(0, free + stride, stride)) if ceil else len(range(0, free + 1, stride))


WINDOWS: tuple[tuple[Any, ...], ...] = (  # extents, size, stride, dilation, begin and end of padding
    ((7,), (3,), (1,), (1,), (0,), (0,)),
    ((8,), (3,), (2,), (1,), (1,), (0,)),
    ((1,), (1,), (1,), (1,), (0,), (0,)),
    ((7, 9), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    ((7, 10), (3, 2), (2, 3), (1, 2), (0, 1), (1, 2)),
    ((9, 6), (2, 5), (4, 2), (3, 1), (0, 2), (0, 2)),
    ((4, 5, 6), (2, 2, 3), (1, 2, 1), (1, 1, 2), (0, 0, 1), (1, 0, 1)),
    ((6, 6), (1, 3), (2, 2), (1, 1), None, None),
    ((7, 5), (3, 3), (2, 2), (1, 1), None, None),
    ((11,), (3,), (4,), (2,), None, None),
)


FORMATS = (
    ("NCX", "NXC"), ("NCX", "XCN"), ("NXC", "NXC"), ("NXC", "CXN"), ("XCN", "NCX"), ("XCN", "XCN"), ("XCN", "CXB"),
)  # fmt: skip


def windows() -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], dict[str, Any]]]:
    """Extents of an input, of a window and of what sliding it gives, and the attributes that say so."""
    for (space, size, stride, dilation, begin, end), ceil in product(WINDOWS, (False, True)):
        total = [None] * len(space) if begin is None else [b + e for b, e in zip(begin, end, strict=True)]
        wanted = tuple(map(positions, space, total, size, stride, dilation, [ceil] * len(space)))
        attributes: dict[str, Any] = {"stride": list(stride), "dilation": list(dilation), "ceil_mode": ceil}
        if begin is not None:
            attributes["padding"] = [*begin, *end]
        yield space, size, wanted, attributes


def arranged(form: str, batch: int, channels: int, space: Sequence[int]) -> Any:
    """An array in a format such as ``NCX``; in filters ``N``, also written ``B``, counts outputs."""
    extents = {"N": [batch], "B": [batch], "C": [channels], "X": list(space)}
    return real(*(extent for letter in form for extent in extents[letter]))


def convolutions() -> Iterator[Case]:
    for space, size, wanted, attributes in windows():
        for batch, channels, outputs, groups in ((2, 3, 4, 1), (1, 4, 6, 2), (0, 3, 3, 0), (2, 2, 2, 2)):
            depth = channels // (groups or channels)
            inputs = [arranged("NCX", batch, channels, space), arranged("NCX", outputs, depth, size)]
            result = arranged("NCX", batch, outputs, wanted)
            yield case("nn.conv", inputs, result, groups=groups, **attributes)
            yield case("nn.conv", [*inputs, real(outputs)], result, groups=groups, padding_align="LOWER", **attributes)
            layer = {"channels": outputs, "size": list(size), "groups": groups}
            yield case("layer.conv", inputs[:1], result, **layer, **attributes)
        for data, filters in FORMATS if not attributes["ceil_mode"] else ():
            inputs = [arranged(data, 2, 4, space), arranged(filters, 6, 2, size)]
            formats = {"data_format": data, "filter_format": filters}
            yield case("nn.conv", inputs, arranged(data, 2, 6, wanted), groups=2, **formats, **attributes)
    x, f = real(2, 3, 8, 9), real(4, 3, 3, 3)
    yield case("nn.conv", [x, f], real(2, 4, 8, 9))
    yield case("nn.conv", [x, f], real(2, 4, 6, 7), padding=0)
    yield case("nn.conv", [x, f], real(2, 4, 4, 4), stride=2)
    yield case("nn.conv", [x, f], real(2, 4, 4, 5), stride=2, ceil_mode=True)
    yield case("nn.conv", [x, f], real(2, 4, 4, 5), stride=2, padding=1)


def upsampled(extent: int, pad: int | None, size: int, stride: int, dilation: int) -> int:
    """What is left of a full convolution of the elements spread by ``stride`` with the taps spread by ``dilation``."""
    if pad is None:
        return extent * stride
    spread = np.zeros(stride * (extent - 1) + 1)
    return len(np.convolve(spread, np.zeros(dilation * (size - 1) + 1))) - pad


def deconvolutions() -> Iterator[Case]:
    for space, size, stride, dilation, begin, end in WINDOWS:
        total = [None] * len(space) if begin is None else [b + e for b, e in zip(begin, end, strict=True)]
        wanted = tuple(map(upsampled, space, total, size, stride, dilation))
        attributes: dict[str, Any] = {"stride": list(stride), "dilation": list(dilation)}
        if begin is not None:
            attributes["padding"] = [*begin, *end]
        for batch, channels, depth, groups in ((2, 4, 3, 1), (1, 4, 3, 2), (2, 3, 2, 0), (0, 2, 1, 2)):
            count = depth * (groups or channels)
            inputs = [arranged("NCX", batch, channels, space), arranged("NCX", channels, depth, size)]
            result = arranged("NCX", batch, count, wanted)
            # as many groups as channels: both sides are then one product, not a number
            yield case("nn.deconv", inputs, result, groups=groups, **attributes)
            yield case("nn.deconv", [*inputs, real(count)], result, groups=groups, **attributes)
            yield case("nn.deconv", inputs, result, groups=groups, output_size=list(wanted), **attributes)
            layer = {"channels": depth, "size": list(size), "groups": groups}
            yield case("layer.deconv", inputs[:1], result, **layer, **attributes)
        for data, filters in FORMATS:
            inputs = [arranged(data, 2, 4, space), arranged(filters, 4, 3, size)]
            formats = {"data_format": data, "filter_format": filters}
            yield case("nn.deconv", inputs, arranged(data, 2, 6, wanted), groups=2, **formats, **attributes)
    yield case("nn.deconv", [real(2, 3, 4, 4), real(3, 5, 3, 3)], real(2, 5, 8, 8), stride=2, padding=[1, 1, 0, 0])
    yield case("nn.deconv", [real(2, 3, 4), real(3, 5, 3)], real(2, 5, 8), stride=2, padding=1, output_size=8)


def pools() -> Iterator[Case]:
    for space, size, wanted, attributes in windows():
        for name in ("max_pool", "sum_pool", "avg_pool", "rms_pool", "lp_pool"):
            extra = {"p": 2.0} if name == "lp_pool" else {}
            given = {"size": list(size), **attributes, **extra}
            yield case(f"nn.{name}", [real(2, 3, *space)], real(2, 3, *wanted), **given)
            axes = [-1 - at for at in range(len(space))]
            yield case(f"nn.{name}", [real(4, *space[::-1])], real(4, *wanted[::-1]), axes=axes, **given)
            if name in ("avg_pool", "rms_pool"):
                yield case(f"nn.{name}", [real(2, 3, *space)], real(2, 3, *wanted), ignore_border=False, **given)
    yield case("nn.max_pool", [real(2, 3, 8, 8)], real(2, 3, 4, 4), size=2, stride=2)
    yield case("nn.max_pool", [real(2, 3, 8, 8)], real(2, 3, 1, 1), size=8, padding=0)
    yield case("nn.max_pool", [real(0, 3, 8)], real(0, 3, 7), size=2, padding=0)


def layers() -> Iterator[Case]:
    for b, c, n in ((2, 3, 4), (1, 1, 1), (0, 3, 4), (5, 0, 2)):
        yield case("nn.linear", [real(b, c), real(n, c)], real(b, c) @ real(n, c).T)
        yield case("nn.linear", [real(b, c), real(n, c), real(n)], real(b, c) @ real(n, c).T)
        yield case("layer.linear", [real(b, c)], real(b, n), channels=n)
        yield case("layer.linear", [real(b, c)], real(b, n), channels=n, use_bias=False)
    for shape in ((2, 3), (2, 3, 4), (2, 3, 4, 5), (0, 3, 2)):
        x, v = real(*shape), real(3)
        for last in ([], [v], [v, v], [None, v]):
            yield case("nn.batch_norm", [x, v, v, *last], x)
            yield case("nn.batch_norm", [x, v, v, *last], x, channel_axis=1 - len(shape))
            if len(shape) > 2:
                yield case("nn.mean_variance_norm", [x, *last], x)
        yield case("nn.mean_variance_norm", [x], x, axes=[0, -1])
        for scale, bias in product((True, False), repeat=2):
            yield case("layer.batch_norm", [x], x, use_scale=scale, use_bias=bias, momentum=0.5)
        yield case("nn.local_response_norm", [x], x, size=[3])
        if shape[0]:
            yield case("nn.local_response_norm", [x], x, axes=[0, -1], size=[4, 5], alpha=0.5, beta=0.75, bias=2.0)
        for axes in ([1], [-1], [0, 1]):
            yield case("nn.softmax", [x], x, axes=axes)
            yield case("nn.l1_norm", [x], x, axes=axes)
            yield case("nn.l2_norm", [x], x, axes=axes, epsilon=1e-3)
            yield case("nn.l2_norm", [x], x, axes=axes, bias=0.5)
        yield case("nn.softmax", [x], x)
    for s, b, c, n in ((5, 2, 3, 4), (1, 1, 1, 1), (3, 2, 6, 2)):
        step = [real(b, n), real(b, n), real(b, c)]
        weights = [real(4 * n, c), real(4 * n, n), real(4 * n)]
        states = [real(b, n), real(b, n)]
        yield case("nn.lstm_step", [*step, *weights], *states)
        for name, steps in (("lstm", ints(b)), ("lstm_loop", ints())):
            wanted = [Upto(real(s, b, n)), *states]
            yield case(f"nn.{name}", [real(s, b, c), *weights, *states], *wanted, symbolic=False)
            yield case(f"nn.{name}", [real(s, b, c), *weights, *states, steps], *wanted, symbolic=False)
        yield case("nn.lstm", [real(s, b, c), *weights], Upto(real(s, b, n)), *states, symbolic=False)


# ---- image, quant, misc, algo ----------------------------------------------------------------------------------------
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


GROUPS: tuple[Callable[[], Iterator[Case]], ...] = (
    unary, binary, several, reductions, linear_algebra, generators, views, joining, extending, blocks, indexing,
    convolutions, deconvolutions, pools, layers, images, others,
)  # fmt: skip


# ---- composing -------------------------------------------------------------------------------------------------------
def _literal(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else repr(value)


def _graph(case: Case, name: str, extent: Callable[[int], str], attributes: str = "") -> str:
    inputs: list[str] = []

    def argument(value: Any) -> str:
        if isinstance(value, list):
            return f"[{', '.join(map(argument, value))}]"
        if value is None:
            return "~"
        if not isinstance(value, np.ndarray):
            return _literal(value)
        inputs.append(f"x{len(inputs)}: {_DTYPES[value.dtype.kind]}[{', '.join(map(extent, value.shape))}];")
        return f"x{len(inputs) - 1}"

    arguments = ", ".join(map(argument, case.inputs))
    given = ", ".join(f"{key}={_literal(value)}" for key, value in case.attributes.items())
    results, outputs = [], []
    for at, value in enumerate(case.expected):
        results.append(f"y{at}" + (f"..({len(value)})" if isinstance(value, list) else ""))
        element = value[0] if isinstance(value, list) else value.array if isinstance(value, Upto) else value
        length = f"..({len(value)})" if isinstance(value, list) else ""
        outputs.append(f"y{at}: {_DTYPES[np.asarray(element).dtype.kind]}{length};")
    generic = f"<{case.generic}>" if case.generic else ""
    return (
        f"graph {name} {{\n    @attrib {{ {attributes} }}\n    @input {{ {' '.join(inputs)} }}\n"
        f"    @output {{ {' '.join(outputs)} }}\n"
        f"    @compose {{ {', '.join(results)} = {case.operator}{generic}{{{given}}}({arguments}); }}\n}}\n"
    )


def _extents(case: Case) -> set[int]:
    flat = [each for value in case.inputs for each in (value if isinstance(value, list) else [value])]
    return {extent for each in flat if isinstance(each, np.ndarray) for extent in each.shape}


def _dynamic() -> Callable[[int], str]:
    """Extents by name, with their bound at the first use; 0 and 1, of which broadcasting knows, stay numbers."""
    named: set[int] = set()

    def extent(number: int) -> str:
        if number <= 1:
            return str(number)
        bound = "" if number in named else f"|{number}"
        named.add(number)
        return f"n{number}{bound}"

    return extent


def _attributes(case: Case) -> str:
    return " ".join(f"n{extent}: int;" for extent in sorted(_extents(case)) if extent > 1)


FORMS: dict[str, Callable[[Case, str], str]] = {
    "numbers": lambda case, name: _graph(case, name, str),
    "attributes": lambda case, name: _graph(case, name, lambda n: f"n{n}" if n > 1 else str(n), _attributes(case)),
    "dynamic": lambda case, name: _graph(case, name, _dynamic()),
}


@cache
def _cases(group: Callable[[], Iterator[Case]]) -> tuple[Case, ...]:
    return tuple(group())


def _snapshot(cases: Sequence[Case], form: str) -> Snapshot:
    """One file with a graph for each case."""
    texts = [FORMS[form](case, f"g{at}") for at, case in enumerate(cases)]
    return snapshot_of({MAIN: f"import {', '.join(MODULES)};\n\n" + "\n".join(texts)})


def _numbers(value: TensorValue) -> list[Any]:
    return (
        [each.element if isinstance(each, Run) else each for each in value.segments] if isinstance(value, Pack) else []
    )


def _values(composition: Composition) -> dict[Hashable, Value]:
    """The numbers that the symbols of inputs and attributes stand for, by key."""
    assert composition.graph is not None
    tensors = [each for value in composition.graph.inputs.values() for each in (_numbers(value) or [value])]
    extents = [extent for tensor in tensors for extent in tensor.shape]
    leaves = [leaf for each in (*extents, *composition.attributes.values()) for leaf in each.leaves]
    return {leaf.key: int(leaf.name[1:]) for leaf in leaves}


def _problem(tensor: Any, wanted: Any, values: dict[Hashable, Value], bounded: bool) -> str | None:
    """What is wrong with a result whose extents, put in for their symbols, should be those of an array."""
    if isinstance(wanted, list):
        items = _numbers(tensor)
        if len(items) != len(wanted):
            return f"{len(items)} items, not {len(wanted)}"
        found = (_problem(item, each, values, bounded) for item, each in zip(items, wanted, strict=True))
        return next((each for each in found if each), None)
    array, varying = (wanted.array, wanted.axis) if isinstance(wanted, Upto) else (np.asarray(wanted), None)
    if not isinstance(tensor, Tensor) or tensor.shape is None:
        return f"{tensor} is not known"
    if tensor.dtype != _DTYPES[array.dtype.kind]:
        return f"{tensor.dtype}, not {array.dtype}"
    if len(tensor.shape) != array.ndim:
        return f"rank {len(tensor.shape)}, not {array.shape}"
    for axis, (extent, bound, number) in enumerate(zip(tensor.shape, tensor.bound or (), array.shape, strict=True)):
        shown = f"extent {extent} with bound {bound} at {axis}, not {number}"
        if bounded if bound is None else bound < number:
            return shown
        if axis == varying:
            if (extent.value is not None and number) or bound not in (number, None):
                return shown
            continue
        if substitute(extent, values) != shapes.constant(number):
            return shown
    return None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_shapes(group: Callable[[], Iterator[Case]], form: str) -> None:
    cases = [each for each in _cases(group) if form == "numbers" or each.symbolic]
    if form != "numbers" and len(cases) > 150:  # each symbolic form takes a half of many
        cases = cases[form == "dynamic" :: 2]
    snapshot = _snapshot(cases, form)
    problems = []
    for at, each in enumerate(cases):
        composition = snapshot.compose(OperatorName(MAIN, f"g{at}"))
        # Dynamic channels can't size weights; the shapes of the results are told all the same.
        ignored = "dynamic-variable" if form == "dynamic" else None
        messages = [failure.message for failure in composition.failures if failure.rule != ignored]
        if composition.graph is not None and not messages:
            outputs = [composition.graph.outputs[f"y{k}"] for k in range(len(each.expected))]
            values = _values(composition)
            found = (_problem(*pair, values, form != "attributes") for pair in zip(outputs, each.expected, strict=True))
            messages = [message for message in found if message]
        messages = messages or ([] if composition.graph else ["there is no graph"])
        problems += [f"{each}: {message}" for message in messages]
    assert not problems, f"{len(problems)} of {len(cases)}:\n" + "\n".join(problems)


def test_every_operator_has_three_cases() -> None:
    counts = Counter(each.operator for group in GROUPS for each in _cases(group))
    snapshot = snapshot_of({MAIN: ""})
    names = {
        f"{module}.{name}"
        for module in MODULES
        for name in snapshot.definitions(f"snd:{module}")
        if not name.startswith("_")
    }
    assert {name: counts[name] for name in names if counts[name] < 3} == {}
    assert set(counts) <= names
