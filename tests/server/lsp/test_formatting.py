"""Formatting of documents, of ranges, and of what was just typed."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_analysis.base import Edit, Source
from snd_server.lsp.wire.positions import Converter
from support.lsp.clients import EDITORS, SERVER, begin, open_text, position

OPTIONS = types.FormattingOptions(tab_size=4, insert_spaces=True)
TEXT = """operator f{
    @input {
        x:real[n];
    }
    @output {
        y:real[n];
    }
    @lower {
        y[i,]=x[i,]+x[i,]+x[i,]+x[i,], i<n;
    }
}
"""


@pytest_lsp.fixture(config=SERVER, params=EDITORS)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path: Path):
    (tmp_path / "snd.toml").write_text("line-width = 40\n")
    result = await begin(lsp_client, request.param, tmp_path)
    lsp_client.encoding = result.capabilities.position_encoding  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


def applied(client: LanguageClient, text: str, edits: object) -> str:
    """Return a text after edits, all relative to the original text."""
    assert isinstance(edits, list | tuple)
    source, converter = Source("a", text), Converter(client.encoding)  # type: ignore[attr-defined]
    spans = sorted(((converter.span(source, edit.range), edit.new_text) for edit in edits), reverse=True)
    for span, new in spans:
        text = Edit(span, new).apply(text)
    return text


async def test_a_document(client: LanguageClient):
    document = open_text(client, "untitled:a", TEXT)
    edits = await client.text_document_formatting_async(types.DocumentFormattingParams(document, OPTIONS))
    once = applied(client, TEXT, edits)
    assert once.startswith("operator f {\n    @input {\n        x: real[n];\n")
    assert max(map(len, once.splitlines())) <= 40, "the width is that of the first folder's configuration"
    document = open_text(client, "untitled:b", once)
    again = await client.text_document_formatting_async(types.DocumentFormattingParams(document, OPTIONS))
    assert not again


async def test_a_range(client: LanguageClient):
    document = open_text(client, "untitled:a", TEXT)
    range_ = types.Range(position(TEXT, "y:real"), position(TEXT, ";", "y:real"))
    params = types.DocumentRangeFormattingParams(document, range_, OPTIONS)
    after = applied(client, TEXT, await client.text_document_range_formatting_async(params))
    assert after == TEXT.replace("y:real", "y: real")


@pytest.mark.parametrize(("letter", "behind"), [(";", "y:real[n]"), ("}", "y:real[n];\n    ")])
async def test_what_was_just_typed(client: LanguageClient, letter: str, behind: str):
    document = open_text(client, "untitled:a", TEXT)
    at = position(TEXT, letter, behind)
    params = types.DocumentOnTypeFormattingParams(document, types.Position(at.line, at.character + 1), letter, OPTIONS)
    after = applied(client, TEXT, await client.text_document_on_type_formatting_async(params))
    assert after == TEXT.replace("y:real", "y: real")


async def test_what_is_broken_is_left_alone(client: LanguageClient):
    broken = TEXT.replace("x:real[n];", "x:real[n")
    document = open_text(client, "untitled:a", broken)
    edits = await client.text_document_formatting_async(types.DocumentFormattingParams(document, OPTIONS))
    assert "x:real[n" in applied(client, broken, edits or [])
