"""Models in archives: no client can open their members, so the archive has the diagnostics of its graph."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import PULLING, SERVER, Editor, begin, open_text

_GRAPH = "version 1.0;\ngraph net(x) -> (y)\n{\n    x = external(shape = [2]);\n    y = relu(z);\n}\n"
_OUTER = """version 1.0;
extension tract_registry tract_core;
graph outer(x) -> (y)
{
    x = external(shape = [2]);
    y = tract_core_submodel([x], label = 'model');
}
"""


def _pack(path: Path, graph: str) -> None:
    content = graph.encode()
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("graph.nnef")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _pack(tmp_path / "model.nnef.tgz", _GRAPH)
    (tmp_path / "broken.nnef.tar").write_bytes(b"no archive")
    return tmp_path


@pytest_lsp.fixture(config=SERVER, params=PULLING)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, folder: Path):
    await begin(lsp_client, request.param, folder)
    yield
    await lsp_client.shutdown_session()


async def _pulled(client: Editor, known: list[types.PreviousResultId]) -> dict[str, list[str]]:
    report = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known))
    full = [each for each in report.items if isinstance(each, types.WorkspaceFullDocumentDiagnosticReport)]
    known.clear()
    known += (types.PreviousResultId(each.uri, each.result_id or "") for each in full)
    assert all(
        item.range == types.Range(types.Position(0, 0), types.Position(0, 0)) for each in full for item in each.items
    )
    return {each.uri.rpartition("/")[2]: [item.message for item in each.items] for each in full}


def _changed(client: Editor, path: Path, kind: types.FileChangeType) -> None:
    events = types.DidChangeWatchedFilesParams([types.FileEvent(path.as_uri(), kind)])
    client.workspace_did_change_watched_files(events)


async def test_an_archive_has_the_diagnostics_of_its_graph(client: Editor, folder: Path):
    known: list[types.PreviousResultId] = []
    found = await _pulled(client, known)
    assert found["model.nnef.tgz"] == ["graph.nnef:5:14: there is no 'z' here"]
    (broken,) = found["broken.nnef.tar"]
    assert "graph.nnef:1:1: " in broken

    _pack(folder / "model.nnef.tgz", _GRAPH.replace("(z)", "(x)"))
    _changed(client, folder / "model.nnef.tgz", types.FileChangeType.Changed)
    assert await _pulled(client, known) == {"model.nnef.tgz": []}

    (folder / "broken.nnef.tar").unlink()
    _changed(client, folder / "broken.nnef.tar", types.FileChangeType.Deleted)
    await _pulled(client, known)
    assert not (await _pulled(client, known)).get("broken.nnef.tar")


async def test_a_submodel_in_an_archive_that_changes_is_read_again(client: Editor, folder: Path):
    document = open_text(client, (folder / "graph.nnef").as_uri(), _OUTER)
    params = types.DocumentDiagnosticParams(document)

    async def messages() -> list[str]:
        report = await client.text_document_diagnostic_async(params)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return [each.message for each in report.items]

    assert await messages() == ["'model.nnef.tgz/graph.nnef': there is no 'z' here"]
    _pack(folder / "model.nnef.tgz", _GRAPH.replace("(z)", "(x)"))
    _changed(client, folder / "model.nnef.tgz", types.FileChangeType.Changed)
    assert await messages() == []
