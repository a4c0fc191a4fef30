"""Shapes of the results of ``math``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from generators.library_shapes.case import SHAPES, Case, bools, case, ints, real

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
