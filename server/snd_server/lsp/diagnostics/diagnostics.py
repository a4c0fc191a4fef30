"""Diagnostics in the form of the protocol; ``pull`` and ``push`` bring them to the client, never both."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_analysis.base import Diagnostic, Severity
from snd_analysis.workspace import Snapshot
from snd_server.checking.suppressed import configured, unsuppressed
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.session import ClientSession

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def pulls(session: ClientSession) -> bool:
    """Return whether the client asks for diagnostics by itself."""
    document = session.capabilities.text_document
    return document is not None and document.diagnostic is not None


def found(server: SndServer, snapshot: Snapshot, path: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that ``snd check`` would report for a file, and the known refutations of its operators."""
    return reported(
        server.session, snapshot, path, (*snapshot.diagnostics(path), *server.proofs.refutations(snapshot, path))
    )


def reported(
    session: ClientSession, snapshot: Snapshot, path: str, diagnostics: tuple[Diagnostic, ...]
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that comments, configuration and client select."""
    left = unsuppressed(snapshot, path, diagnostics)
    return configured(path, left, session.configuration(path), session.settings(path).rules)


def asks_again(session: ClientSession) -> bool:
    """Return whether the client can be made to ask for diagnostics again."""
    workspace = session.capabilities.workspace
    return bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)


Wrong = Callable[["SndServer", Snapshot, str], tuple[Diagnostic, ...]]
"""Function that returns the diagnostics of a file."""


def wrong_with(
    server: SndServer, path: str, wrong: Wrong = found
) -> Callable[[Snapshot, Question], tuple[int | None, list[types.Diagnostic]]]:
    """Return a question for the version of an open document and its diagnostics."""

    def answer(snapshot: Snapshot, question: Question) -> tuple[int | None, list[types.Diagnostic]]:
        document = server.session.opened(path)
        items = converted(server.session, snapshot, wrong(server, snapshot, path))
        return document.version if document else None, items

    return answer


def converted(session: ClientSession, snapshot: Snapshot, diagnostics: Sequence[Diagnostic]) -> list[types.Diagnostic]:
    """Return diagnostics in the form of the protocol, without parts that the client does not know."""
    return [_converted(session, snapshot, each) for each in diagnostics]


def result_id(diagnostics: Sequence[types.Diagnostic]) -> str:
    """Return a digest of these diagnostics."""
    return hashlib.blake2b(repr(diagnostics).encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _converted(session: ClientSession, snapshot: Snapshot, diagnostic: Diagnostic) -> types.Diagnostic:
    converter, knows = session.converter, session.diagnostic_abilities
    source = snapshot.source(diagnostic.location.path)
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(
                session.documents.uri(each.location.path),
                converter.range(snapshot.source(each.location.path), each.location.span),
            ),
            each.message,
        )
        for each in diagnostic.related
    ]
    return types.Diagnostic(
        converter.range(source, diagnostic.location.span),
        diagnostic.message,
        _SEVERITIES[diagnostic.severity],
        diagnostic.rule.name,
        types.CodeDescription(knows.rule_page.replace("{rule}", diagnostic.rule.name)) if knows.rule_page else None,
        "snd",
        [types.DiagnosticTag.Unnecessary] if diagnostic.unnecessary and knows.unnecessary else None,
        related if related and knows.related else None,
    )
