"""From opening a document to closing it."""

from __future__ import annotations

import sys

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, "-m", "snd_server", "lsp"]))
async def client(lsp_client: LanguageClient):
    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def _(params: types.RegistrationParams) -> None: ...

    await lsp_client.initialize_session(
        types.InitializeParams(capabilities=client_capabilities("visual-studio-code"), workspace_folders=[])
    )
    yield
    await lsp_client.shutdown_session()


async def test_a_mistake_is_told_and_mended(client: LanguageClient):
    uri = "untitled:a.sknd"
    text = (
        "operator f {\n    @input { x: real[n]; }\n    @output { y: real[m]; }\n    @lower { y[i] = x[i], i < n; }\n}\n"
    )
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "skriptnd", 1, text)))
    report = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    )
    assert [each.code for each in report.items], report
    assert report.items[0].code_description
