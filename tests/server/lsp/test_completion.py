"""Completion over the wire, for what each editor takes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import ALL_EDITORS, open_text, position

pytestmark = pytest.mark.parametrize("client", ALL_EDITORS, indirect=True)

BLOCKS = """# Doubles, as often as it is told to.
operator double {
    @attrib { times: int; note: str = ''; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] * real(2 ** times), i < n; }
}
"""
MAIN = """import math;

# 𝔸 comment before everything else
graph main {
    @input { a: real[4]; b: bool[4]; }
    @output { c: real[4]; }
    @compose {
        t = math.add(a, a);
        c = dou
    }
}
"""


@pytest.fixture
def files() -> dict[str, str]:
    return {"blocks.sknd": BLOCKS, "main.sknd": MAIN}


async def complete(client: LanguageClient, folder: Path, text: str, snippet: str, behind: str = "") -> list:
    document = open_text(client, (folder / "main.sknd").as_uri(), text)
    at = position(text, snippet, behind)
    found = await client.text_document_completion_async(
        types.CompletionParams(document, types.Position(at.line, at.character + len(snippet)))
    )
    assert isinstance(found, types.CompletionList)
    return found.items


def inserted(item: types.CompletionItem) -> str:
    return item.text_edit.new_text if item.text_edit is not None else item.text_edit_text or item.label


async def test_an_operator_of_another_file_comes_with_its_import_and_documentation(
    client: LanguageClient, folder: Path
):
    items = await complete(client, folder, MAIN, "dou", "add(a, a)")
    item = next(each for each in items if each.label == "blocks.double")
    assert inserted(item).startswith("blocks.double")
    assert item.additional_text_edits
    edit = item.additional_text_edits[0]
    assert edit.new_text == "\nimport blocks;"
    assert edit.range.start == types.Position(0, len("import math;"))
    resolved = await client.completion_item_resolve_async(item)
    told = resolved.documentation
    text = told.value if isinstance(told, types.MarkupContent) else told
    assert text is not None
    assert "Doubles, as often as it is told to." in text
    assert "times: int" in text


async def test_snippets_only_for_who_takes_them(client: LanguageClient, folder: Path):
    items = await complete(client, folder, MAIN, "dou", "add(a, a)")
    item = next(each for each in items if each.label == "blocks.double")
    known = client.capabilities.text_document.completion.completion_item if client.capabilities.text_document else None
    if known and known.snippet_support:
        assert item.insert_text_format == types.InsertTextFormat.Snippet
        assert inserted(item) == "blocks.double{times=$1\\}(${2:t});$0"
    else:
        assert item.insert_text_format != types.InsertTextFormat.Snippet
        assert inserted(item) == "blocks.double"


async def test_what_does_not_fit_is_not_offered(client: LanguageClient, folder: Path):
    text = MAIN.replace("c = dou", "c = math.add(t, );")
    items = await complete(client, folder, text, "add(t, ")
    labels = [each.label for each in sorted(items, key=lambda each: each.sort_text or "")]
    assert labels[:2] == ["t", "a"]
    assert "b" not in labels


async def test_the_order_is_that_of_the_analysis(client: LanguageClient, folder: Path):
    text = MAIN.replace("c = dou", "c = blocks.double{}(t);").replace("math;", "math, blocks;")
    items = await complete(client, folder, text, "double{")
    assert [each.label for each in sorted(items, key=lambda each: each.sort_text or "")] == ["times", "note"]


async def test_documents_that_are_not_open_are_no_reason_to_fail(client: LanguageClient, folder: Path):
    uri = (folder / "blocks.sknd").as_uri()
    found = await client.text_document_completion_async(
        types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(2, 4))
    )
    assert found is not None


def _applied(text: str, edits: Sequence[types.TextEdit]) -> str:
    """A text of the Basic Multilingual Plane up to where it is edited, after edits."""
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True):
        start, end = (
            sum(map(len, lines[: place.line])) + place.character for place in (edit.range.start, edit.range.end)
        )
        text = text[:start] + edit.new_text + text[end:]
    return text


async def test_what_imports_a_module_leaves_a_right_program(client: LanguageClient, folder: Path):
    text = MAIN.replace("c = dou", "c = dou{times=1}(t);")
    items = await complete(client, folder, text, "dou", "add(a, a)")
    item = next(each for each in items if each.label == "blocks.double")
    at = position(text, "dou", "add(a, a)")
    word = types.TextEdit(types.Range(at, types.Position(at.line, at.character + 3)), inserted(item))
    after = _applied(text, [word, *(item.additional_text_edits or ())])
    assert after == text.replace("import math;", "import math;\nimport blocks;").replace("c = dou", "c = blocks.double")
    open_text(client, (folder / "main.sknd").as_uri(), after, 2)
    answer = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(types.TextDocumentIdentifier((folder / "main.sknd").as_uri()))
    )
    assert isinstance(answer, types.RelatedFullDocumentDiagnosticReport)
    assert not answer.items


async def test_attributes_of_an_operator_import_its_module(client: LanguageClient, folder: Path):
    text = MAIN.replace("c = dou", "c = blocks.double{}(t);")
    items = await complete(client, folder, text, "double{")
    assert [each.label for each in sorted(items, key=lambda each: each.sort_text or "")] == ["times", "note"]
    for item in items:
        (edit,) = item.additional_text_edits or ()
        assert _applied(text, [edit]) == text.replace("import math;", "import math;\nimport blocks;")


@pytest.mark.parametrize("text", ["extension ", "version 2.0;\nextension ", "version "])
async def test_what_only_the_writer_knows_is_not_guessed(client: LanguageClient, folder: Path, text: str):
    assert not await complete(client, folder, text, text.splitlines()[-1])
