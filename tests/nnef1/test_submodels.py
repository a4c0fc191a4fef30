"""``tract_core_submodel``: another model, elaborated where it is invoked, means what tract makes of it."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_analysis.base import OperatorName
from snd_analysis.convert import convert_nnef1
from snd_analysis.ide.languages import front_end
from snd_analysis.model import Tensor
from snd_analysis.workspace import Workspace
from snd_runtime.files import write_tensor
from snd_server.running.weights import stored_weights
from snd_server.workspace_files.files import DiskReader
from support.memory import MemoryReader, snapshot_of
from support.nnef1.running import run_graph

_HEAD = "version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol S;\n"
_ENCODER = f"""{_HEAD}
fragment doubled(x: tensor<scalar>) -> (y: tensor<scalar>) {{ y = 2.0 * x; }}
graph encoder(x) -> (y, z)
{{
    x = external(shape = [S, 3]);
    w = variable(shape = [1, 3], label = 'layer.w');
    y = doubled(x * w);
    z = sum_reduce(y, axes = [1]);
}}
"""
_NETWORK = f"""{_HEAD}
fragment doubled(x: tensor<scalar>) -> (y: tensor<scalar>) {{ y = x + x; }}
graph network(x) -> (h)
{{
    x = external(shape = [S, 3]);
    w = variable(shape = [1, 3], label = 'w');
    (y, z) = tract_core_submodel([doubled(x * w)], label = 'encoder');
    h = add(y, z);
}}
"""
_OUTER = f"""{_HEAD}
graph outer(x) -> (h)
{{
    x = external(shape = [S, 3]);
    h = tract_core_submodel([x], label = 'network');
}}
"""
_FILES = {"layer.w.dat": [[1.0, 2.0, 3.0]]}
_X = np.arange(6, dtype=np.float32).reshape(2, 3)


def _members(graph: str, files: Mapping[str, Any]) -> dict[str, bytes]:
    arrays = {name: write_tensor(np.asarray(array, np.float32)) for name, array in files.items()}
    return {"graph.nnef": graph.encode(), **arrays}


def _packed(members: Mapping[str, bytes], mode: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


_SUBMODEL = _members(_ENCODER, _FILES)
_BESIDE = _members(_NETWORK, {"w.dat": [[0.5, 1.0, 2.0]]})
_IN_FOLDER = {**_BESIDE, **{f"encoder/{name}": content for name, content in _SUBMODEL.items()}}
_IN_TGZ = {**_BESIDE, "encoder.nnef.tgz": _packed(_SUBMODEL, "w:gz")}
_IN_TAR = {**_BESIDE, "encoder.nnef.tar": _packed(_SUBMODEL, "w")}
_NESTED = {"graph.nnef": _OUTER.encode(), "network.nnef.tgz": _packed(_IN_FOLDER, "w:gz")}
_DEEP = {
    "graph.nnef": _OUTER.encode(), **{f"network/{name}": content for name, content in _IN_TGZ.items()}
}  # fmt: skip
LAYOUTS = {"folder": _IN_FOLDER, "tgz": _IN_TGZ, "tar": _IN_TAR, "nested": _NESTED, "deep": _DEEP}


def _written(members: Mapping[str, bytes], folder: Path, kind: str) -> tuple[Path, str]:
    """Write a model; return what tract is to load, and the path of the graph for snd."""
    if kind == "archive":
        path = folder / "model.nnef.tgz"
        path.write_bytes(_packed(members, "w:gz"))
        return path, f"{path}/graph.nnef"
    for name, content in members.items():
        path = folder / "model" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder / "model", str(folder / "model" / "graph.nnef")


def _run(path: str) -> dict[str, Any]:
    snapshot = Workspace(DiskReader()).snapshot()
    assert [each.message for each in snapshot.diagnostics(path)] == []
    return run_graph(snapshot, path, {"x": _X}, dict(stored_weights(snapshot, path, 1 << 20)))


@pytest.mark.parametrize("kind", ["files", "archive"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_submodel_means_what_tract_makes_of_it(layout: str, kind: str, tmp_path: Path):
    if os.environ.get("CI"):
        import tract
    else:
        tract = pytest.importorskip("tract", reason="tract has no wheel for this platform")
    model, path = _written(LAYOUTS[layout], tmp_path, kind)
    (expected,) = tract.nnef().load(str(model)).into_runnable().run([_X])
    np.testing.assert_allclose(_run(path)["h"], expected.to_numpy(), rtol=1e-5)


_TEXTS = {"graph.nnef": _NETWORK, "encoder/graph.nnef": _ENCODER}


def test_symbols_of_a_submodel_are_what_it_is_given():
    network = _NETWORK.replace("shape = [S, 3]", "shape = [4, 3]")
    graph = snapshot_of({**_TEXTS, "graph.nnef": network}).compose(OperatorName("graph.nnef", "network")).graph
    assert graph is not None
    (output,) = graph.outputs.values()
    assert isinstance(output, Tensor)
    assert [str(each) for each in output.shape or ()] == ["4", "3"]


def test_an_edit_of_a_submodel_is_seen_and_one_beside_it_composes_the_same():
    reader = MemoryReader(_TEXTS)
    workspace = Workspace(reader)
    for path, text in _TEXTS.items():
        workspace.open(path, text)
    assert workspace.snapshot().diagnostics("graph.nnef") == ()
    workspace.open("encoder/graph.nnef", _ENCODER.replace("x * w", "x * v"))
    (wrong,) = workspace.snapshot().diagnostics("graph.nnef")
    assert wrong.message == "'encoder/graph.nnef': there is no 'v' here"
    workspace.open("encoder/graph.nnef", _ENCODER)
    workspace.open("graph.nnef", _NETWORK.replace("add(y, z)", "add(y, y)"))
    assert workspace.snapshot().diagnostics("graph.nnef") == ()


def test_names_of_a_submodel_are_not_those_of_the_graph():
    """Both have a fragment 'doubled' and a variable 'w'; the submodel's facts come from its own file."""
    snapshot = snapshot_of({**_TEXTS, "w.dat": "real [1,3]", "encoder/layer.w.dat": "real [1,3]"})
    found = {each.name: each.label for each in snapshot.stored_variables("graph.nnef")}
    assert found == {"w": "w", "y.w": "encoder/layer.w"}
    found_links = front_end("graph.nnef").links(snapshot, "graph.nnef")
    links = [(_NETWORK[each.span.start : each.span.end], each.target) for each in found_links]
    assert links == [("'w'", "w.dat"), ("'encoder'", "encoder/graph.nnef")]


def test_a_graph_with_a_submodel_is_converted_with_it():
    converted = convert_nnef1(snapshot_of(_TEXTS), "graph.nnef", "graph.nnef")
    assert "y_w: real[1, 3];" in converted.text
    assert snapshot_of({"main.sknd": converted.text}).diagnostics("main.sknd") == ()


def test_tract_reads_no_folders_in_the_folder_of_a_submodel():
    encoder = _ENCODER.replace("layer.w", "layer/w")
    (wrong,) = snapshot_of({**_TEXTS, "encoder/graph.nnef": encoder}).diagnostics("graph.nnef")
    assert "tract does not find 'layer/w.dat'" in wrong.message
    assert snapshot_of({"graph.nnef": _NETWORK, "encoder.nnef.tgz/graph.nnef": encoder}).diagnostics("graph.nnef") == ()
