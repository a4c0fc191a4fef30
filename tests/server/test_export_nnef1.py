"""``snd export -o NAME.nnef.tgz``: models in NNEF 1.0, in both dialects."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest

from snd_analysis.workspace import Workspace
from snd_runtime.files import read_tensor
from snd_server.workspace_files.files import DiskReader

pytest.importorskip("tract", reason="tract has no wheel for this platform")

NET = """
import layout, math, nn;
operator block { @input { x: real[b, c, h, w]; } @output { y: real[b, c, h, w]; }
    @variable { filter: real[c, c, 3, 3]; bias: real[c]; }
    @compose { z = nn.conv{padding=[1, 1, 1, 1]}(x, filter, bias); a = nn.relu(z); y = math.add(a, x); } }
graph Net { @input { x: real[1, 4, 8, 8]; } @output { y: real[1, 10]; }
    @variable { w: real[10, 64]; b: real[10]; }
    @compose {
        a = block(x);
        c = block(a);
        p = nn.max_pool{size=[2, 2], stride=[2, 2]}(c);
        f = layout.flatten{axis=1}(p);
        g = nn.linear(f, w, b);
        y = nn.softmax{axes=[1]}(g);
    } }
"""


def _model(project: Path, text: str) -> None:
    (project / "main.sknd").write_text(text, encoding="utf-8")


def _members(path: str) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {each.name: archive.extractfile(each).read() for each in archive.getmembers()}  # type: ignore[union-attr]


@pytest.mark.parametrize("dialect", ["tract", "khronos"])
def test_a_network_runs_in_tract_and_in_the_reader_of_snd(project: Path, real, dialect: str):
    _model(project, NET)
    run = real("export", "main.sknd", "-o", "m.nnef.tgz", "--dialect", dialect, "--verify")
    assert run.status == 0, run.stderr
    engines = ["tract", "snd's reader of NNEF 1.0"] if dialect == "tract" else ["snd's reader of NNEF 1.0"]
    lines = [f"{engine} computes the same outputs on random inputs" for engine in engines]
    assert run.stdout.splitlines() == ["m.nnef.tgz: 7 operations, 1 fragment", *lines]


def test_operators_are_fragments_and_variables_keep_their_names(project: Path, real):
    _model(project, NET)
    assert real("export", "main.sknd", "-o", "m.nnef.tar").status == 0
    members = _members("m.nnef.tar")
    assert {*members} == {
        "graph.nnef", "w.dat", "b.dat", "a.filter.dat", "a.bias.dat", "c.filter.dat", "c.bias.dat"
    }  # fmt: skip
    assert read_tensor(members["a.filter.dat"]).shape == (4, 4, 3, 3)
    text = members["graph.nnef"].decode()
    assert "fragment block(" in text
    assert "    a = block(x, a_filter, a_bias);\n    c = block(a, c_filter, c_bias);" in text
    assert real("export", "main.sknd", "-o", "flat.nnef.tar", "--flat").status == 0
    assert "fragment" not in _members("flat.nnef.tar")["graph.nnef"].decode()


def test_a_text_has_its_tensors_beside_it(project: Path, real):
    _model(project, NET)
    assert real("export", "main.sknd", "-o", "model/graph.nnef", "--seed", "3").status == 0
    snapshot = Workspace(DiskReader()).snapshot()
    assert [each.message for each in snapshot.diagnostics("model/graph.nnef")] == []
    assert read_tensor(Path("model/w.dat").read_bytes()).dtype == np.float32
    again = real("export", "main.sknd", "-o", "model/graph.nnef")
    assert again.status != 0
    assert "is not replaced by a result" in again.stderr


def test_the_same_model_is_the_same_bytes(project: Path, real):
    _model(project, NET)
    for name in ("one.nnef.tgz", "two.nnef.tgz"):
        assert real("export", "main.sknd", "-o", name).status == 0
    assert Path("one.nnef.tgz").read_bytes() == Path("two.nnef.tgz").read_bytes()


def test_operators_without_a_form_are_listed_and_nothing_is_written(project: Path, real):
    _model(
        project,
        """
        import algo, math;
        operator own { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,] + 1.0, i < n; } }
        graph G { @input { x: real[4]; } @output { y: real[4]; z: int[]; }
            @compose { a = own(x); y = math.neg(a); i = math.argmax_nd(y); z = math.sum_reduce{squeeze=true}(i); } }
        """,
    )
    run = real("export", "main.sknd", "-o", "m.nnef.tgz")
    assert run.status == 1
    assert run.stderr.splitlines() == [
        "can't be exported: math.argmax_nd: NNEF 1.0 has no such operation, and no formulas of operators",
        "can't be exported: own: NNEF 1.0 has no such operation, and no formulas of operators",
    ]
    assert not Path("m.nnef.tgz").exists()


SYMBOLS = """
import layout;
graph Attention { @input { x: real[B|16, S|64, 8]; m: real[S, T|200]; past: real[B, P|100, 8]; }
    @output { y: real[B, P + S, 8]; z: real[S, 2 * T]; }
    @assert { T == P + S: "the mask covers the past"; S >= 2: "there are two"; }
    @compose { y = layout.concat{axis=1}([past, x]); z = layout.concat{axis=1}([m, m]); } }
"""


def test_extents_are_symbols_with_assertions(project: Path, real):
    _model(project, SYMBOLS)
    assert real("export", "main.sknd", "-o", "m.nnef.tar", "--verify").status == 0
    text = _members("m.nnef.tar")["graph.nnef"].decode()
    for line in (
        "tract_symbol P", "tract_assert B <= 16", "tract_assert (P + S - T) == 0", "tract_assert (S - 2) >= 0",
    ):  # fmt: skip
        assert f"extension {line};" in text
    assert "x = external<scalar>(shape = [B, S, 8]);" in text


def test_khronos_dialect_has_no_symbols(project: Path, real):
    _model(project, SYMBOLS)
    run = real("export", "main.sknd", "-o", "m.nnef.tar", "--dialect", "khronos")
    assert run.status == 1
    assert "x: Khronos' dialect has no symbols for extents; --input NAME=EXTENTS chooses numbers" in run.stderr
    given = ["--input", "x=1,4,8", "--input", "m=4,7", "--input", "past=1,3,8"]
    assert real("export", "main.sknd", "-o", "m.nnef.tar", "--dialect", "khronos", *given, "--verify").status == 0


QUANTIZED = """
import nn, quant;
graph Q { @input { x: real[2, 4]; } @output { y: real[2, 4]; } @variable { w: real[4, 4]; }
    @compose { z = nn.linear(x, w); y = nn.relu(z); }
    @quantize {
        x: quant.zero_point_linear_quantize{zero_point=3, scale=0.05, bits=8};
        w: quant.zero_point_linear_quantize{zero_point=0, scale=[0.1, 0.2, 0.1, 0.1], bits=8, channel_axis=0};
        z: quant.min_max_linear_quantize{min=-2.0, max=2.0, bits=4, signed=false};
    } }
"""


def test_quantizations_are_in_a_file_of_khronos_dialect(project: Path, real):
    _model(project, QUANTIZED)
    run = real("export", "main.sknd", "-o", "m.nnef.tar", "--dialect", "khronos", "--verify")
    assert run.status == 0
    assert run.stderr == ("warning: the quantization of 'w' is left out: its channels have different values\n")
    assert _members("m.nnef.tar")["graph.quant"].decode().splitlines() == [
        '"x": zero_point_linear_quantize(zero_point = 3, scale = 0.05, bits = 8, signed = true, symmetric = false);',
        '"z": min_max_linear_quantize(min = -2.0, max = 2.0, bits = 4, signed = false, symmetric = false);',
    ]


@pytest.mark.parametrize("dialect", ["tract", "khronos"])
def test_quantized_models_compute_what_run_quantize_computes(project: Path, real, dialect: str):
    _model(project, QUANTIZED)
    run = real("export", "main.sknd", "-o", "m.nnef.tar", "--dialect", dialect, "--quantize", "--verify")
    assert (run.status, run.stderr) == (0, "")


def test_tract_has_no_quantizations_unless_they_are_operations(project: Path, real):
    _model(project, QUANTIZED)
    run = real("export", "main.sknd", "-o", "m.nnef.tar")
    assert "warning: the quantizations of '@quantize' are left out; --quantize writes them as operations" in run.stderr


LOOPS = """
import layout, math, nn;
operator cell { @input { h: real[1, 3]; x: real[1, 3]; } @output { y: real[1, 3]; } @variable { w: real[3, 3]; }
    @compose { r = nn.linear(h, w); s = math.add(r, x); y = math.tanh(s); } }
graph R { @input { x: real[T|9, 1, 3]; } @output { y: real[T, 1, 3]; last: real[1, 3]; }
    @compose {
        xs..(T) = layout.unstack{axis=0}(x);
        last, ys = with h = 0.0 for xi : xs do { n = c: cell(h, xi); yield n, n; };
        y = layout.stack{axis=0}(ys);
    } }
"""


def test_loops_are_scans(project: Path, real):
    _model(project, LOOPS.replace("h = 0.0", "h = start").replace("{ x: real[T|9", "{ start: real[1, 3]; x: real[T|9"))
    run = real("export", "main.sknd", "-o", "m.nnef.tar", "--verify")
    assert run.status == 0, run.stderr
    text = _members("m.nnef.tar")["graph.nnef"].decode()
    assert "scan = [('xi', x, 0, 1)]" in text
    assert "state = [('h', start, 'n')]" in text


def test_python_exports_nnef1(project: Path):
    import snd

    _model(project, NET)
    snd.load(project, missing="random").export("m.nnef.tgz", dialect="khronos")
    assert b"KHR_enable_fragment_definitions" in _members("m.nnef.tgz")["graph.nnef"]
    formula = "y[i,] = x[i,] + 1.0, i < 4;"
    _model(project, f"graph G {{ @input {{ x: real[4]; }} @output {{ y: real[4]; }} @compose {{ y = own(x); }} }} "
           f"operator own {{ @input {{ x: real[4]; }} @output {{ y: real[4]; }} @lower {{ {formula} }} }}")  # fmt: skip
    with pytest.raises(snd.ExportError, match="own"):
        snd.load(project).export("other.nnef.tgz")
    assert not Path("other.nnef.tgz").exists()


def test_a_constant_of_strings_is_listed(project, real):
    (project / "m.sknd").write_text(
        "graph main { @output { y: str[2]; } @constant { c: str[2] = ['a', 'b']; } @compose { y = c; } }"
    )
    outcome = real("export", "m.sknd", "-o", "m.nnef.tgz")
    assert outcome.status == 1
    assert "the constant 'c': NNEF 1.0 has no tensors of strings" in outcome.stderr
    assert not (project / "m.nnef.tgz").exists()


@pytest.mark.parametrize(("dtype", "is_told"), [("int", True), ("real", False)])
def test_sums_of_ints_are_told_to_differ_in_tract(project, real, dtype: str, is_told: bool):
    (project / "m.sknd").write_text(
        f"import math; graph main {{ @input {{ x: {dtype}[2, 3]; }} @output {{ y: {dtype}[2, 1]; }} "
        "@compose { y = math.sum_reduce{axes=[1]}(x); } }"
    )
    outcome = real("export", "m.sknd", "-o", "m.nnef.tgz")
    assert outcome.status == 0
    assert ("tract sums ints in 32 bits" in outcome.stderr) == is_told
