"""Places of a file that lead to another: the modules that it imports."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.workspace import Snapshot


class DocumentLink(Struct, frozen=True):
    """A name of a module, and the file in which the module was found."""

    span: Span
    target: str


def document_links(snapshot: Snapshot, path: str) -> list[DocumentLink]:
    """Return the links of a file in order of their places; modules that are not found lead nowhere."""
    links = [DocumentLink(item.span, item.path) for item in snapshot.imports(path) if item.path is not None]
    return sorted(links, key=lambda link: link.span)
