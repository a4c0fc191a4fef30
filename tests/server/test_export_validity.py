"""Promise of ``snd export`` for every file: onnx.checker accepts it, onnxruntime loads it, or there is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.server.processes import ROOT

onnx = pytest.importorskip("onnx", reason="the development package onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")

OPERATORS = """
import layer, layout, math, nn, quant;
operator dense { @input { x: real[b, d]; } @output { y: real[b, d]; } @variable { weight: real[d, d]; }
    @compose { y = nn.linear(x, weight); } }
operator wrapped { @input { x: real[b, d]; } @output { y: real[b, d]; } @compose { y = dense(x); } }
operator fixed { @input { x: real[b, d]; } @output { y: real[b, d]; } @constant { c: real[1] = [4.0]; }
    @compose { y = math.mul(x, c); } }
operator holding { @input { x: real[b, d]; } @output { y: real[b, d]; } @compose { y = fixed(x); } }
operator scaled { @input { x: real[b, d]; } @output { y: real[b, d]; } @variable { ws: real[d]..(2); }
    @lower { y[i, j] = x[i, j] * ws[0][j,] + ws[1][j,], i < b, j < d; } }
operator counting { @input { x: real[b, d]; } @output { y: real[b, d]; } @variable { total: real[b, d]; }
    @lower { y[i, j] = x[i, j] + total[i, j], i < b, j < d; } @update { total = y; } }
operator shifting { @input { x: real[b, d]; } @output { y: real[b, d]; } @variable { old: real[b, d]..(2); }
    @compose { [one, other] = old; s = math.add(x, one); y = math.mul(s, other); } @update { old = [other, s]; } }
operator keeping { @input { x: real[b, d]; } @output { y: real[b, d]; } @compose { y = shifting(x); } }
"""


def _graph(compose: str, more: str = "", outputs: str = "y: real[2, 4];") -> str:
    return (
        f"{OPERATORS} graph main {{ @input {{ x: real[2, 4]; ps: real[2, 4]..(2); k: real[2, 4] = 1.5; }} "
        f"@output {{ {outputs} }} {more} @compose {{ {compose} }} }}"
    )


SINGLE = [
    "dense",
    "wrapped",
    "fixed",
    "holding",
    "scaled",
    "counting",
    "shifting",
    "keeping",
    "layer.linear{channels=4}",
]


@pytest.mark.parametrize("flat", [(), ("--flat",)])
@pytest.mark.parametrize("operator", SINGLE)
def test_the_only_statement_of_a_graph_may_have_variables(operator: str, flat: tuple[str, ...], project: Path, real):
    (project / "main.sknd").write_text(_graph(f"y = {operator}(x);"), encoding="utf-8")
    outcome = real("export", ".", "-o", "m.onnx", "--verify", *flat)
    assert (outcome.status, outcome.stderr) == (0, "")


@pytest.mark.parametrize("flat", [(), ("--flat",)])
def test_operators_that_update_hand_the_state_on(flat: tuple[str, ...], project: Path, real):
    """Formulas beside ``@update``, a pack that is updated, and an operator that only invokes such a one."""
    text = _graph("a = counting(x); b = shifting(a); y = keeping(b);")
    (project / "main.sknd").write_text(text, encoding="utf-8")
    outcome = real("export", ".", "-o", "m.onnx", "--verify", *flat)
    assert (outcome.status, outcome.stderr) == (0, "")
    names = {each.name for each in onnx.load("m.onnx").graph.output}
    states = ("a.total", "b.old[0]", "b.old[1]", "y.old[0]", "y.old[1]")
    assert names == {"y", *(f"{each}.next" for each in states)}


@pytest.mark.parametrize("flat", [(), ("--flat",)])
def test_outputs_may_be_inputs_variables_and_constants(flat: tuple[str, ...], project: Path, real):
    text = _graph(
        "a = x; b = x; c = ps; d = k; e = v; f = 1.0; g = q; h = [x, x]; y = dense(x);",
        "@constant { q: real[2] = [1.0, 2.0]; } @variable { v: real[4]; }",
        "y: real[2, 4]; a: real[2, 4]; b: real[2, 4]; c: real[2, 4]..(2); d: real[2, 4]; e: real[4]; f: real[]; "
        "g: real[2]; h: real[2, 4]..(2);",
    )
    (project / "main.sknd").write_text(text, encoding="utf-8")
    outcome = real("export", ".", "-o", "m.onnx", "--verify", *flat)
    assert (outcome.status, outcome.stderr) == (0, "")


def test_programs_of_the_tutorial_are_exported(project: Path, real):
    """All that have a graph, but for those with a mistake that the tutorial explains."""
    exported = set()
    for path in sorted((ROOT / "docs/tutorial/programs").glob("*.sknd")):
        if "\ngraph " in path.read_text(encoding="utf-8") and real("check", str(path)).status == 0:
            outcome = real("export", str(path), "-o", "m.onnx", "--verify")
            assert (path.name, outcome.status, outcome.stderr) == (path.name, 0, "")
            exported.add(path.stem)
    assert "control_flow" in exported
    assert len(exported) > 2


@pytest.mark.parametrize(
    "statement",
    [
        "if math.gt(n, 1) then math.neg(z) else math.abs(z)",
        "with t = z, m = n while math.gt(m, 1) do { u = math.neg(t); k = math.sub(m, 1); yield u, k; }",
    ],
)
def test_a_condition_is_not_quantized_though_its_result_has_the_name_of_a_tensor(statement: str, project: Path, real):
    """The result of ``math.gt`` is called ``z``, as ``math.gt`` declares it."""
    names = "i, ~" if statement.startswith("with") else "i"
    (project / "main.sknd").write_text(
        "import math, quant; graph main { @input { z: real[2]; n: int[]; } @output { y: real[2]; } "
        f"@compose {{ {names} = {statement}; y = math.add(i, z); }} "
        "@quantize { z: quant.min_max_linear_quantize{min=-2.0, max=2.0, bits=2}; } }"
    )
    outcome = real("run", ".", "--quantize", "--input", "z=[0.3,0.6]", "--input", "n=2")
    assert (outcome.status, outcome.stderr) == (0, ""), outcome.stdout
    outcome = real("export", ".", "-o", "m.onnx", "--quantize", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")


# ---- files that are refused ------------------------------------------------------------------------------------------
@pytest.fixture
def _broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``nn.relu`` become a node without its input."""
    from snd_server.exchange.onnx_export.registry import COUNTERPARTS

    monkeypatch.setitem(COUNTERPARTS, "nn.relu", lambda call: call.write("Relu", [""]))


@pytest.mark.usefixtures("_broken")
@pytest.mark.parametrize("before", [None, b"old"])
def test_no_file_is_left_that_onnxruntime_does_not_load(before: bytes | None, project: Path, real):
    (project / "main.sknd").write_text(_graph("z = dense(x); t = nn.relu(z); y = math.neg(t);"), encoding="utf-8")
    if before is not None:
        (project / "m.onnx").write_bytes(before)
    outcome = real("export", ".", "-o", "m.onnx")
    assert outcome.status == 1
    assert outcome.stderr.startswith("can't be exported: nn.relu ('t'): ")
    assert "this is a fault of snd, not of the model" in outcome.stderr
    left = {each.name: each.read_bytes() for each in project.iterdir() if each.name != "main.sknd"}
    assert left == ({} if before is None else {"m.onnx": before})


@pytest.mark.usefixtures("_broken")
def test_no_weights_are_left_beside_a_file_that_is_refused(project: Path, real, monkeypatch: pytest.MonkeyPatch):
    import snd_server.exchange.onnx_export.exporting

    monkeypatch.setattr(snd_server.exchange.onnx_export.exporting, "MOST_MODEL_BYTES", 10)
    (project / "main.sknd").write_text(_graph("z = dense(x); y = nn.relu(z);"), encoding="utf-8")
    assert real("export", ".", "-o", "m.onnx").status == 1
    assert [each.name for each in project.iterdir()] == ["main.sknd"]


@pytest.mark.usefixtures("_broken")
def test_python_raises_what_the_command_shows(project: Path):
    import snd

    (project / "main.sknd").write_text(_graph("z = dense(x); y = nn.relu(z);"), encoding="utf-8")
    with pytest.raises(snd.ExportError, match=r"nn\.relu"):
        snd.load(project).export("m.onnx")
    assert [each.name for each in project.iterdir()] == ["main.sknd"]


def test_a_way_that_is_given_up_leaves_no_trace(project: Path, real, monkeypatch: pytest.MonkeyPatch):
    """Nodes that compute extents for one way of writing an operation are gone if another way is taken."""
    from snd_server.exchange.graph_export.errors import Unsuitable
    from snd_server.exchange.onnx_export.registry import COUNTERPARTS

    def give_up(call) -> None:
        call.scope.extents(call.inputs[0].shape)
        raise Unsuitable("another way is to be taken")

    monkeypatch.setitem(COUNTERPARTS, "nn.softmax", give_up)
    text = (
        "import layout, nn; graph main { @input { x: real[n|8, 4]; } @output { y: real[n, 4]; z: real[n, 5]; } "
        "@compose { y = nn.softmax{axes=[1]}(x); z = layout.uniform{shape=[n, 5]}(1.0); } }"
    )
    (project / "main.sknd").write_text(text, encoding="utf-8")
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")


@pytest.mark.parametrize(("compose", "status"), [("y = dense(x);", 0), ("z = dense(x); y = nn.relu(z);", 1)])
@pytest.mark.usefixtures("_broken")
def test_a_pipe_gets_only_what_was_checked(compose: str, status: int, project: Path, real):
    (project / "main.sknd").write_text(_graph(compose), encoding="utf-8")
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert real("export", ".", "-o", "pipe", "-q").status == status
        content = os.read(reader, 1 << 16)
    finally:
        os.close(reader)
    assert (len(content) > 100) == (status == 0)
    if content:
        onnx.checker.check_model(onnx.load_from_string(content))
