"""Compiled steps in a row: the values of the steps, whatever becomes of the arrays that they read."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_analysis.compose import Session
from snd_analysis.skriptnd.names import OperatorName
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import Execution, StatefulGraph, bind_arrays
from snd_runtime.execution.flat.compiled_steps import CompiledSteps
from snd_runtime.limits import Limits
from snd_runtime.lowering.compiled import kernels
from support.memory import snapshot_of

pytest.importorskip("numba")

TEXT = """import layout; import math; import nn;
graph Net {
    @input { x: real[b|9, 4, h|99, w|99]; }
    @variable { f: real[6, 4, 3, 3]; g: real[6]; v: real[6]; l: real[5, 6]; }
    @output { y: real[~|9, 5]; z: real[~|9, 6, ~|99, ~|99]; }
    @compose {
        c = nn.conv{padding=[1, 1, 1, 1]}(x, f);
        d = math.mul{rhs_align=1}(c, g);
        a = math.add{rhs_align=1}(d, v);
        e = math.add(a, c);
        z = nn.relu(e);
        s = math.sum_reduce{axes=[2, 3], squeeze=true}(z);
        y = nn.linear(s, l);
    }
}
"""
SHAPES = {"f": (6, 4, 3, 3), "g": (6,), "v": (6,), "l": (5, 6)}


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return whether calls have computed each row of steps that can be compiled, which they are at once."""
    found: list[bool] = []
    computed = CompiledSteps._is_computed

    def noted(self: CompiledSteps, frame: Any) -> bool:
        found.append(computed(self, frame))
        return found[-1]

    monkeypatch.setattr(CompiledSteps, "_is_computed", noted)
    monkeypatch.setattr(kernels, "WORTH_COMPILING", 0)
    return found


def _net(x: Any, real: Any = np.float32, *, compiles: bool = True, limits: Limits | None = None) -> StatefulGraph:
    random = np.random.default_rng(2)
    variables = {name: random.standard_normal(shape).astype(real) for name, shape in SHAPES.items()}
    return _graph(TEXT, x, variables, real, compiles=compiles, limits=limits)


def _graph(
    text: str,
    x: Any,
    variables: dict[str, Any],
    real: Any = np.float32,
    *,
    compiles: bool = True,
    limits: Limits | None = None,
) -> StatefulGraph:
    session = Session(snapshot_of({"main.sknd": text}))
    template = session.template(OperatorName("main.sknd", "Net"))
    assert template is not None
    request = Execution(real=np.dtype(real), variables=variables, compiles=compiles, limits=limits or Limits())
    return StatefulGraph(session, bind_arrays(session, template, [x]), request)


def _image(seed: int = 1, real: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal((2, 4, 9, 17)).astype(real)


def _assert_same(one: Any, other: Any) -> None:
    for name in ("y", "z"):
        np.testing.assert_allclose(one[name], other[name], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("real", [np.float32, pytest.param(np.float64, marks=pytest.mark.exhaustive)])
def test_rows_give_the_values_of_the_steps(real: Any, rows: list[bool]):
    net, plain = _net(_image(real=real), real), _net(_image(real=real), real, compiles=False)
    outputs = [net.run([_image(seed, real)]) for seed in range(5)]
    assert rows
    assert all(rows)
    for seed, found in enumerate(outputs):  # what a run returned stays as it was
        assert found["z"].dtype == real
        _assert_same(found, plain.run([_image(seed, real)]))


def test_variables_may_change_in_place_be_replaced_and_be_views(rows: list[bool]):
    x = _image()
    net, plain = _net(x), _net(x, compiles=False)
    for _ in range(3):
        net.run([x])
    for graph in (net, plain):
        graph.variables["g"][2] = 7.0  # type: ignore[index]
        graph.variables["v"] = np.arange(12, dtype=np.float32)[::2]
    _assert_same(net.run([x]), plain.run([x]))
    for graph in (net, plain):
        graph.variables["v"][:] += 1  # type: ignore[index, operator]
    _assert_same(net.run([x[:, ::-1]]), plain.run([x[:, ::-1]]))
    assert all(rows)


def test_runs_that_are_alike_look_at_nothing_but_arrays(rows: list[bool]):
    x = _image()
    net, plain = _net(x), _net(x, compiles=False)
    for _ in range(3):
        net.run([x])
    before = len(rows)
    for seed in range(3):
        _assert_same(net.run([_image(seed)]), plain.run([_image(seed)]))
    assert len(rows) == before
    _assert_same(net.run([_image().astype(np.float64)]), plain.run([_image()]))
    wide = np.repeat(_image(), 2, 3)
    _assert_same(net.run([wide]), plain.run([wide]))
    with pytest.raises(EvaluationFailed):
        net.run([_image()[0]])
    with pytest.raises(EvaluationFailed):
        net.run([])


def test_a_pack_of_variables_may_be_replaced(rows: list[bool]):
    text = """import math;
operator scaled {
    @input { x: real[n]; }
    @variable { f: real[6]..(2); }
    @output { y: real[n]; }
    @compose { a = math.mul(x, f[0]); y = math.add(a, f[1]); }
}
graph Net {
    @input { x: real[6]; }
    @variable { f: real[6]..(2); }
    @output { y: real[6]; }
    @compose { a = scaled(x); b = math.mul(a, f[0]); y = math.add(b, f[1]); }
}
"""
    x = np.arange(6, dtype=np.float32)
    net, plain = _graph(text, x, {}), _graph(text, x, {}, compiles=False)
    for graph in (net, plain):
        for _ in range(3):
            graph.run([x])
    for name in ("f", "a.f"):
        for graph in (net, plain):
            graph.variables[name] = [np.full(6, number, np.float32) for number in (3, 5)]
        np.testing.assert_array_equal(net.run([x])["y"], plain.run([x])["y"])  # type: ignore[arg-type]
    assert all(rows)


def test_steps_may_have_no_result(rows: list[bool]):
    """Nothing reads results computed before a step that is not compiled."""
    text = """import math;
graph Net {
    @input { x: real[6]; z: real[3]; }
    @output { y: real[6]; }
    @compose { unused = math.add(z, z); y = math.exp(x); }
}
"""
    session = Session(snapshot_of({"main.sknd": text}))
    template = session.template(OperatorName("main.sknd", "Net"))
    assert template is not None
    x, z = np.arange(6.0), np.arange(3.0)
    request = Execution(real=np.dtype(np.float64), compiles=True)
    net = StatefulGraph(session, bind_arrays(session, template, [x, z]), request)
    for _ in range(3):
        np.testing.assert_allclose(net.run([x, z])["y"], np.exp(x))  # type: ignore[arg-type]
    assert all(rows)


@pytest.mark.parametrize("compiles", [False, True])
@pytest.mark.parametrize("output", ["c", "d"])
def test_results_may_be_changed_in_place(output: str, compiles: bool, rows: list[bool]):
    """An output may be a constant, or a default value."""
    text = f"""import math;
operator Net {{
    @input {{ x: real[3]; d: real[3] = 4.0; }}
    @constant {{ c: real[3] = 2.5; }}
    @output {{ y: real[3]; z: real[3]; }}
    @compose {{ a = math.add(x, c); y = math.add(a, d); z = {output}; }}
}}
graph Unused {{ @input {{ x: real[1]; }} @output {{ y: real[1]; }} @compose {{ y = math.neg(x); }} }}
"""
    x = np.zeros(3, np.float32)
    net = _graph(text, x, {}, compiles=compiles)
    for _ in range(4):
        found = net.run([x])
        assert [found["y"][0], found["z"][0]] == [6.5, 2.5 if output == "c" else 4]  # type: ignore[index]
        found["z"][:] = found["y"][:] = 99  # type: ignore[index]


def test_what_must_be_found_out_in_another_way_is(rows: list[bool]):
    """Zeros around the image would be multiplied by infinity."""
    x = _image()
    net, plain = _net(x), _net(x, compiles=False)
    for graph in (net, plain):
        graph.variables["f"][0, 0, 0, 0] = np.inf  # type: ignore[index]
    for _ in range(3):
        _assert_same(net.run([x]), plain.run([x]))
    assert False in rows
    for graph in (net, plain):
        graph.variables["f"][0, 0, 0, 0] = 0  # type: ignore[index]
    _assert_same(net.run([x]), plain.run([x]))


def test_runs_at_the_same_time_have_memory_of_their_own(rows: list[bool]):
    net, plain = _net(_image()), _net(_image(), compiles=False)
    for _ in range(3):
        net.run([_image()])
    images = [_image(seed) for seed in range(24)]
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda x: net.run([x]), images)]
    for x, outputs in zip(images, found, strict=True):
        _assert_same(outputs, plain.run([x]))
    assert all(rows)


@pytest.mark.parametrize("limits", [Limits(tensor_bytes=9_000), Limits(elements=1_000)])
def test_limits_say_the_same(limits: Limits, rows: list[bool]):
    messages = []
    for compiles in (True, False):
        net = _net(_image(), compiles=compiles, limits=limits)
        for _ in range(3):
            with pytest.raises(EvaluationFailed) as failed:
                net.run([_image()])
        messages.append((failed.value.message, failed.value.place))
    assert messages[0] == messages[1]
    assert not any(rows)


WITH_BROKEN_COMPILER = """
import numpy as np
import pytest

pytest.importorskip = lambda name: None
import test_rows

test_rows.kernels.WORTH_COMPILING = 0
x = test_rows._image()
net, plain = test_rows._net(x), test_rows._net(x, compiles=False)
for _ in range(3):
    test_rows._assert_same(net.run([x]), plain.run([x]))
"""


@pytest.mark.parametrize("error", ["ImportError", "SystemError"])
def test_a_compiler_that_cannot_be_loaded_is_none(tmp_path: Path, error: str):
    """It fails so if it doesn't know this version of NumPy."""
    package = tmp_path / "numba"
    package.mkdir()
    (package / "__init__.py").write_text(f"raise {error}('numba needs an older NumPy')\n")
    folders = (str(tmp_path), str(Path(__file__).parent), str(Path(__file__).parents[2]))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run(
        [sys.executable, "-c", WITH_BROKEN_COMPILER], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
