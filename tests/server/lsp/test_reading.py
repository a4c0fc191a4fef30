"""Help for reading and writing code, over the wire: hovers, signatures, colours, hints."""

from __future__ import annotations

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_server.lsp.wire.uris import uri_of
from support.lsp.clients import EDITORS, SERVER, begin, change_text, open_text, position, rest

URI = "untitled:main.sknd"
TEXT = """import math, nn;

# Doubles 𝛼 what it is given.
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] + x[i,], i < n; }
}

graph main {
    @input { a: real[4]; k: int[4]; m: real[2, 4]; w: real[3, 4]; }
    @output { b: real[4]; e: real[2, 3]; }
    @compose {
        c = double(a);
        few = math.lt(k, 2);
        b = math.select(few, c, a);
        e = nn.linear(m, w);
    }
}
"""


@pytest_lsp.fixture(config=SERVER, params=EDITORS)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    lsp_client.told = await begin(lsp_client, request.param)
    yield
    await lsp_client.shutdown_session()


async def test_hovers_are_in_the_form_the_client_reads(client: LanguageClient):
    document = open_text(client, URI, TEXT)
    found = await client.text_document_hover_async(types.HoverParams(document, position(TEXT, "double(a")))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert found.range == types.Range(types.Position(13, 12), types.Position(13, 18))
    assert "operator double {" in found.contents.value
    assert "Doubles 𝛼 what it is given." in found.contents.value
    assert "y: real[4]" in found.contents.value
    assert (found.contents.kind is types.MarkupKind.Markdown) == ("```" in found.contents.value)


async def test_nothing_to_say(client: LanguageClient):
    document = open_text(client, URI, TEXT)
    assert await client.text_document_hover_async(types.HoverParams(document, types.Position(1, 0))) is None
    help_ = types.SignatureHelpParams(document, types.Position(1, 0))
    assert await client.text_document_signature_help_async(help_) is None


async def test_signature_help_while_a_statement_is_written(client: LanguageClient):
    written = TEXT.replace("math.select(few, c, a);\n        e = nn.linear(m, w);", "math.add(c, ")
    document = open_text(client, URI, written)
    place = position(written, "math.add(c, ")
    place = types.Position(place.line, place.character + len("math.add(c, "))
    found = await client.text_document_signature_help_async(types.SignatureHelpParams(document, place))
    assert found is not None
    (signature,) = found.signatures
    assert found.active_parameter is not None
    assert signature.parameters is not None
    label = signature.parameters[found.active_parameter].label
    text = label if isinstance(label, str) else signature.label[slice(*label)]
    assert text == "y: T[sy..(ry)]"


async def test_hints_lead_somewhere(client: LanguageClient):
    document = open_text(client, URI, TEXT)
    whole = types.Range(types.Position(0, 0), types.Position(19, 0))
    found = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    assert found is not None
    texts = ["".join(part.value for part in hint.label if not isinstance(part, str)) for hint in found]
    assert texts == ["real[4]", "<int, int>", "bool[4]", "filter:"]
    locations = [part.location for hint in found for part in hint.label if not isinstance(part, str)]
    assert any(each is not None and each.uri.endswith("math.sknd") for each in locations)


async def test_kinds_of_hints_can_be_switched_off(client: LanguageClient):
    document = open_text(client, URI, TEXT)
    hints = {"shapes": False, "generics": False, "blockEnds": False}
    settings = {"snd": {"inlayHints": hints, "evaluation": False}}  # values have no kind of their own
    client.set_configuration(settings)
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    await rest(client)  # the server may ask for them
    whole = types.Range(types.Position(0, 0), types.Position(19, 0))
    found = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    kinds = {hint.kind for hint in found or ()}
    assert kinds == {types.InlayHintKind.Parameter}


def _decoded(text: str, data: list[int], legend: types.SemanticTokensLegend, utf16: bool) -> list[tuple[str, str]]:
    lines, line, character, found = text.split("\n"), 0, 0, []
    for at in range(0, len(data), 5):
        down, right, length, kind, _ = data[at : at + 5]
        line, character = line + down, right if down else character + right
        raw = lines[line].encode("utf-16-le" if utf16 else "utf-32-le")
        unit = 2 if utf16 else 4
        piece = raw[character * unit : (character + length) * unit].decode("utf-16-le" if utf16 else "utf-32-le")
        found.append((piece, legend.token_types[kind]))
    return found


async def test_colours_and_what_changes_of_them(client: LanguageClient):
    document = open_text(client, URI, TEXT)
    capabilities = client.told.capabilities
    provider = capabilities.semantic_tokens_provider
    assert provider is not None
    utf16 = capabilities.position_encoding in (None, types.PositionEncodingKind.Utf16)
    full = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert full is not None
    found = _decoded(TEXT, [*full.data], provider.legend, utf16)
    assert ("# Doubles 𝛼 what it is given.", "comment") in found
    assert ("double", "function") in found
    assert ("math", "namespace") in found
    assert ("n", "enumMember") in found

    part = types.Range(types.Position(13, 0), types.Position(14, 0))
    ranged = await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(document, part))
    assert ranged is not None
    pieces = [piece for piece, _ in _decoded(TEXT, [*ranged.data], provider.legend, utf16)]
    assert pieces == ["c", "=", "double", "a"]

    changed = TEXT.replace("c = double(a);", "c = double(a);\n        ~ = double(a);")
    change_text(client, URI, changed, 2)
    delta = await client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(document, full.result_id or "")
    )
    assert isinstance(delta, types.SemanticTokensDelta)
    (edit,) = delta.edits
    data = [*full.data]
    data[edit.start : edit.start + edit.delete_count] = edit.data or ()
    again = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document))
    assert again is not None
    assert data == [*again.data]
    assert len(edit.data or ()) < len(data) / 4

    unknown = await client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(document, "long ago")
    )
    assert isinstance(unknown, types.SemanticTokens)
    assert [*unknown.data] == data


async def test_hints_in_library_files(client: LanguageClient):
    document = types.TextDocumentIdentifier(uri_of("snd:layer"))
    whole = types.Range(types.Position(0, 0), types.Position(400, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    assert hints
