"""Folders of modules that other programs than the editor create and delete; nobody reports their contents."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import SERVER, Editor, begin, codes, open_text, rest
from support.lsp.protocol_texts import BLOCKS, MAIN
from support.waiting import eventually

NESTED = MAIN.replace("blocks", "blocks.inner.more")


@pytest.fixture
def files() -> dict[str, str]:
    return {"blocks/inner/more.sknd": BLOCKS, "main.sknd": NESTED}


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient, folder: Path):
    await begin(lsp_client, "visual-studio-code", folder)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=SERVER)
async def blind(lsp_client: LanguageClient, folder: Path):
    """A client that watches no files."""
    await begin(lsp_client, "neovim@v0.10", folder)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=SERVER)
async def inner(lsp_client: LanguageClient, folder: Path):
    """Yield a client whose workspace is among the packages installed for another."""
    workspace = folder / "node_modules"
    workspace.mkdir()
    await begin(lsp_client, "visual-studio-code", workspace)
    yield
    await lsp_client.shutdown_session()


def tell(client: LanguageClient, folder: Path, *names: str) -> None:
    """That these came, or went, as they are there or not."""
    there = {True: types.FileChangeType.Created, False: types.FileChangeType.Deleted}
    events = [types.FileEvent((folder / name).as_uri(), there[(folder / name).exists()]) for name in names]
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))


async def modules(client: LanguageClient, folder: Path) -> set[str]:
    """The files in which operators are found by their names."""
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("double"))
    return {each.location.uri.removeprefix(folder.as_uri()) for each in found or ()}


async def is_told(client: Editor) -> bool:
    """Return whether the client is told to ask again."""
    await rest(client)
    return bool(client.refreshed)


@pytest.mark.parametrize(
    "told", [("blocks", "parts"), ("blocks", "parts", "blocks/inner", "README", ".git/index.lock")]
)
async def test_a_folder_is_moved(client: Editor, folder: Path, told: tuple[str, ...]):
    uri = (folder / "main.sknd").as_uri()
    open_text(client, uri, NESTED)
    assert await codes(client, uri) == []
    for here, there in (("blocks", "parts"), ("parts", "blocks"), ("blocks", "parts")):
        assert await modules(client, folder) == {f"/{here}/inner/more.sknd"}
        await rest(client)
        client.refreshed.clear()
        (folder / here).rename(folder / there)
        tell(client, folder, *told)
        assert await modules(client, folder) == {f"/{there}/inner/more.sknd"}
        assert await codes(client, uri) == (["module-not-found"] if there == "parts" else [])
        assert await is_told(client)


async def test_a_workspace_may_be_below_what_is_never_entered(inner: Editor, folder: Path):
    model = folder / "node_modules"
    for name in ("blocks", "main.sknd"):
        (folder / name).rename(model / name)
    uri = (model / "main.sknd").as_uri()
    open_text(inner, uri, NESTED)
    assert await codes(inner, uri) == []
    (model / "blocks").rename(model / "parts")
    tell(inner, model, "blocks", "parts")
    assert await codes(inner, uri) == ["module-not-found"]


async def test_a_folder_shadows_another(client: Editor, folder: Path):
    """Modules are looked for beside the importing file first, then in the folder of the model."""
    inner, uri = folder / "inner", (folder / "inner" / "net.sknd").as_uri()
    inner.mkdir()
    (inner / "net.sknd").write_text(NESTED)
    (folder / "elsewhere" / "inner").mkdir(parents=True)
    (folder / "elsewhere" / "inner" / "more.sknd").write_text(BLOCKS.replace("double", "triple"))
    open_text(client, uri, NESTED)
    assert await codes(client, uri) == []
    (folder / "elsewhere").rename(inner / "blocks")
    tell(client, folder, "inner/blocks")
    assert await codes(client, uri) == ["unknown-operator"]
    (inner / "blocks").rename(folder / "elsewhere")
    tell(client, folder, "inner/blocks")
    assert await codes(client, uri) == []


async def test_the_configuration_goes_with_its_folder(client: Editor, folder: Path):
    inner = folder / "inner"
    inner.mkdir()
    (inner / "snd.toml").write_text('ignore = ["unused-import"]\n')
    (inner / "net.sknd").write_text("import nn;\n")
    (folder / "inner").rename(folder / "outer")
    uri = (folder / "outer" / "net.sknd").as_uri()
    open_text(client, uri, "import nn;\n")
    assert await codes(client, uri) == []
    (folder / "outer").rename(folder / "elsewhere")
    tell(client, folder, "outer", "elsewhere")
    assert await codes(client, uri) == ["unused-import"]


async def test_other_folders_are_of_no_concern(client: Editor, folder: Path):
    uri = (folder / "main.sknd").as_uri()
    open_text(client, uri, NESTED)
    await codes(client, uri)
    await rest(client)
    client.refreshed.clear()
    (folder / "build").mkdir()
    (folder / "build" / "main.o").touch()
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "other.sknd").touch()
    tell(client, folder, "build", "build/main.o", "gone", "node_modules")
    assert not await is_told(client)


async def test_folders_are_watched_if_the_client_does_not(blind: Editor, folder: Path):
    uri = (folder / "main.sknd").as_uri()
    open_text(blind, uri, NESTED)
    assert await codes(blind, uri) == []
    blocks, parts = folder / "blocks", folder / "parts"

    async def after_a_move() -> list[str]:  # again each time: nobody is told when watching has begun
        if blocks.exists():
            blocks.rename(parts)
        else:
            parts.rename(blocks)
        await asyncio.sleep(0.1)
        return await codes(blind, uri)

    await eventually(after_a_move, lambda found: found == ["module-not-found"])
