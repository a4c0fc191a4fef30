"""Explanations at a position."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types
from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.ide import comment_at, front_end, use_at
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, library_modules
from snd_analysis.workspace import Snapshot
from snd_server import operator_url
from snd_server.lsp.session.position_request import at_position
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.values.examples import example
from snd_server.lsp.values.stored_tensors import stored_markdown
from snd_server.lsp.values.value_texts import graph_markdown, tensor_markdown, value_markdown
from snd_server.lsp.wire.markup import markup, reads_markdown

if TYPE_CHECKING:
    from snd_server.lsp.features.proofs import Proofs
    from snd_server.lsp.server import SndServer
    from snd_server.lsp.values.evaluation import Evaluations


class _Found(Struct, frozen=True):
    texts: tuple[str, ...]
    range: types.Range
    file: str | None
    """A tensor file that there is more to say of."""


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.answer(types.TEXT_DOCUMENT_HOVER, partial(_hover, server.evaluations, server.proofs))


async def _hover(
    evaluations: Evaluations, proofs: Proofs, session: ClientSession, params: types.TextDocumentPositionParams
) -> types.Hover | None:
    document = session.capabilities.text_document
    markdown = reads_markdown(document.hover.content_format if document and document.hover else None)

    def answer(snapshot: Snapshot, path: str, offset: int) -> _Found | None:
        found = front_end(path).hover(snapshot, path, offset, lambda name: example(evaluations, snapshot, name))
        value = _value(evaluations, snapshot, path, offset, markdown)
        conditions = proofs.hover(snapshot, path, offset)
        first = found or conditions
        if first is None and value is None:
            return None
        span = first.span if first is not None else value[0] if value is not None else Span(offset, offset)
        texts = [value[1]] if value is not None else []  # first: of a long text, clients show the beginning
        texts += [each.markdown for each in (found, conditions) if each is not None]
        texts += [link for link in (_reference(snapshot, path, offset),) if markdown and link]
        range_ = session.converter.range(snapshot.source(path), span)
        return _Found(tuple(texts), range_, front_end(path).stored_path(snapshot, path, offset))

    found = await at_position(session, params, answer)
    if found is None:
        return None
    text = "\n\n---\n\n".join(found.texts)
    if found.file is not None:
        content = await asyncio.to_thread(stored_markdown, found.file, tables=markdown)
        text = f"{text}\n\n{content}" if content else text
    return types.Hover(markup(text, markdown), found.range)


def _reference(snapshot: Snapshot, path: str, offset: int) -> str:
    """Return a link to the page of an operator of the library; nothing for other names, and without a site."""
    placed = use_at(snapshot, path, offset)
    target = None if placed is None else placed.use.target
    if not isinstance(target, OperatorName) or not target.path.startswith(LIBRARY_PREFIX):
        return ""
    module = target.path.removeprefix(LIBRARY_PREFIX)
    url = operator_url(module, target.name) if module in library_modules() else None
    return f"[{module}.{target.name} in the reference]({url})" if url else ""


def _tensor_value(
    evaluations: Evaluations, snapshot: Snapshot, path: str, offset: int, tables: bool
) -> tuple[Span, str] | None:  # fmt: skip
    """Return the value of the tensor named at an offset, or of the graph whose name it is."""
    for each in evaluations.graphs(snapshot, path, Span(offset, offset)):
        if each.graph.head.start <= offset <= each.graph.head.end:
            text = graph_markdown(each)
            return (each.graph.head, text) if text else None
        found = front_end(path).tensor_at(snapshot, path, each.graph.tensors, offset)
        text = "" if found is None else tensor_markdown(each, found[1], tables=tables)
        return (found[0], text) if found is not None and text else None
    return None


def _value(
    evaluations: Evaluations, snapshot: Snapshot, path: str, offset: int, tables: bool
) -> tuple[Span, str] | None:
    """Return the value of the sample or the tensor at an offset, and its span."""
    if comment_at(snapshot.tree(path), offset) is None:
        return _tensor_value(evaluations, snapshot, path, offset, tables)
    for each in evaluations.samples(snapshot, path, Span(offset, offset)):
        text = value_markdown(each.value, tables=tables)
        return (each.sample.span, text) if text else None
    return None
