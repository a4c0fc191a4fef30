"""What stands at a position, explained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from snd_analysis.ide.hover import hover
from snd_analysis.workspace import Snapshot
from snd_server.lsp.asking import at_position
from snd_server.lsp.markup import markup, reads_markdown

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer


def register(server: SndServer) -> None:
    """Registers the handlers of this module."""
    server.handle(types.TEXT_DOCUMENT_HOVER, _hover)


async def _hover(server: SndServer, params: types.HoverParams) -> types.Hover | None:
    document = server.client_capabilities.text_document
    markdown = reads_markdown(document.hover.content_format if document and document.hover else None)

    def answer(snapshot: Snapshot, path: str, offset: int) -> types.Hover | None:
        found = hover(snapshot, path, offset)
        if found is None:
            return None
        range_ = server.session.converter.range(snapshot.source(path), found.span)
        return types.Hover(markup(found.markdown, markdown), range_)

    return await at_position(server, params, answer)
