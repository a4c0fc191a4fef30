"""Formulas as compiled loops: what they compute is what NumPy computes, but for the rounding of sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snd_runtime.execution import Execution, execute
from snd_runtime.lowering.compiled import kernels
from support.runtime.executing import instance_of, net
from support.sampling import sample

pytest.importorskip("numba")

STEPS = """
operator shrink { @input { x: real[n, m]; } @output { y: real[n, m]; }
    @lower { y[i, j] = x[i, j] > 1.0 && !(x[i, j] > 3.0) ? x[i, j] - 1.0 : -abs(x[i, j]) <? 2.5, i < n, j < m; } }
operator row { @input { x: real[n, m]; } @output { y: real[n, m]; }
    @lower { y[i, j] = x[i, m - 1 - j], i < n, j < m; } }
operator most { @input { k: int[n, m]; } @output { y: int[n]; }
    @lower { y[i,] >?= k[i, j], i < n, j < m; } }
operator window { @input { x: real[n, m]; } @output { y: real[n, m]; }
    @lower { y[i, j] += x[|i + d - 1|, |2 * j - e|], i < n, j < m, d < 3, e < 2; } }
operator mirror { @input { x: real[n, m]; } @output { y: real[n, m]; }
    @lower { y[i, j] += x[|n - i - d|, |j + e - 1|], i < n, j < m, d < 3, e < 2; } }
operator product { @input { x: real[n, m]; } @output { y: real[m]; }
    @lower { y[j,] *= x[i, j], i < n, j < m; } }
"""
IMAGE = (2, 4, 9, 8)
PROGRAMS = [
    ("x: real[n, m];", "y: real[n, m];", "y = shrink(x);", [(5, 7)]),
    ("x: real[n, m];", "y: real[n, m];", "y = window(x);", [(5, 7)]),
    ("x: real[n, m];", "y: real[n, m];", "y = mirror(x);", [(5, 7)]),
    ("x: real[n, m];", "y: real[m];", "y = product(x);", [(5, 7)]),
    ("x: real[b, c, h, w];", "y: real[b, c, ~|99, ~|99];",
     "y = nn.max_pool{size=[3, 2], stride=[2, 1], padding=[1, 1, 0, 1]}(x);", [IMAGE]),
    ("x: real[b, c, h, w];", "y: real[b, c, ~|99, ~|99];",  # no window lies within bounds
     "y = nn.max_pool{size=[2, 3], dilation=[1, 3], padding=[1, 5, 1, 0]}(x);", [(2, 3, 4, 3)]),
    ("x: real[b, c, h, w];", "y: real[b, c, ~|99, ~|99];",
     "y = nn.max_pool{size=[1, 9], stride=[2, 9], padding=[0, 4, 0, 4]}(x);", [(1, 2, 3, 40)]),
    ("x: real[b, c, h, w];", "y: real[b, c, ~|99, ~|99];",
     "y = nn.max_pool{size=[3, 3], stride=[2, 2], padding=[1, 1, 1, 1]}(x);", [(1, 2, 9, 70)]),
    ("x: real[b, c, h, w];", "y: real[b, c, ~|99, ~|99];",
     "y = nn.avg_pool{size=[2, 3], stride=[1, 2], dilation=[2, 1]}(x);", [IMAGE]),
    ("x: real[b, c, h, w]; f: real[k, 1, p, q];", "y: real[b, k, ~|99, ~|99];",
     "y = nn.conv{groups=0, padding=[1, 1, 2, 1], stride=[2, 1]}(x, f);", [(2, 4, 3, 3), (4, 1, 3, 3)]),
    ("x: real[b, c, h, w]; s: real[c]; v: real[c];", "y: real[b, c, h, w];",
     "a = math.sub{rhs_align=1}(x, s); u = math.add(v, 0.01); d = math.sqrt(u); e = math.div{rhs_align=1}(a, d);"
     "f = nn.relu(e); g = math.add(f, x); y = math.clamp(g, 0.0, 6.0);", [IMAGE, (4,), (4,)]),
    ("x: real[n, m]; z: real[n, m];", "y: real[n, m]; t: real[n, m];",
     "a = math.mul(x, z); t = math.max(a, z); b = math.add(t, a); y = math.floor(b);", [(300, 3), (300, 3)]),
]  # fmt: skip


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the kernels that are compiled, as soon as they can be."""
    made: list[str] = []
    entry = kernels._entry

    def noted(source: str, *rest: Any) -> int:
        if source not in made:
            made.append(source)
        return entry(source, *rest)

    monkeypatch.setattr(kernels, "_entry", noted)
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)
    monkeypatch.setattr(kernels, "_COMPUTED", {})
    return made


def _both(text: str, inputs: list[Any], real: type = np.float32) -> list[list[Any]]:
    """The outputs of the first run, and of the second one, which may use kernels."""
    session, specialization = instance_of(text, inputs)
    request = Execution(real=np.dtype(real), compiles=True)
    return [[*execute(session, specialization, inputs, request).outputs.values()] for _ in range(2)]


@pytest.mark.parametrize("real", [np.float32, pytest.param(np.float64, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("program", sample(PROGRAMS, 8), ids=lambda program: program[2].split("(")[0])
def test_loops_give_the_values_of_numpy(program: Any, real: type, compiled: list[str]):
    given, made, compose, shapes = program
    random = np.random.default_rng(1)
    inputs = [np.abs(random.standard_normal(shape).astype(real) * 3) for shape in shapes]
    inputs[0] *= np.where(random.random(shapes[0]) < 0.5, -1, 1).astype(real)
    inputs[0].flat[3] = np.nan
    first, again = _both(net(given, made, compose, operators=STEPS), inputs, real)
    assert compiled
    for one, other in zip(first, again, strict=True):
        assert one.dtype == other.dtype == real
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("given", "made", "compose", "shape"),
    [
        ("x: real[n, m];", "y: real[n, m];", "y = row(x);", (5, 7)),  # backwards
        ("x: real[n, m];", "y: real[n, m];", "y = math.sin(x);", (5, 7)),  # no such function
    ],
)
def test_numpy_computes_the_rest(given: str, made: str, compose: str, shape: tuple[int, ...], compiled: list[str]):
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    first, again = _both(net(given, made, compose, operators=STEPS), [x])
    assert not compiled
    np.testing.assert_array_equal(first[0], again[0])


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_loops_have_erf_of_reals_of_32_bits(real: type, compiled: list[str]):
    x = np.random.default_rng(1).standard_normal((5, 7)).astype(real)
    first, again = _both(net("x: real[n, m];", "y: real[n, m];", "y = nn.gelu(x);"), [x], real)
    assert bool(compiled) == (real == np.float32)
    assert again[0].dtype == real
    np.testing.assert_allclose(first[0], again[0], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_limits_keep_what_is_no_number_and_signs_of_zeros(real: type, compiled: list[str]):
    x = np.array([[np.nan, -0.0, 0.0, np.inf, -np.inf, 6.0, -1.0], np.arange(7)], real)
    text = "a = math.clamp(x, 0.0, 6.0); b = nn.relu(x); c = math.min(x, -0.0); y = layout.stack{axis=2}([a, b, c]);"
    first, again = _both(net("x: real[n, m];", "y: real[n, m, 3];", text), [x], real)
    assert compiled
    assert first[0].tobytes() == again[0].tobytes()


def test_ints_are_compared(compiled: list[str]):
    k = np.arange(12).reshape(4, 3) * 2**60
    first, again = _both(net("k: int[n, m];", "y: int[n];", "y = most(k);", operators=STEPS), [k])
    np.testing.assert_array_equal(first[0], again[0])


def test_nothing_is_compiled_unless_it_is_asked_for(compiled: list[str]):
    x = np.ones((2, 2), np.float32)
    session, specialization = instance_of(net("x: real[n, m];", "y: real[n, m];", "y = nn.relu(x);"), [x])
    for _ in range(3):
        execute(session, specialization, [x], Execution())
    execute(session, specialization, [x], Execution(compiles=True, watch=lambda _: None))
    assert not compiled


def test_a_kernel_is_compiled_once_it_is_worth_it(monkeypatch: pytest.MonkeyPatch, compiled: list[str]):
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 1 << 18)
    x = np.ones((2, 2), np.float32)
    text = net("x: real[n, m];", "y: real[n, m];", "y = nn.relu(x);")
    session, specialization = instance_of(text, [x])
    counts = []
    for _ in range(6):
        execute(session, specialization, [x], Execution(compiles=True))
        counts.append(len(compiled))
    assert counts == [0, 0, 0, 0, 1, 1]


def test_loops_read_what_may_not_be_written(compiled: list[str]):
    x = np.random.default_rng(1).standard_normal((2, 4, 9, 8)).astype(np.float32)
    x.flags.writeable = False  # as a mapped file is
    first, again = _both(net("x: real[b, c, h, w];", "y: real[b, c, ~|99, ~|99];", PROGRAMS[4][2]), [x])
    assert compiled
    np.testing.assert_array_equal(first[0], again[0])


def test_what_stands_in_a_graph_that_depends_on_data_is_compiled(compiled: list[str]):
    x = np.random.default_rng(1).standard_normal((5, 7)).astype(np.float32)
    compose = "a = window(x); b = math.gt(a, 0.5); places = layout.nonzero(b); rows = layout.transpose(places); "
    compose += "y = layout.gather_nd(a, rows);"
    first, again = _both(net("x: real[n, m];", "y: real[~|99];", compose, operators=STEPS), [x])
    assert compiled
    np.testing.assert_allclose(again[0], first[0], rtol=1e-5)


def test_numpy_computes_what_an_old_compiler_has_no_words_for(monkeypatch: pytest.MonkeyPatch, compiled: list[str]):
    asked: list[str] = []

    def missing(name: str, real: str) -> Any:
        asked.append(name)
        raise ImportError

    monkeypatch.setattr(kernels, "function_named", missing)
    x = np.random.default_rng(1).standard_normal((5, 70)).astype(np.float32)
    operator = "operator far { @input { x: real[n, m]; } @output { y: real[n]; }"
    operator += "@lower { y[i,] >?= x[i, j] * 3.0 - x[i, 0], i < n, j < m; } }"
    session, specialization = instance_of(net("x: real[n, m];", "y: real[n];", "y = far(x);", operators=operator), [x])
    for _ in range(4):
        outputs = execute(session, specialization, [x], Execution(compiles=True)).outputs
        np.testing.assert_array_equal(outputs["y"], (x * np.float32(3) - x[:, :1]).max(1))
    assert {*asked} == {"larger"}
