"""Code actions at a place: fixes, and changes that keep the meaning of a program or complete it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from snd_analysis.base import Diagnostic, Span
from snd_analysis.ide.actions.action import Action, ActionKind, Command, Request, offered, with_different_titles
from snd_analysis.ide.actions.attributes import (
    REFRESH_SAMPLE,
    WRITE_SAMPLE,
    has_sample,
    missing_attributes,
    name_extents,
    sample_actions,
)
from snd_analysis.ide.actions.create import create_operator
from snd_analysis.ide.actions.fixes import fix_all, fixes, missing_imports, organize_imports, suppress
from snd_analysis.ide.actions.lists import lists
from snd_analysis.ide.actions.refactor import REFACTOR, definition_refactorings, parameter_refactorings, refactorings
from snd_analysis.skriptnd.lints import apply_suppressions
from snd_analysis.skriptnd.names import is_library
from snd_analysis.workspace import Snapshot

__all__ = ["REFACTOR", "REFRESH_SAMPLE", "WRITE_SAMPLE", "Action", "ActionKind", "Command", "actions", "has_sample"]


def actions(
    snapshot: Snapshot,
    path: str,
    span: Span,
    only: Sequence[str] = (),
    diagnostics: Sequence[Diagnostic] | None = None,
    files: Sequence[str] = (),
    commands: Collection[str] = (),
) -> list[Action]:
    """Return the code actions in a span of a file. ``only`` are the wanted kinds, all if empty.

    ``diagnostics`` are the displayed diagnostics of the file, if known; ``files`` may be modules to import;
    ``commands`` are the names of the server's commands. The library is read-only.
    """
    if is_library(path):
        return []
    if diagnostics is None:
        diagnostics = apply_suppressions(snapshot.diagnostics(path), snapshot.source(path), snapshot.comments(path))
    request = Request(snapshot, path, span, tuple(diagnostics))
    return with_different_titles(offered(_all(request, only, files, commands), only), snapshot.source(path))


def _all(request: Request, only: Sequence[str], files: Sequence[str], commands: Collection[str]) -> Iterator[Action]:
    yield from fixes(request)
    yield from missing_attributes(request)
    yield from missing_imports(request, files)
    yield from create_operator(request)
    yield from lists(request)
    yield from name_extents(request)
    yield from suppress(request)
    yield from refactorings(request, commands)
    yield from definition_refactorings(request, files, commands)
    yield from parameter_refactorings(request, files, commands)
    yield from sample_actions(request, commands)
    # Actions for the whole file are offered on request only.
    if any(kind.startswith("source") for kind in only):
        yield from fix_all(request)
        yield from organize_imports(request)
