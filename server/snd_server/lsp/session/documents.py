"""The documents that the client holds open: our own texts, since Python splits lines differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types
from msgspec import Struct

from snd_analysis.base import Edit, Source, Span
from snd_server.lsp.wire.positions import Converter
from snd_server.lsp.wire.uris import path_of, uri_of


class Document(Struct, frozen=True):
    """One version of an open document. ``uri`` is spelled as the client does."""

    uri: str
    version: int
    source: Source


class Documents:
    """All open documents, by path."""

    def __init__(self) -> None:
        self._by_path: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._by_path.values()))

    def get(self, path: str) -> Document | None:
        """Return the open document of a path."""
        return self._by_path.get(path)

    def uri(self, path: str) -> str:
        """Return the URI of a path, spelled as the client does if it has it open."""
        document = self._by_path.get(path)
        return document.uri if document else uri_of(path)

    def open(self, uri: str, version: int, text: str) -> Document:
        """Open a document, or opens it again."""
        document = Document(uri, version, Source(path_of(uri), text))
        self._by_path[document.source.path] = document
        return document

    def change(
        self,
        uri: str,
        version: int,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        converter: Converter,
    ) -> Document:
        """Return the document after changes, each of the text that the one before left.

        Raise KeyError if it is not open.
        """
        path = path_of(uri)
        source = self._by_path[path].source
        for change in changes:
            source = Source(path, _changed(source, change, converter))
        document = Document(uri, version, source)
        self._by_path[path] = document
        return document

    def close(self, uri: str) -> Document | None:
        """Forget a document, and return it."""
        return self._by_path.pop(path_of(uri), None)


def _changed(source: Source, change: types.TextDocumentContentChangeEvent, converter: Converter) -> str:
    if isinstance(change, types.TextDocumentContentChangeWholeDocument):
        return change.text
    span: Span = converter.span(source, change.range)
    return Edit(span, change.text).apply(source.text)
