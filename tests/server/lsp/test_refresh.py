"""Clients are told to ask again for colours, hints and lenses, when something else than the document changed them."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from support.lsp.clients import ALL_EDITORS, REFRESHES, Editor, change_text, open_text, rest
from support.lsp.protocol_texts import BLOCKS, MAIN

pytestmark = pytest.mark.parametrize("client", ALL_EDITORS, indirect=True)


def supported(client: Editor) -> set[str]:
    """Return the requests that the client can be told to repeat."""
    workspace = client.capabilities.workspace if client.capabilities else None
    assert workspace
    kinds = dict(zip(REFRESHES, (workspace.semantic_tokens, workspace.inlay_hint, workspace.code_lens), strict=True))
    return {method for method, kind in kinds.items() if kind and kind.refresh_support}


async def asked_again(client: Editor) -> set[str]:
    """Return the requests that the client is told to repeat, from now on."""
    client.refreshed.clear()
    await rest(client)
    return set(client.refreshed)


async def test_signatures_of_other_documents_matter(client: Editor, folder: Path):
    main, blocks = ((folder / name).as_uri() for name in ("main.sknd", "blocks.sknd"))
    open_text(client, main, MAIN)
    open_text(client, blocks, BLOCKS)
    await asked_again(client)
    change_text(client, blocks, BLOCKS.replace("+ x[i,]", "* x[i,]"), 2)
    assert types.WORKSPACE_SEMANTIC_TOKENS_REFRESH not in await asked_again(client), "a body is of no concern to others"
    change_text(client, blocks, BLOCKS.replace("y: real[n]", "y: real[n,n]"), 3)
    assert await asked_again(client) == supported(client)
    client.refreshed.clear()
    for version in range(4, 24):
        change_text(client, blocks, BLOCKS.replace("double", "triple" if version % 2 else "double"), version)
    await rest(client)
    assert client.refreshed.count(types.WORKSPACE_SEMANTIC_TOKENS_REFRESH) < 5, "once for all that is done together"
    assert set(client.refreshed) == supported(client)


async def test_a_document_alone_is_asked_about_anyway(client: Editor, folder: Path):
    blocks = (folder / "blocks.sknd").as_uri()
    open_text(client, blocks, BLOCKS)
    await asked_again(client)
    change_text(client, blocks, BLOCKS.replace("double", "triple"), 2)
    assert types.WORKSPACE_SEMANTIC_TOKENS_REFRESH not in await asked_again(client)


async def test_settings_and_files_matter_for_all(client: Editor, folder: Path):
    open_text(client, (folder / "main.sknd").as_uri(), MAIN)
    await asked_again(client)
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"snd": {"inlayHints": False}}))
    assert await asked_again(client) == supported(client)
    (folder / "blocks.sknd").write_text(BLOCKS.replace("double", "triple"))
    event = types.FileEvent((folder / "blocks.sknd").as_uri(), types.FileChangeType.Changed)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    assert await asked_again(client) == supported(client)
