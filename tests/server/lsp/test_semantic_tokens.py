"""Semantic tokens for clients that have a grammar of the language themselves."""

from __future__ import annotations

import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from support.lsp.clients import SERVER, capabilities, open_text

URI = "untitled:colours"
TEXT = """import math;

# >>> double([1.0])
operator double {  # snd: ignore[unused-symbol] why not
    @attrib { by: real = 2.0; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { n > 0: "got {n}"; }
    @lower { y[i,] = x[i,] * sqrt(4.0), i < n; }
}
"""


@pytest_lsp.fixture(config=SERVER)
async def client(lsp_client: LanguageClient):
    offered = capabilities("visual-studio-code")
    offered.experimental = {"grammar": True}
    lsp_client.told = await lsp_client.initialize_session(types.InitializeParams(capabilities=offered))
    yield
    await lsp_client.shutdown_session()


async def test_only_what_no_grammar_knows_is_told(client: LanguageClient):
    document = open_text(client, URI, TEXT)
    legend = client.told.capabilities.semantic_tokens_provider.legend.token_types
    full = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    ranged = await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(document, whole))
    assert full is not None
    assert ranged is not None
    assert [*ranged.data] == [*full.data]

    lines, line, character, found = TEXT.split("\n"), 0, 0, []
    for down, right, length, kind, _ in zip(*[iter(full.data)] * 5, strict=True):
        line, character = line + down, right if down else character + right
        found.append((lines[line][character : character + length], legend[kind]))
    assert found == [
        ("math", "namespace"),
        ("double", "function"),
        ("by", "property"),
        ("x", "parameter"), ("n", "enumMember"),
        ("y", "parameter"), ("n", "enumMember"),
        ("n", "enumMember"), ("n", "enumMember"),
        ("y", "parameter"), ("i", "variable"), ("x", "parameter"), ("i", "variable"), ("sqrt", "function"),
        ("i", "variable"), ("n", "enumMember"),
    ]  # fmt: skip
