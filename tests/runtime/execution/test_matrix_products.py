"""Sums of products as compiled products of matrices: the values are those of NumPy, but for the rounding of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.execution import Execution, execute
from snd_runtime.lowering.compiled import kernels
from snd_runtime.lowering.compiled.calls import CompiledCalls, run_calls
from snd_runtime.lowering.lowered import lower
from support.runtime.executing import instance_of, net
from support.runtime.operators import bind_library
from support.sampling import sample

pytest.importorskip("numba")

CONV = "x: real[s..(4)]; f: real[t..(4)];"
CASES = [
    ("padding=[1, 1, 1, 1]", [(2, 5, 9, 8), (7, 5, 3, 3)]),
    ("stride=[2, 1], dilation=[1, 2], padding=[2, 1, 0, 1]", [(1, 6, 11, 13), (13, 6, 3, 2)]),
    ("groups=2, padding=[0, 0, 0, 0]", [(1, 10, 12, 7), (14, 5, 1, 1)]),
    ("data_format='NXC', filter_format='XCN', padding=[1, 0, 0, 1]", [(2, 6, 7, 5), (2, 2, 5, 9)]),
    ("padding=[1, 1, 1, 1]", [(1, 70, 5, 7), (9, 70, 3, 2)]),  # more than a block is summed
    # single rows: in short stretches and long ones, in one for each row, with strides
    ("groups=0, padding=[1, 1, 1, 1]", [(2, 5, 9, 8), (5, 1, 3, 3)]),
    ("groups=0, padding=[2, 1, 0, 1]", [(1, 3, 4, 80), (3, 1, 3, 2)]),
    ("groups=0, padding=[1, 1, 1, 1], stride=[2, 2]", [(1, 3, 8, 90), (3, 1, 3, 3)]),
    ("groups=0, padding=[1, 0, 2, 1], stride=[3, 3], dilation=[1, 2]", [(2, 3, 20, 70), (3, 1, 3, 2)]),
    ("groups=0, padding=[0, 1, 0, 1], stride=[1, 4]", [(2, 3, 9, 99), (6, 1, 3, 3)]),
    ("groups=2, padding=[1, 1, 1, 1], dilation=[1, 2]", [(2, 6, 7, 9), (4, 3, 3, 3)]),
]
TRANSPOSED = [
    ("stride=[2, 2]", [(2, 6, 5, 7), (6, 5, 2, 2)]),  # windows side by side are one product
    ("stride=[2, 1], padding=[1, 1, 1, 1]", [(2, 6, 5, 7), (6, 5, 3, 3)]),  # those that overlap are several
    ("stride=[1, 2], dilation=[2, 1], padding=[0, 1, 2, 1]", [(1, 7, 6, 8), (7, 9, 3, 2)]),
    ("groups=2, padding=[1, 0, 0, 1]", [(2, 10, 6, 5), (10, 6, 3, 2)]),
]
PRODUCTS = [
    ("", [(13, 6), (6, 40)]),
    ("transA=true", [(300, 13), (300, 33)]),
    ("transB=true", [(3, 13, 20), (3, 65, 20)]),
    ("", [(5, 340), (340, 57)]),  # the last tile of columns overlaps the one before it
    ("", [(30, 345), (345, 49)]),  # a column is left, or four
    ("transB=true", [(2, 9, 37), (2, 52, 37)]),
    ("transB=true", [(2, 270), (41, 270)]),  # a few vectors
    ("transB=true", [(2, 30, 257), (2, 3, 257)]),
    ("transA=true, transB=true", [(2, 3, 8, 13), (2, 3, 29, 8)]),
]
PROGRAMS = [
    *((CONV, "y: real[~|99, ~|99, ~|99, ~|99];", f"y = nn.{operator}{{{attributes}}}(x, f);", shapes)
      for operator, cases in (("conv", CASES), ("deconv", TRANSPOSED)) for attributes, shapes in cases),
    *((f"x: real[s..({len(shapes[0])})]; f: real[t..({len(shapes[1])})];",
       f"y: real[{', '.join(['~|99'] * len(shapes[0]))}];",
       f"y = linalg.matmul{{{attributes}}}(x, f);", shapes)
      for attributes, shapes in PRODUCTS),
]  # fmt: skip


@pytest.fixture
def products(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list of True for each trusted result of a compiled product; products are compiled at once."""
    found: list[bool] = []
    run = CompiledCalls.run

    def noted(self: CompiledCalls, addresses: Any) -> bool:
        found.append(run(self, addresses))
        return found[-1]

    monkeypatch.setattr(CompiledCalls, "run", noted)
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)
    return found


def _both(text: str, inputs: list[Any], real: type = np.float32) -> list[Any]:
    """The output of the first run, by NumPy, and of the second one."""
    session, specialization = instance_of(text, inputs)
    request = Execution(real=np.dtype(real), compiles=True)
    return [execute(session, specialization, inputs, request).outputs["y"] for _ in range(2)]


@pytest.mark.parametrize(
    "real", [np.float32, pytest.param(np.float64, marks=pytest.mark.exhaustive)], ids=lambda each: each.__name__
)
@pytest.mark.parametrize("program", sample(PROGRAMS, 14), ids=lambda program: program[2])
def test_products_are_those_of_numpy(program: Any, real: type, products: list[bool]):
    given, made, compose, shapes = program
    random = np.random.default_rng(1)
    inputs = [random.standard_normal(shape).astype(real) for shape in shapes]
    inputs[0].flat[3] = np.nan
    first, again = _both(net(given, made, compose), inputs, real)
    assert products == [True]
    assert again.dtype == real
    np.testing.assert_allclose(again, first, rtol=1e-4, atol=1e-4)


def test_zeros_around_are_not_multiplied_by_infinity(products: list[bool]):
    """An index that is out of bounds adds nothing, and 0 times infinity would be NaN (2.12)."""
    given, made, compose, shapes = PROGRAMS[0]
    inputs = [np.ones(shape, np.float32) for shape in shapes]
    inputs[1][0, 0, 0, 0] = np.inf
    first, again = _both(net(given, made, compose), inputs)
    assert products
    assert not any(products)
    assert not np.isnan(first).any()
    np.testing.assert_array_equal(again, first)


def test_zeros_around_a_small_filter_are_not_multiplied_by_infinity(products: list[bool]):
    given, made, compose, _ = PROGRAMS[0]
    inputs = [np.ones((1, 2, 20, 20), np.float32), np.ones((2, 1, 3, 3), np.float32)]
    inputs[1][0, 0, 0, 0] = np.inf
    first, again = _both(net(given, made, compose.replace("{", "{groups=0, ")), inputs)
    assert products
    assert not any(products)
    assert not np.isnan(first).any()
    np.testing.assert_array_equal(again, first)


def test_operands_may_be_views_and_read_only(products: list[bool]):
    x, f = np.ones((40, 6), np.float32)[::2], np.ones((6, 9), np.float32).T.copy().T
    f.flags.writeable = False
    first, again = _both(net("x: real[n, k]; f: real[k, m];", "y: real[n, m];", "y = linalg.matmul(x, f);"), [x, f])
    assert products == [True]
    np.testing.assert_array_equal(again, first)


@pytest.mark.parametrize(
    ("name", "shapes", "attributes"),
    [
        ("linalg.matmul", [(13, 30), (30, 60)], {}),
        ("linalg.matmul", [(2, 70), (41, 70)], {"transB": True}),
        ("nn.conv", [(2, 3, 9, 8), (7, 3, 3, 3)], {"padding": [0, 0, 0, 0]}),
        ("nn.conv", [(2, 3, 9, 22), (3, 1, 3, 3)], {"padding": [0, 0, 0, 0], "groups": 0}),
    ],
)
def test_results_begin_with_products(name: str, shapes: list[Any], attributes: dict[str, Any]):
    """The previous memory of a result does not matter: no zeros are written before."""
    random = np.random.default_rng(1)
    inputs = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    lowered = lower(bind_library(name, inputs, attributes))
    template = lowered.specialization.template
    slots = [lowered.tensors.values[each.symbol] for each in (*template.inputs[:2], *template.outputs)]
    (expected,) = lowered.run(inputs + [None] * (len(template.inputs) - 2))
    result = np.full_like(expected, np.nan)
    calls = lowered.calls(np.dtype(np.float32))
    assert calls is not None
    assert len(calls) == 1
    assert run_calls(calls, dict(zip(slots, [*inputs, result], strict=True)))
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
