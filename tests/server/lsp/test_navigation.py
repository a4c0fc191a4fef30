"""From names to where they lead, over the wire."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import open_text, position
from support.lsp.protocol_texts import BLOCKS, MAIN


async def test_definitions_over_files(client: LanguageClient, folder: Path):
    document = open_text(client, (folder / "main.sknd").as_uri(), MAIN)
    found = await client.text_document_definition_async(
        types.DefinitionParams(document, position(MAIN, "double(", "@compose"))
    )
    assert found
    first = found[0]
    uri, range_ = (
        (first.target_uri, first.target_selection_range)
        if isinstance(first, types.LocationLink)
        else (first.uri, first.range)
    )
    assert uri == (folder / "blocks.sknd").as_uri()
    assert range_.start == types.Position(1, 9)


@pytest.mark.parametrize("question", ["declaration", "implementation", "type_definition"])
async def test_other_ways_to_a_definition(client: LanguageClient, folder: Path, question: str):
    text = MAIN.replace("b = blocks.double(a);", "t = blocks.double(a); b = blocks.double(t);")
    document = open_text(client, (folder / "main.sknd").as_uri(), text)
    at = position(text, "t = " if question == "type_definition" else "double(", "@compose")
    kinds = {
        "declaration": types.DeclarationParams,
        "implementation": types.ImplementationParams,
        "type_definition": types.TypeDefinitionParams,
    }
    found = await getattr(client, f"text_document_{question}_async")(kinds[question](document, at))
    blocks = (folder / "blocks.sknd").as_uri()
    assert found
    assert {each.target_uri if isinstance(each, types.LocationLink) else each.uri for each in found} == {blocks}


async def test_references_in_files_that_are_not_open(client: LanguageClient, folder: Path):
    document = open_text(client, (folder / "blocks.sknd").as_uri(), BLOCKS)
    found = await client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), document, position(BLOCKS, "double"))
    )
    assert found is not None
    assert sorted(each.uri.rpartition("/")[2] for each in found) == ["blocks.sknd", "main.sknd"]


async def test_highlights_tell_reading_from_writing(client: LanguageClient, folder: Path):
    document = open_text(client, (folder / "blocks.sknd").as_uri(), BLOCKS)
    found = await client.text_document_document_highlight_async(
        types.DocumentHighlightParams(document, position(BLOCKS, "y[i,]"))
    )
    assert found is not None
    assert [each.kind for each in found] == [types.DocumentHighlightKind.Write] * 2


async def test_folds_and_selections(client: LanguageClient, folder: Path):
    document = open_text(client, (folder / "main.sknd").as_uri(), MAIN)
    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert [(each.start_line, each.end_line) for each in folds or ()] == [(2, 5)]
    (selection,) = (
        await client.text_document_selection_range_async(
            types.SelectionRangeParams(document, [position(MAIN, "a)", "@compose")])
        )
        or ()
    )
    assert selection.range == types.Range(types.Position(5, 33), types.Position(5, 34))
    assert selection.parent is not None


async def test_formatting(client: LanguageClient, folder: Path):
    text = "graph g{@input{x:real[4];}}\n"
    document = open_text(client, "untitled:one", text)
    options = types.FormattingOptions(4, True)
    edits = await client.text_document_formatting_async(types.DocumentFormattingParams(document, options))
    assert edits
    assert "".join(edit.new_text for edit in edits).startswith("graph g {\n    @input {\n")
