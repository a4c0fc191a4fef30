"""A client that asks for diagnostics gets those of the current text, and is told to ask again when they change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_analysis.compose import Failure, root
from snd_analysis.compose.checks.counterexamples import counterexamples
from snd_server.lsp.diagnostics.refresh import Refresher
from support.lsp.clients import PULLING, SERVER, Editor, begin, change_text, codes, open_text, rest
from support.lsp.protocol_texts import BLOCKS, BROKEN, MAIN, RIGHT, UNKNOWN_NAME
from support.waiting import until

_Full = types.RelatedFullDocumentDiagnosticReport


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "blocks.sknd").write_text(BLOCKS)
    (tmp_path / "main.sknd").write_text(MAIN)
    (tmp_path / "wrong.sknd").write_text(UNKNOWN_NAME)
    return tmp_path


@pytest_lsp.fixture(config=SERVER, params=PULLING)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, folder: Path):
    await begin(lsp_client, request.param, folder)
    yield
    await lsp_client.shutdown_session()
    assert not lsp_client.published, "what is pulled must not be pushed besides"


def refreshes(client: LanguageClient) -> bool:
    assert client.capabilities
    assert client.capabilities.workspace
    diagnostics = client.capabilities.workspace.diagnostics
    return bool(diagnostics and diagnostics.refresh_support)


async def test_a_document_from_opening_to_closing(client: Editor):
    uri = "untitled:a"
    document = open_text(client, uri, UNKNOWN_NAME)
    params = types.DocumentDiagnosticParams(document)
    first = await client.text_document_diagnostic_async(params)
    assert isinstance(first, _Full)
    (found,) = first.items
    assert found.code == "undefined-name"
    assert found.source == "snd"
    assert found.severity is types.DiagnosticSeverity.Error
    assert found.code_description is None or found.code_description.href.endswith("#undefined-name")
    again = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(document, previous_result_id=first.result_id)
    )
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
    assert again.result_id == first.result_id
    change_text(client, uri, BROKEN, 2)
    assert await codes(client, uri) == ["unclosed-bracket"]
    change_text(client, uri, RIGHT, 3)
    assert await codes(client, uri) == []
    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    assert await codes(client, uri) == []


async def test_unsaved_texts_count_and_files_come_back(client: Editor, folder: Path):
    main, blocks = ((folder / name).as_uri() for name in ("main.sknd", "blocks.sknd"))
    open_text(client, main, MAIN)
    assert await codes(client, main) == []
    document = open_text(client, blocks, BLOCKS.replace("double", "triple"))
    assert await codes(client, main) == ["unknown-operator"]
    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    assert await codes(client, main) == []


async def test_open_dependants_are_asked_for_again(client: Editor, folder: Path):
    main, blocks = ((folder / name).as_uri() for name in ("main.sknd", "blocks.sknd"))
    open_text(client, main, MAIN)
    open_text(client, blocks, BLOCKS)
    assert await codes(client, main) == await codes(client, blocks) == []
    await rest(client)
    before = client.diagnostic_refresh_count
    change_text(client, blocks, BLOCKS.replace("Doubles", "Does"), 2)
    await codes(client, blocks)
    await rest(client)
    assert client.diagnostic_refresh_count == before, "a comment changes nothing for others"
    change_text(client, blocks, BLOCKS.replace("double", "triple"), 3)
    await rest(client)
    assert client.diagnostic_refresh_count == before + refreshes(client)


CUT = """\
operator cut {
    @input { x: real[n]; }
    @output { y: real[n - 4]; }
    @lower { y[i,] = x[i + 4,], i < n - 4; }
}

graph main {
    @input { x: real[n|100]; }
    @output { y: real[n - 4]; }
    @compose { y = cut(x); }
}
"""


async def test_counterexamples_stay_until_the_next_search(client: Editor, monkeypatch: pytest.MonkeyPatch):
    uri, searches, pause_may_end = "untitled:a", 0, True
    differs = Refresher._differs

    def counted(*args: Any) -> list[Failure]:
        nonlocal searches
        searches += 1
        return counterexamples(*args)

    async def searched(refresher: Refresher) -> bool:
        await until(lambda: pause_may_end)
        return await differs(refresher)

    monkeypatch.setattr(root, "counterexamples", counted)
    monkeypatch.setattr(Refresher, "_differs", searched)
    open_text(client, uri, CUT)
    assert await codes(client, uri) == ["extent-may-be-negative"], "nothing is known of it before"
    assert searches
    await rest(client)
    searches, pause_may_end = 0, False
    text = CUT.replace("i + 4", "i + 3")
    change_text(client, uri, text, 2)
    assert await codes(client, uri) == ["extent-may-be-negative"]
    assert bool(searches) is not refreshes(client)
    pause_may_end = True
    await rest(client)
    before, pause_may_end = client.diagnostic_refresh_count, False
    change_text(client, uri, text.replace("real[n]; }", "real[n]; } @assert { n > 3; }"), 3)
    assert await codes(client, uri) == (["extent-may-be-negative"] if refreshes(client) else [])
    pause_may_end = True
    await rest(client)
    assert client.diagnostic_refresh_count == before + refreshes(client)
    assert await codes(client, uri) == []
    pause_may_end = False
    change_text(client, uri, text, 4)
    assert await codes(client, uri) == ([] if refreshes(client) else ["extent-may-be-negative"])
    pause_may_end = True
    await rest(client)
    assert client.diagnostic_refresh_count == before + 2 * refreshes(client)
    assert await codes(client, uri) == ["extent-may-be-negative"]


async def test_related_places_in_other_files(client: Editor, folder: Path):
    main = (folder / "main.sknd").as_uri()
    open_text(client, main, MAIN.replace("a: real[4];", "a: real[4,4];"))
    report = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(types.TextDocumentIdentifier(main))
    )
    assert isinstance(report, _Full)
    assert client.capabilities
    related = [place.location.uri for each in report.items for place in each.related_information or ()]
    assert report.items
    assert (folder / "blocks.sknd").as_uri() in related


async def test_the_whole_workspace(client: Editor, folder: Path):
    main = (folder / "main.sknd").as_uri()
    open_text(client, main, MAIN.replace("blocks.double", "blocks.triple"), version=7)
    report = await client.workspace_diagnostic_async(
        types.WorkspaceDiagnosticParams([], identifier="snd", work_done_token="w", partial_result_token="p")
    )
    assert not report.items, "they came bit by bit"
    partial = [item for each in client.partial if each.token == "p" for item in each.value["items"]]
    found = {item["uri"].rpartition("/")[2]: (item["version"], [each["code"] for each in item["items"]])
             for item in partial}  # fmt: skip
    assert found == {
        "blocks.sknd": (None, []),
        "main.sknd": (7, ["unknown-operator"]),
        "wrong.sknd": (None, ["undefined-name"]),
    }
    kinds = [each.value["kind"] for each in client.partial if each.token == "w"]
    assert kinds[0] == "begin"
    assert kinds[-1] == "end"
    assert "report" in kinds
    (folder / "wrong.sknd").unlink()
    client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent((folder / "wrong.sknd").as_uri(), types.FileChangeType.Deleted)]
        )
    )
    known = [types.PreviousResultId(item["uri"], item["resultId"]) for item in partial]
    report = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known))
    kinds = {item.uri.rpartition("/")[2]: item.kind for item in report.items}
    assert kinds == {"blocks.sknd": "unchanged", "main.sknd": "unchanged", "wrong.sknd": "full"}
    (gone,) = [item for item in report.items if item.kind == "full"]
    assert isinstance(gone, types.WorkspaceFullDocumentDiagnosticReport)
    assert not gone.items, "what has vanished shows nothing"
