"""Outlines, symbols of the workspace, links and call hierarchies over the wire."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import open_text, position

BLOCKS = """operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] + x[i,], i < n; }
}
"""
MAIN = """import blocks, math;

graph main {
    @input { a: real[4]; }
    @output { b: real[4]; }
    @compose {
        t = blocks.double(a);
        b = math.add(t, t);
    }
}
"""


@pytest.fixture
def files() -> dict[str, str]:
    return {"blocks.sknd": BLOCKS, "main.sknd": MAIN}


async def test_outlines(client: LanguageClient, folder: Path):
    document = open_text(client, (folder / "main.sknd").as_uri(), MAIN)
    found = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert found
    (main,) = [each for each in found if each.name == "main"]
    assert main.kind is types.SymbolKind.Class
    if not isinstance(main, types.DocumentSymbol):
        assert [each.name for each in found] == ["main", "a", "b", "t", "b"]
        return
    assert [each.name for each in main.children or ()] == ["@input", "@output", "@compose"]
    (tensor, _) = (main.children or ())[2].children or ()
    assert (tensor.name, tensor.detail) == ("t", "real[4]")
    assert tensor.selection_range == types.Range(types.Position(6, 8), types.Position(6, 9))


async def test_symbols_of_files_that_are_not_open(client: LanguageClient, folder: Path):
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("dbl"))
    assert found
    assert [each.name for each in found][:1] == ["double"]
    assert isinstance(found[0].location, types.Location)
    assert found[0].location.uri == (folder / "blocks.sknd").as_uri()
    assert found[0].container_name == "blocks"
    library = await client.workspace_symbol_async(types.WorkspaceSymbolParams("nn.conv"))
    assert library
    assert (library[0].name, library[0].container_name) == ("conv", "nn")


async def test_links_of_imports(client: LanguageClient, folder: Path):
    document = open_text(client, (folder / "main.sknd").as_uri(), MAIN)
    found = await client.text_document_document_link_async(types.DocumentLinkParams(document))
    assert found is not None
    assert [each.range.start.character for each in found] == [7, 15]
    assert found[0].target == (folder / "blocks.sknd").as_uri()
    assert found[1].target is not None
    assert Path(found[1].target.removeprefix("file://")).name == "math.sknd"


async def test_calls_in_both_directions(client: LanguageClient, folder: Path):
    document = open_text(client, (folder / "main.sknd").as_uri(), MAIN)
    items = await client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(document, position(MAIN, "double"))
    )
    assert items
    assert [(each.name, each.uri) for each in items] == [("double", (folder / "blocks.sknd").as_uri())]
    callers = await client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(items[0]))
    assert callers
    assert [each.from_.name for each in callers] == ["main"]
    assert callers[0].from_ranges[0].start == position(MAIN, "double")
    called = await client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(callers[0].from_))
    assert called
    assert [each.to.name for each in called] == ["double", "add"]
    nowhere = types.CallHierarchyPrepareParams(document, types.Position(0, 0))
    assert not await client.text_document_prepare_call_hierarchy_async(nowhere)
