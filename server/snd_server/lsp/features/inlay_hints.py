"""Inlay hints: text that is not written, such as shapes, shown between the lines.

The switch ``inlayHints`` of the client's settings is ``false`` for no hints, or an object with a switch for each kind:
``shapes``, ``attributes``, ``arguments``, ``generics``, ``blockEnds``, ``values``, ``graphValues``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from snd_analysis.base import Location
from snd_analysis.ide import front_end
from snd_analysis.ide.evaluation import GraphName, SampleName, TensorName
from snd_analysis.ide.inlay_hints import HintKind, InlayHint
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.session.switches import is_on
from snd_server.lsp.values.graph_commands import again_command
from snd_server.lsp.values.value_hints import ValueHint, graph_hints, name_content, replaced_shapes, sample_hints
from snd_server.lsp.values.value_texts import graph_markdown, tensor_markdown, value_markdown
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer
    from snd_server.lsp.values.evaluation import Evaluations

_KINDS = {HintKind.ARGUMENT: types.InlayHintKind.Parameter, HintKind.ATTRIBUTE: types.InlayHintKind.Parameter}


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    hints = partial(_inlay_hints, server.evaluations)
    server.answer(types.TEXT_DOCUMENT_INLAY_HINT, hints, types.InlayHintOptions(resolve_provider=True))
    server.answer(types.INLAY_HINT_RESOLVE, partial(_resolve, server.evaluations))


async def _inlay_hints(
    evaluations: Evaluations, session: ClientSession, params: types.InlayHintParams
) -> list[types.InlayHint]:
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> list[types.InlayHint]:
        kinds = switched_on(session.settings(path).switches)
        span = session.converter.span(snapshot.source(path), params.range)
        found = front_end(path).inlay_hints(snapshot, path, span, kinds)
        values: list[ValueHint] = []
        if HintKind.VALUE in kinds:
            values += sample_hints(evaluations.samples(snapshot, path, span))
        if HintKind.GRAPH_VALUE in kinds:
            text = snapshot.source(path).text
            for each in question.each(evaluations.graphs(snapshot, path, span)):
                values += graph_hints(each, front_end(path), text, found, span)
        values = [each for each in values if span.start <= each.hint.offset <= span.end]
        leads_to = cache(partial(session.location, snapshot))  # most hints lead to the same few declarations
        source, converter = snapshot.source(path), session.converter

        def plain(hint: InlayHint) -> types.InlayHint:
            return _converted(hint, converter.position(source, hint.offset), leads_to)

        shown = [plain(each) for each in replaced_shapes(values, found)]
        return shown + [_with_value(session, path, each, plain(each.hint)) for each in values]

    return await session.ask(path, answer, if_unchanged=True)


async def _resolve(evaluations: Evaluations, session: ClientSession, hint: types.InlayHint) -> types.InlayHint:
    """Return the full value, which is sent only for hints that the user points at."""
    data: Any = hint.data
    if not isinstance(data, Mapping) or not isinstance(data.get("path"), str):
        return hint

    def answer(snapshot: Snapshot, question: Question) -> types.InlayHint:
        text = _in_full(evaluations, snapshot, data)
        hint.tooltip = types.MarkupContent(types.MarkupKind.Markdown, text) if text else None
        return hint

    return await session.ask(data["path"], answer)


def _in_full(evaluations: Evaluations, snapshot: Snapshot, data: Mapping[str, Any]) -> str:
    path, number = data["path"], data.get("occurrence", 0)
    if "code" in data:
        name = SampleName(data["code"], number)
        samples = evaluations.samples(snapshot, path)
        return next((value_markdown(each.value) for each in samples if each.key.name == name), "")
    for each in evaluations.graphs(snapshot, path):
        if each.key.name == GraphName(data.get("graph", "")):
            tensor = data.get("tensor")
            if tensor is None:
                return graph_markdown(each)
            return tensor_markdown(each, TensorName(tensor, number, data.get("updated") is True))
    return ""


def switched_on(switches: Mapping[str, Any]) -> frozenset[HintKind]:
    """Return the kinds of hints that a client wants; all that it says nothing of."""
    return frozenset(kind for kind in HintKind if is_on(switches, "inlay-hints", kind.value))


def _with_value(session: ClientSession, path: str, value: ValueHint, hint: types.InlayHint) -> types.InlayHint:
    """Return a hint with a value. An old value links to another evaluation, a fresh one to its origin."""
    hint.data = name_content(value)
    if value.is_old and isinstance(hint.label, list):
        uri = session.documents.uri(path)
        for part in hint.label:
            part.command = again_command(uri, value.subject)
    return hint


def _converted(
    hint: InlayHint, position: types.Position, leads_to: Callable[[Location], types.Location]
) -> types.InlayHint:
    parts = [
        types.InlayHintLabelPart(part.text, location=None if part.location is None else leads_to(part.location))
        for part in hint.parts
    ]
    return types.InlayHint(
        position, parts, _KINDS.get(hint.kind, types.InlayHintKind.Type),
        padding_left=hint.before or None, padding_right=hint.after or None,
    )  # fmt: skip
