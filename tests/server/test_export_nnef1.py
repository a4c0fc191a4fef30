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
