"""Files that are too large to be looked at while one writes cost nobody anything."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import PULLING, Editor, begin, change_text, codes, open_text
from support.lsp.clients import SERVER as SERVER
from support.lsp.protocol_texts import BLOCKS, MAIN, RIGHT

LARGE = BLOCKS + "# A line of a comment that says nothing at all about anything.\n" * 70_000


@pytest.fixture
def files() -> dict[str, str]:
    return {"blocks.sknd": LARGE, "main.sknd": MAIN}


@pytest_lsp.fixture(config=SERVER, params=PULLING)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, folder: Path):
    await begin(lsp_client, request.param, folder)
    yield
    await lsp_client.shutdown_session()


async def test_a_large_file_is_told_and_judges_nobody(client: Editor, folder: Path):
    main, blocks = ((folder / name).as_uri() for name in ("main.sknd", "blocks.sknd"))
    open_text(client, main, MAIN)
    assert await codes(client, main) == []
    report = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    (found,) = [each for each in report.items if each.uri == blocks]
    assert isinstance(found, types.WorkspaceFullDocumentDiagnosticReport)
    (told,) = found.items
    assert told.code == "file-too-large"
    assert told.severity is types.DiagnosticSeverity.Warning
    assert f"{len(LARGE):,} characters" in told.message


async def test_a_document_that_grows_and_shrinks(client: Editor, folder: Path):
    main, blocks = ((folder / name).as_uri() for name in ("main.sknd", "blocks.sknd"))
    open_text(client, main, MAIN)
    document = open_text(client, blocks, BLOCKS.replace("double", "triple"))
    assert await codes(client, main) == ["unknown-operator"]
    change_text(client, blocks, LARGE.replace("double", "triple"), 2)
    assert await codes(client, blocks) == ["file-too-large"]
    assert await codes(client, main) == []
    far = types.Position(60_000, 5)
    assert await client.text_document_hover_async(types.HoverParams(document, far)) is None
    options = types.FormattingOptions(4, True)
    assert not await client.text_document_formatting_async(types.DocumentFormattingParams(document, options))
    change_text(client, blocks, RIGHT, 3)
    assert await codes(client, blocks) == []
    assert await codes(client, main) == ["unknown-operator"]
