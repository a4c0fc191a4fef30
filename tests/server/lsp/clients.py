"""Clients to test with: the capability profiles of real editors, specification warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "snd_server", "lsp"])

EDITORS = ("visual-studio-code", "neovim", "emacs")


async def begin(client: LanguageClient, editor: str, folder: Path | None = None) -> types.InitializeResult:
    """Initializes a session as an editor would, in a workspace folder or none."""

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def _(params: types.RegistrationParams) -> None: ...

    folders = [] if folder is None else [types.WorkspaceFolder(folder.as_uri(), folder.name)]
    return await client.initialize_session(
        types.InitializeParams(capabilities=client_capabilities(editor), workspace_folders=folders)
    )


def open_text(client: LanguageClient, uri: str, text: str, version: int = 1) -> types.TextDocumentIdentifier:
    """Opens a document."""
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "skriptnd", version, text))
    )
    return types.TextDocumentIdentifier(uri)


def position(text: str, snippet: str, behind: str = "") -> types.Position:
    """The position of a snippet behind another; texts without characters that take several units."""
    offset = text.index(snippet, text.index(behind))
    line = text.count("\n", 0, offset)
    return types.Position(line, offset - (text.rfind("\n", 0, offset) + 1))
