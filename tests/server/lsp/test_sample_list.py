"""``snd/samples``, and the notification about running evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pytest_lsp import LanguageClient

from support.lsp.clients import SERVER, capabilities, open_text, rest
from support.lsp.gate import Gate
from support.waiting import until

URI = "untitled:samples"
TEXT = """# Doubles: 𝒙 + 𝒙.
# >>> double([1.0, 2.0])
# y: real[2] = [2.0, 4.0]
#
# >>> double([1.0, 2.0])
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] + x[i,], i < n; }
}
"""


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient):
    lsp_client.set_configuration({"snd": {"evaluation": {"automatic": False}}})
    lsp_client.told = []

    @lsp_client.feature("snd/evaluationStatus")
    def _(params: Any) -> None:
        lsp_client.told.append((params.running, params.pending))

    offered = capabilities("visual-studio-code")
    offered.experimental = {"evaluationStatus": True}
    await lsp_client.initialize_session(types.InitializeParams(capabilities=offered))
    yield
    await lsp_client.shutdown_session()


async def asked(client: LanguageClient, **more: Any) -> Any:
    return await client.protocol.send_request_async("snd/samples", {"textDocument": {"uri": URI}, **more})


async def test_samples_of_a_document(client: LanguageClient):
    open_text(client, URI, TEXT)
    first, second = (await asked(client)).samples
    assert (first.sample.code, first.sample.occurrence) == (second.sample.code, 0)
    assert second.sample.occurrence == 1
    assert (first.target, first.canRun, first.age) == ("double", True, "none")
    assert (first.range.start.line, first.range.end.line) == (1, 2)
    assert (first.codeRange.start.line, first.codeRange.end.line) == (1, 1)
    assert second.range.start.line == 4


async def test_the_sample_at_a_position(client: LanguageClient):
    open_text(client, URI, TEXT)
    found = (await asked(client, position={"line": 4, "character": 9})).samples
    assert [each.sample.occurrence for each in found] == [1]
    assert (await asked(client, position={"line": 7, "character": 0})).samples == []


async def test_bad_parameters_are_refused(client: LanguageClient):
    with pytest.raises(JsonRpcInvalidParams):
        await asked(client, position={"line": -1, "character": 0})
    with pytest.raises(JsonRpcInvalidParams):
        await client.protocol.send_request_async("snd/samples", {})


async def test_files_with_samples(client: LanguageClient, tmp_path: Path):
    """Open documents, and files of the workspace; one that only mentions the mark has none."""
    (tmp_path / "closed.sknd").write_text(TEXT, encoding="utf-8")
    (tmp_path / "without.sknd").write_text(TEXT.replace(">>>", "> > >"), encoding="utf-8")
    (tmp_path / "mentioned.sknd").write_text("# Samples begin with '>>>'.\n", encoding="utf-8")
    event = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(tmp_path.as_uri(), "folder")], [])
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    open_text(client, URI, TEXT)
    found = await client.protocol.send_request_async("snd/sampleFiles", {})
    assert sorted(found.uris) == sorted([(tmp_path / "closed.sknd").as_uri(), URI])


async def test_what_is_evaluated_is_told(client: LanguageClient, gate: Gate):
    open_text(client, URI, TEXT)
    first, _ = (await asked(client)).samples
    sample = {"code": first.sample.code, "occurrence": 0}
    gate.close()
    await client.workspace_execute_command_async(types.ExecuteCommandParams("snd.evaluate", [URI, sample]))
    await until(lambda: (1, 0) in client.told)
    gate.open()
    await rest(client)
    assert client.told[-1] == (0, 0)
    assert (await asked(client)).samples[0].age == "fresh"
