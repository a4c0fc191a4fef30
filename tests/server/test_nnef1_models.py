"""Models in NNEF 1.0 on disk: folders, files and archives, and their problems."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_runtime.files import write_tensor
from snd_server.workspace_files import archives

pytestmark = pytest.mark.usefixtures("evaluated_here")

Run = Callable[..., Any]


GRAPH = """version 1.0;

graph net(x) -> (y)
{
    x = external(shape = [2, 3]);
    w = variable(shape = [3], label = 'block/w');
    v = transpose(unsqueezed, axes = [1, 0]);
    y = mul(x, v);
}
""".replace("    v =", "    unsqueezed = unsqueeze(w, axes = [1]);\n    v =")
WEIGHT = np.array([1.0, 10.0, 100.0], np.float32)


@pytest.fixture
def snd(real: Run) -> Run:
    """``snd ARGUMENT…``; paths are written out."""
    return lambda *arguments: real(*map(str, arguments))


def _files(label: str = "block/w") -> dict[str, bytes]:
    return {"graph.nnef": GRAPH.encode(), f"{label}.dat": write_tensor(WEIGHT)}


def _folder(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def _archive(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix in (".tgz", ".gz") else "w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def _runs(snd: Run, path: Path, out: Path) -> None:
    result = snd("run", path, "--input", "x=[[1.0,1.0,1.0],[2.0,2.0,2.0]]", "--output", out)
    assert result.status == 0, result.stdout
    np.testing.assert_array_equal(np.load(out / "y.npy"), [WEIGHT, 2 * WEIGHT])


def test_a_folder_is_checked_shown_and_run(snd: Run, tmp_path: Path):
    folder = _folder(tmp_path / "model", _files())
    assert snd("check", "--no-cache", folder).status == 0
    assert "real[2,3]" in snd("shapes", folder).stdout
    _runs(snd, folder, tmp_path / "out")
    _runs(snd, folder / "graph.nnef", tmp_path / "out")


@pytest.mark.parametrize("name", ["model.nnef.tgz", "model.tar.gz", "model.tar", "model.nnef.tar"])
def test_archives_are_checked_shown_and_run(snd: Run, tmp_path: Path, name: str):
    path = _archive(tmp_path / name, _files())
    assert snd("check", "--no-cache", path).status == 0
    assert "real[2,3]" in snd("shapes", path).stdout
    _runs(snd, path, tmp_path / "out")


def test_what_is_wrong_in_an_archive_is_told_of_its_member(snd: Run, tmp_path: Path):
    files = {**_files(), "block/w.dat": write_tensor(np.zeros(4, np.float32))}
    result = snd("check", "--no-cache", "--format", "concise", _archive(tmp_path / "m.nnef.tgz", files))
    assert result.status == 1
    assert "m.nnef.tgz/graph.nnef:6:" in result.stdout
    assert "its file has [4]" in result.stdout


def test_a_tensor_file_that_is_none_is_told_at_its_label(snd: Run, tmp_path: Path):
    folder = _folder(tmp_path, {**_files(), "block/w.dat": b"no tensor" * 40})
    result = snd("check", "--no-cache", "--format", "concise", folder)
    assert result.status == 1
    assert "graph.nnef:6:39: error[invalid-tensor-file]" in result.stdout


def test_archives_that_are_none_or_lie_cost_a_message(snd: Run, tmp_path: Path):
    whole = _archive(tmp_path / "whole.nnef.tgz", _files()).read_bytes()
    for number, content in enumerate([b"", b"no archive", gzip.compress(b"no archive" * 99), whole[: len(whole) // 2]]):
        path = tmp_path / f"{number}.nnef.tgz"
        path.write_bytes(content)
        result = snd("check", "--no-cache", "--format", "concise", path)
        assert result.status == 2, content[:20]
        assert "unreadable-file" in result.stdout


def test_members_never_lead_out_of_an_archive(tmp_path: Path):
    outside = {"../w.dat": write_tensor(WEIGHT), "/w.dat": write_tensor(WEIGHT), ".hidden/w.dat": write_tensor(WEIGHT)}
    for name, content in outside.items():
        path = _archive(tmp_path / "m.tar", {**_files(), name: content})
        if name.startswith(".hidden"):
            assert archives.read_members(str(path), lambda name: 1, 9).keys() == {"graph.nnef", "block/w.dat"}
        else:
            with pytest.raises(OSError, match=f"the member '{name}' lies outside of the archive"):
                archives.read_members(str(path), lambda name: 1, 9)


def test_labels_never_lead_out_of_a_folder(snd: Run, tmp_path: Path):
    folder = _folder(tmp_path / "model", {"graph.nnef": GRAPH.replace("block/w", "../w").encode()})
    _folder(tmp_path, {"w.dat": write_tensor(WEIGHT)})
    result = snd("check", "--no-cache", "--format", "concise", folder)
    assert "leads out of the folder" in result.stdout


def test_archives_unfold_to_a_limit(snd: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archives, "MOST_ARCHIVE_BYTES", 1 << 20)
    path = _archive(tmp_path / "bomb.nnef.tgz", {**_files(), "big.dat": bytes(2 << 20)})
    result = snd("check", "--no-cache", "--format", "concise", path)
    assert result.status == 2
    assert "unfolds to more than" in result.stdout


def test_r138_an_archive_without_a_graph_is_told(snd: Run, tmp_path: Path):
    result = snd("check", "--no-cache", "--format", "concise", _archive(tmp_path / "m.tar", {"other.nnef": b""}))
    assert result.status == 2
    assert "there is no graph.nnef in the archive" in result.stdout
    result = snd("check", "--no-cache", "--format", "concise", _archive(tmp_path / "f.tar", {"net/graph.nnef": b""}))
    assert "only net/graph.nnef: pack what is in the folder" in result.stdout


def test_a_run_of_a_graph_with_mistakes_tells_them(snd: Run, tmp_path: Path):
    files = {**_files(), "graph.nnef": GRAPH.replace("mul(x, v)", "rolu(x)").encode()}
    result = snd("run", _folder(tmp_path / "model", files))
    assert result.status == 1, result.stderr
    assert "rolu" in result.stdout


def test_numbers_that_are_kept_in_tensor_files_are_attributes(snd: Run, tmp_path: Path):
    text = """version 1.0;
extension tract_registry tract_core;
graph net(x) -> (y)
{
    x = external(shape = [2]);
    a = variable<scalar>(shape = [], label = 'a');
    y = leaky_relu(x, alpha = a);
}
"""
    files = {"graph.nnef": text.encode(), "a.dat": write_tensor(np.array(0.5, np.float32))}
    folder = _folder(tmp_path / "model", files)
    assert snd("check", "--no-cache", folder).status == 0
    assert snd("run", folder, "--input", "x=[-1.0,2.0]", "--output", tmp_path / "out").status == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "y.npy"), [-0.5, 2.0])


def test_files_are_formatted_but_not_in_archives(snd: Run, tmp_path: Path):
    folder = _folder(tmp_path / "model", _files())
    ugly = GRAPH.replace(" = ", "=").encode()
    (folder / "graph.nnef").write_bytes(ugly)
    assert snd("fmt", "--check", folder).status == 1
    assert "+    y = mul(x, v);" in snd("fmt", "--diff", folder).stdout
    assert snd("fmt", folder).status == 0
    assert (folder / "graph.nnef").read_text() == GRAPH
    path = _archive(tmp_path / "m.nnef.tgz", {**_files(), "graph.nnef": ugly})
    before = path.read_bytes()
    assert snd("fmt", "--check", path).status == 1
    assert snd("fmt", path).status == 2
    assert path.read_bytes() == before


def test_standard_input_is_formatted_in_its_language(real: Run):
    ugly = GRAPH.replace(" = ", "=").encode()
    assert real("fmt", "-", stdin=ugly).stdout == GRAPH
    assert real("fmt", "--stdin-filename", "graph.nnef", "-", stdin=ugly).stdout == GRAPH
    assert real("fmt", "--check", "-", stdin=GRAPH.encode()).status == 0
    assert real("fmt", "--stdin-filename", "graph.nnef").status == 2


def test_fixes_are_not_written_into_archives(snd: Run, tmp_path: Path):
    path = _archive(tmp_path / "m.tar", {"graph.nnef": GRAPH.replace("mul(x, v)", "x * v").encode()})
    before = path.read_bytes()
    assert snd("check", "--no-cache", "--fix", path).status == 1
    assert path.read_bytes() == before


def test_a_file_of_quantizations_is_checked_with_its_graph(snd: Run, tmp_path: Path):
    files = {**_files(), "graph.quant": b'"x": linear_quantize(min = 0.0, max = 1.0);\n'}
    for path in (_folder(tmp_path / "model", files), _archive(tmp_path / "m.nnef.tgz", files)):
        result = snd("check", "--no-cache", "--format", "concise", path)
        assert result.status == 1
        assert f"{path}/graph.quant:1:6: error[missing-argument]" in result.stdout
    counted = snd("check", "--no-cache", "--format", "json", path).stdout
    assert json.loads(counted)["summary"]["files"] == 1


def test_a_run_that_would_leave_out_a_quantization_says_so(snd: Run, tmp_path: Path):
    fragment = """
extension KHR_enable_fragment_definitions;
fragment step_quantize(x: tensor<scalar>, step: scalar) -> (y: tensor<scalar>)
{
    y = mul(x, step);
}
"""
    graph = GRAPH.replace("version 1.0;\n", f"version 1.0;{fragment}")
    files = {**_files(), "graph.nnef": graph.encode(), "graph.quant": b'"x": step_quantize(step = 0.5);\n'}
    folder = _folder(tmp_path / "model", files)
    assert snd("check", "--no-cache", folder).status == 0
    assert snd("run", folder).status == 0
    assert snd("run", "--quantize", folder).status == 0
    (folder / "graph.nnef").write_bytes(graph.replace("mul(x, step)", "sum_reduce(x, axes = [0])").encode())
    refused = snd("run", "--quantize", folder)
    assert refused.status == 2
    assert "'step_quantize' of graph.quant can't be applied to 'x': it gives no tensor of the same" in refused.stderr
