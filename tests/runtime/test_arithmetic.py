"""Operations on single numbers of 64 bits against Python's, at the ends of their range; extrema of NaN everywhere."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

from snd_runtime.errors import EvaluationFailed
from support.runtime.formulas import check, operator
from support.runtime.operators import FLOAT64, compiled, run

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1
INTS = (
    *(0, 1, -1, 2, -2, 3, -3, 10, 31, 61, 62, 63, 64, -63, 1 << 31, -(1 << 32), 2097151, 2097152, -2097152),
    *(3037000499, 3037000500, 10**18, 1 << 61, 1 << 62, -(1 << 62), GREATEST, LEAST, LEAST + 1),
)
REALS = (
    0.0,
    -0.0,
    0.5,
    -1.5,
    2.0**53,
    2.0**63 - 1024,
    2.0**63,
    -(2.0**63),
    -(2.0**63) - 2048,
    1e300,
    math.inf,
    math.nan,
)


def _power(a: int, b: int) -> int | None:
    return None if b < 0 or (abs(a) > 1 and b > 64) else a**b


BINARY: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b if b else None,
    "\\": lambda a, b: -(-a // b) if b else None,
    "%": lambda a, b: a % b if b else None,
    "**": _power,
    "<?": min,
    ">?": max,
}
UNARY: dict[str, Callable[[int], int]] = {
    "-": lambda a: -a,
    "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0),
    "int": int,
    "int(bool": lambda a: int(a != 0),
    "int(real": lambda a: int(float(a)),
}


@pytest.fixture(autouse=True)
def _nothing_is_warned_about() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def _fitting(value: int | None) -> int | None:
    return value if value is not None and LEAST <= value <= GREATEST else None


def _results(
    value: str, dtype: str, arguments: list[tuple[int, ...]] | list[tuple[float, ...]], rank: int
) -> list[object]:
    """Return the results of a formula for arguments of rank 0 or 1, None where it fails."""
    names = "xy"[: len(arguments[0])]
    extents, index, bound = ("n", "i,", ", i < n") if rank else ("", "", "")
    reads = {name: f"{name}[{index}]" for name in names}
    text = operator(
        "".join(f"{name}: {dtype}[{extents}];" for name in names), f"z: int[{extents}];",
        f"z[{index}] = {value.format(**reads)}{bound};",
    )  # fmt: skip
    shaped = [[np.full((1,) * rank, number) for number in each] for each in arguments]
    lowered = compiled(text, shaped[0])
    found: list[object] = []
    for each in shaped:
        try:
            (result,) = lowered.run(each, real=FLOAT64)
        except EvaluationFailed:
            found.append(None)
        else:
            found.append(np.asarray(result).item())
    return found


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("symbol", BINARY)
def test_binary_operations_on_ints(symbol: str, rank: int):
    pairs = [*product(INTS, INTS)]
    expected = [_fitting(BINARY[symbol](*pair)) for pair in pairs]
    found = _results(f"{{x}} {symbol} {{y}}", "int", pairs, rank)
    assert [*zip(pairs, found, strict=True)] == [*zip(pairs, expected, strict=True)]


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("name", UNARY)
def test_unary_operations_on_ints(name: str, rank: int):
    expected = [_fitting(UNARY[name](a)) for a in INTS]
    assert _results(f"{name}({{x}}{')' * (name.count('(') + 1)}", "int", [(a,) for a in INTS], rank) == expected


@pytest.mark.parametrize("rank", [0, 1])
def test_reals_as_ints(rank: int):
    expected = [_fitting(int(a)) if math.isfinite(a) else None for a in REALS]
    assert _results("int({x})", "real", [(a,) for a in REALS], rank) == expected


@pytest.mark.parametrize("rank", [0, 1])
def test_a_power_that_does_not_fit_says_so(rank: int):
    extents, index, bound = ("n", "i,", ", i < n") if rank else ("", "", "")
    text = operator(f"x: int[{extents}];", f"z: int[{extents}];", f"z[{index}] = x[{index}] ** 30{bound};")
    with pytest.raises(EvaluationFailed, match=r"the result of '\*\*' does not fit into 64 bits") as caught:
        run(text, np.full((1,) * rank, 10))
    assert caught.value.rule.name == "int-overflow"


@pytest.mark.parametrize("exponent", ["0.5", "h[]", "h[] + 0.0 * x[i,]"])
def test_a_power_of_a_half_is_no_square_root(exponent: str):
    """IEEE 754 has other values for -inf and -0 than the square root."""
    text = operator("x: real[n]; h: real[];", "z: real[n];", f"z[i,] = x[i,] ** {exponent}, i < n;")
    bases = np.array([-math.inf, -0.0, 4.0, -1.0] if "x" not in exponent else [4.0, -0.0, 9.0, -1.0], np.float32)
    found = np.asarray(run(text, bases, np.float32(0.5)))
    with np.errstate(invalid="ignore"):
        expected = np.power(bases, np.full(4, 0.5, np.float32))
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.array_equal(np.signbit(found[:3]), np.signbit(expected[:3]))


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("symbol", ["<?", ">?"])
@pytest.mark.parametrize(
    "lower",
    [
        "y[] S= x[i,], i < n;",
        "y[] = x[0,]; y[] S= x[i,], i < n;",
        "y[] = x[0,]; y[] := y[] S x[i,], i < n;",
        "y[] = x[0,] S x[1,] S x[2,];",
        "y[] = int(n) == 3 ? (x[0,] S (x[1,] S x[2,])) : 0.0;",
        "with z = x[i,]: y[] S= z, i < n | i >= 0;",
    ],
)
def test_extrema_of_nan_are_nan_in_any_order(lower: str, symbol: str, at: int):
    x = np.array([2.0, 3.0, 1.0])
    text = operator("x: real[n];", "y: real[];", lower.replace("S", symbol))
    assert check(text, x) == (min(x) if symbol == "<?" else max(x))
    x[at] = math.nan
    assert math.isnan(check(text, x))


@pytest.mark.parametrize(
    "value", ["a <? ..", "a >? ..", "(a <? ...)[2]", "a[0] <? (a[1] >? a[2])", "a[2] >? a[1] >? a[0]"]
)
def test_extrema_of_nan_are_nan_before_the_run(value: str):
    for items in ("[nan, 2.0, 1.0]", "[2.0, nan, 1.0]", "[2.0, 1.0, nan]"):
        known = items.replace("nan", "inf - inf")
        assert math.isnan(run(operator("", "y: real[];", "y[] = r;", using=f"a = {known}; r = {value};")))
