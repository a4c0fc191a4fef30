"""Shapes of the results of ``linalg``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from generators.library_shapes.case import Case, case, real


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
