"""Renaming over the wire: of names, of modules with their files, of files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from support.lsp.clients import change_text, open_text, position

BLOCKS = """operator double {
    @attrib { gain: real = 2.0; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = gain * x[i,], i < n; }
}
"""
MAIN = """import parts.blocks;

# 𝄞 >>> is no sample
# >>> parts.blocks.double{gain=1.0}([1.0])
graph main {
    @input { a: real[4]; }
    @output { b: real[4]; }
    @compose { b = parts.blocks.double{gain=3.0}(a); }
}
"""


@pytest.fixture
def files() -> dict[str, str]:
    return {"parts/blocks.sknd": BLOCKS, "main.sknd": MAIN}


def _offset(text: str, place: types.Position) -> int:
    """The offset in a text whose lines with edits have no character of several units."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: place.line])) + place.character


def _apply(text: str, edits: list[types.TextEdit]) -> str:
    for edit in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True):
        start, end = _offset(text, edit.range.start), _offset(text, edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


def _edits(found: types.WorkspaceEdit | None) -> dict[str, list[types.TextEdit]]:
    assert found is not None
    if found.document_changes is None:
        return {uri: [*edits] for uri, edits in (found.changes or {}).items()}
    texts = [each for each in found.document_changes if isinstance(each, types.TextDocumentEdit)]
    edits: dict[str, list[types.TextEdit]] = {}
    for each in texts:
        edits[each.text_document.uri] = [edit for edit in each.edits if isinstance(edit, types.TextEdit)]
    return edits


async def test_an_attribute_is_renamed_in_all_files(client: LanguageClient, folder: Path):
    main, blocks = (folder / "main.sknd").as_uri(), (folder / "parts" / "blocks.sknd").as_uri()
    document = open_text(client, blocks, BLOCKS)
    place = position(BLOCKS, "gain")
    prepared = await client.text_document_prepare_rename_async(types.PrepareRenameParams(document, place))
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert prepared.placeholder == "gain"
    assert prepared.range.start == place
    found = await client.text_document_rename_async(types.RenameParams(document, place, "factor"))
    edits = _edits(found)
    assert _apply(BLOCKS, edits[blocks]) == BLOCKS.replace("gain", "factor")
    assert _apply(MAIN, edits[main]) == MAIN.replace("gain", "factor")


async def test_edits_are_of_the_version_that_the_client_has(client: LanguageClient, folder: Path):
    uri = (folder / "parts" / "blocks.sknd").as_uri()
    document = open_text(client, uri, BLOCKS)
    changed = f"# More.\n{BLOCKS}"
    change_text(client, uri, changed, 7)
    found = await client.text_document_rename_async(types.RenameParams(document, position(changed, "x:"), "data"))
    assert _apply(changed, _edits(found)[uri]) == changed.replace("x:", "data:").replace("x[", "data[")
    assert found is not None
    for each in found.document_changes or ():
        assert isinstance(each, types.TextDocumentEdit)
        assert each.text_document.version == 7


async def test_refusals_say_why(client: LanguageClient, folder: Path):
    document = open_text(client, (folder / "parts" / "blocks.sknd").as_uri(), BLOCKS)
    for name, reason in (("n", "clash"), ("graph", "keyword"), ("1st", "no identifier")):
        with pytest.raises(JsonRpcException, match=reason) as refused:
            await client.text_document_rename_async(types.RenameParams(document, position(BLOCKS, "x:"), name))
        assert refused.value.code == types.LSPErrorCodes.RequestFailed
    with pytest.raises(JsonRpcException, match="no name here"):
        await client.text_document_prepare_rename_async(types.PrepareRenameParams(document, position(BLOCKS, "@input")))


async def test_a_module_is_renamed_with_its_file(client: LanguageClient, folder: Path, request: pytest.FixtureRequest):
    uri = (folder / "main.sknd").as_uri()
    document = open_text(client, uri, MAIN)
    params = types.RenameParams(document, position(MAIN, "blocks"), "layers")
    if "emacs" in request.node.name:  # it can't rename files
        with pytest.raises(JsonRpcException, match="can't rename files"):
            await client.text_document_rename_async(params)
        return
    found = await client.text_document_rename_async(params)
    assert _apply(MAIN, _edits(found)[uri]) == MAIN.replace("parts.blocks", "layers")
    assert found is not None
    (moved,) = [each for each in found.document_changes or () if isinstance(each, types.RenameFile)]
    assert moved.old_uri == (folder / "parts" / "blocks.sknd").as_uri()
    assert moved.new_uri == (folder / "layers.sknd").as_uri()


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [("parts", "pieces", "pieces.blocks"), ("parts/blocks.sknd", "layers.sknd", "layers")],
)
async def test_imports_follow_files_that_move(client: LanguageClient, folder: Path, old: str, new: str, name: str):
    moves = types.RenameFilesParams([types.FileRename((folder / old).as_uri(), (folder / new).as_uri())])
    found = await client.workspace_will_rename_files_async(moves)
    edits = _edits(found)
    assert list(edits) == [(folder / "main.sknd").as_uri()]
    assert _apply(MAIN, edits[(folder / "main.sknd").as_uri()]) == MAIN.replace("parts.blocks", name)


async def test_nothing_follows_files_that_nobody_imports(client: LanguageClient, folder: Path):
    moves = types.RenameFilesParams(
        [types.FileRename((folder / "main.sknd").as_uri(), (folder / "other.sknd").as_uri())]
    )
    assert await client.workspace_will_rename_files_async(moves) is None
