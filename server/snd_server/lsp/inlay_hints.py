"""What is not written and a reader would like to see, between the lines.

The switch ``inlayHints`` of the client's settings is ``false`` for no hints, or an object with a switch for each kind:
``shapes``, ``attributes``, ``arguments``, ``generics``, ``blockEnds``, ``values``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from snd_analysis.ide.inlay_hints import ALL_KINDS, HintKind, InlayHint, inlay_hints
from snd_analysis.workspace import Snapshot
from snd_server.lsp.analysis_thread import Question
from snd_server.lsp.navigation import location
from snd_server.lsp.switches import spelled
from snd_server.lsp.uris import path_of
from snd_server.lsp.value_texts import value_hints

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_KINDS = {HintKind.ARGUMENT: types.InlayHintKind.Parameter, HintKind.ATTRIBUTE: types.InlayHintKind.Parameter}


def register(server: SndServer) -> None:
    """Registers the handlers of this module."""
    server.handle(types.TEXT_DOCUMENT_INLAY_HINT, _inlay_hints, types.InlayHintOptions())


async def _inlay_hints(server: SndServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> list[types.InlayHint]:
        kinds = switched_on(server.session.settings(path).switches)
        span = server.session.converter.span(snapshot.source(path), params.range)
        found = inlay_hints(snapshot, path, span, kinds)
        if HintKind.VALUE in kinds:
            values = value_hints(server.evaluations.samples(snapshot, path, span))
            found += [each for each in values if span.start <= each.offset <= span.end]
        return [_converted(server, snapshot, path, each) for each in found]

    return await server.session.ask(path, answer, if_unchanged=True)


def switched_on(switches: Mapping[str, Any]) -> frozenset[HintKind]:
    """The kinds of hints that a client wants; all that it says nothing of."""
    found = next((switches[key] for key in ("inlayHints", "inlay-hints") if key in switches), None)
    if found is False:
        return frozenset()
    if not isinstance(found, Mapping):
        return ALL_KINDS
    off = {spelled(key) for key, value in found.items() if value is False}
    return frozenset(kind for kind in HintKind if kind.value not in off)


def _converted(server: SndServer, snapshot: Snapshot, path: str, hint: InlayHint) -> types.InlayHint:
    parts = [
        types.InlayHintLabelPart(
            part.text, location=None if part.location is None else location(server, snapshot, part.location)
        )
        for part in hint.parts
    ]
    position = server.session.converter.position(snapshot.source(path), hint.offset)
    return types.InlayHint(
        position, parts, _KINDS.get(hint.kind, types.InlayHintKind.Type),
        padding_left=hint.before or None, padding_right=hint.behind or None,
    )  # fmt: skip
