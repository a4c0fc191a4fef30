"""A shape is read as an affine expression of a new name, and solved for it, or known to be none (2.6)."""

from __future__ import annotations

from snd_analysis.symbolic.integers import (
    as_affine,
    choose,
    constant,
    floor_divide,
    maximum,
    proposition,
    solve_affine,
    variable,
)

d, k, s = (variable(name, name) for name in "dks")


def test_affine_expressions() -> None:
    assert as_affine(2 * d + 1, "d") == (2, constant(1))
    assert as_affine(d, "d") == (1, constant(0))
    assert as_affine(3 - d, "d") == (-1, constant(3))
    assert as_affine(d + k * k, "d") == (1, k * k)
    assert as_affine(floor_divide(4 * d, 2) + d, "d") == (3, constant(0))


def test_what_is_not_affine() -> None:
    assert as_affine(d * d, "d") is None
    assert as_affine(d * k, "d") is None
    assert as_affine(floor_divide(d, 2), "d") is None
    assert as_affine(d + maximum(d, k), "d") is None
    assert as_affine(choose(proposition("c", "c"), d, 0), "d") is None
    assert as_affine(k, "d") is None
    assert as_affine(d - d, "d") is None


def test_solving() -> None:
    assert solve_affine(2, constant(1), constant(5)) == constant(2)
    assert solve_affine(2, constant(1), 4) is None
    assert solve_affine(-1, constant(3), 1) == constant(2)
    assert solve_affine(2, k, 4 * d + k) == 2 * d
    assert solve_affine(2, constant(0), d) is None
