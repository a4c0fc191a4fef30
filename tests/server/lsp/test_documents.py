"""Texts as the client edits them, in the units that it counts in."""

from __future__ import annotations

import pytest
import pytest_lsp
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pytest_lsp import LanguageClient

from snd_analysis.base import Source
from snd_server.lsp.session.documents import Documents
from snd_server.lsp.wire.positions import Converter
from support.lsp.clients import SERVER, begin, open_text
from support.lsp.protocol_texts import UNKNOWN_NAME

ENCODINGS = [types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16, types.PositionEncodingKind.Utf32]
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
TEXTS = st.text(alphabet="ab \n\r\f\u2028\u0085é𝕏😀", max_size=20)


def units(text: str, encoding: str) -> int:
    codec, size = CODECS[encoding]
    return len(text.encode(codec)) // size


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, data=st.data())
def test_positions_and_offsets_agree(encoding: types.PositionEncodingKind, text: str, data: st.DataObject):
    source, converter = Source("a", text), Converter(encoding)
    offset = data.draw(st.integers(0, len(text)))
    position = converter.position(source, offset)
    start = source.line_starts[position.line]
    assert position.character == units(text[start:offset], encoding.value)
    inside_of_a_break = text[max(offset - 1, 0) : offset + 1] == "\r\n"
    assert converter.offset(source, position) == offset - inside_of_a_break


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, data=st.data())
def test_edits_are_those_of_strings(encoding: types.PositionEncodingKind, text: str, data: st.DataObject):
    documents, converter = Documents(), Converter(encoding)
    documents.open("untitled:a", 1, text)
    changes: list[types.TextDocumentContentChangeEvent] = []
    for _ in range(data.draw(st.integers(1, 4))):
        source = Source("a", text)
        ends = sorted([data.draw(st.integers(0, len(text))) for _ in range(2)])
        start, end = (converter.offset(source, converter.position(source, each)) for each in ends)
        new = data.draw(TEXTS)
        range_ = types.Range(converter.position(source, start), converter.position(source, end))
        changes.append(types.TextDocumentContentChangePartial(range_, new))
        text = text[:start] + new + text[end:]
    assert documents.change("untitled:a", 2, changes, converter).source.text == text


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((9, 0), (9, 9), "ab\ncdX"),  # lines that there are not
        ((0, 99), (0, 99), "abX\ncd"),  # columns that there are not
        ((1, 1), (99, 0), "ab\ncX"),
        ((1, 1), (0, 1), "aXd"),  # ends before it begins
    ],
)
def test_ranges_beyond_the_text_are_clamped(start: tuple[int, int], end: tuple[int, int], expected: str):
    documents = Documents()
    documents.open("untitled:a", 1, "ab\ncd")
    change = types.TextDocumentContentChangePartial(types.Range(types.Position(*start), types.Position(*end)), "X")
    assert documents.change("untitled:a", 2, [change], Converter("utf-16")).source.text == expected


@pytest_lsp.fixture(config=SERVER, params=[each.value for each in ENCODINGS])
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest):
    result = await begin(lsp_client, "visual-studio-code", encoding=request.param)
    assert result.capabilities.position_encoding == request.param
    yield
    await lsp_client.shutdown_session()


async def test_edits_and_diagnostics_behind_astral_characters(client: LanguageClient):
    assert client.capabilities
    assert client.capabilities.general
    assert client.capabilities.general.position_encodings
    encoding = types.PositionEncodingKind(client.capabilities.general.position_encodings[0]).value
    uri = "untitled:a"
    head = "# \f😀 \u2028 é\r\n"
    text = head + UNKNOWN_NAME.replace("y[i,] = z", "/# 😀𝕏 #/ y[i,] = z").replace("\n", "\r\n")
    text = text.replace("/# 😀𝕏 #/ ", "")
    lines = [line + "\r\n" for line in text.split("\r\n")]
    comment = " # 😀𝕏"
    lines[1] = lines[1].replace("{\r\n", "{" + comment + "\r\n")
    document = open_text(client, uri, "".join(lines))

    async def only() -> types.Diagnostic:
        report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        (diagnostic,) = report.items
        return diagnostic

    found = await only()
    assert found.range.start == types.Position(4, lines[4].index("z["))
    # the first 'z' goes behind a string of wide characters in the same line
    at = units(lines[1][: lines[1].index("𝕏")], encoding)
    insert = types.TextDocumentContentChangePartial(
        types.Range(types.Position(1, at), types.Position(1, at)), "\r\n    "
    )
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [insert])
    )
    # what was behind the break is no comment any more
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert report.items[0].range.start == types.Position(2, 4)
    assert report.items[0].range.end == types.Position(2, 4 + units("𝕏", encoding)), report.items
