"""Counterexamples in open documents: searched when typing pauses, and shown until it is known that they are gone.

A search composes a graph up to 24 times. Clients that pull diagnostics ask for them after every keystroke: the answer
has the counterexamples of the last search, and ``refresh`` lets the client ask again if the next search finds others.
To other clients everything but syntax is pushed in a pause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from snd_analysis.base import Diagnostic
from snd_analysis.workspace import Snapshot
from snd_server.lsp.diagnostics.diagnostics import asks_again, found, reported
from snd_server.lsp.session.documents import Document
from snd_server.lsp.session.moved import moved_diagnostics

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer


class _Searched(Struct, frozen=True):
    document: Document
    warnings: tuple[Diagnostic, ...]
    """Warnings that took a search."""


class Counterexamples:
    """Results of the last search in each open document, for functions that answer questions."""

    def __init__(self) -> None:
        self._searched: dict[str, _Searched] = {}

    def closed(self, path: str) -> None:
        """Forget a document: nothing of it is shown any more."""
        self._searched.pop(path, None)

    def search(self, server: SndServer, snapshot: Snapshot, path: str) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of a file after a search; keep them if a later request may come without a search."""
        everything, document = found(server, snapshot, path), server.session.opened(path)
        if document is not None and asks_again(server.session):
            at_once = frozenset(_at_once(server, snapshot, path))
            self._searched[path] = _Searched(document, tuple(each for each in everything if each not in at_once))
        return everything

    def before_search(self, server: SndServer, snapshot: Snapshot, path: str) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of an edited document, with the counterexamples found before the edit.

        If there was no edit since the search, or the client can't be made to ask again, it is searched now.
        """
        document, before = server.session.opened(path), self._searched.get(path)
        if document is None or before is None or before.document is document or not asks_again(server.session):
            return self.search(server, snapshot, path)
        at_once = _at_once(server, snapshot, path)
        kept = moved_diagnostics(before.warnings, before.document, document)
        together = {*at_once, *kept}
        return tuple(sorted(together, key=lambda each: (each.location.span, each.rule.name)))


def _at_once(server: SndServer, snapshot: Snapshot, path: str) -> tuple[Diagnostic, ...]:
    known = (*snapshot.diagnostics(path, with_counterexamples=False), *server.proofs.refutations(snapshot, path))
    return reported(server.session, snapshot, path, known)
