"""The command of refactorings: the edit is applied only if evaluation before and after it agrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Span, counted
from snd_analysis.ide.actions import REFACTOR
from snd_analysis.ide.evaluation import GraphName
from snd_analysis.ide.refactoring import REFACTORINGS, Refactored, RefactoringError, edited, formatted
from snd_analysis.skriptnd.names import is_library
from snd_analysis.workspace import Snapshot
from snd_server.lsp import types
from snd_server.lsp.analysis_thread import Interrupted
from snd_server.lsp.errors import InvalidParams
from snd_server.lsp.evaluation import sample_request
from snd_server.lsp.freshness import ValueKey
from snd_server.lsp.late_runtime import load_runtime
from snd_server.lsp.session import UnknownDocument
from snd_server.lsp.uris import path_of
from snd_server.lsp.workspace_edits import workspace_edit

if TYPE_CHECKING:
    from snd_runtime.samples import Equivalence, EquivalenceRequest
    from snd_server.lsp.server import SndServer


class _Order(Struct, frozen=True):
    request: EquivalenceRequest
    refactored: Sequence[Refactored]
    text: str
    tensor_bytes: int


def register(server: SndServer) -> None:
    """Register the command of this module. It does not wait for what comes of it: it could not be cancelled."""

    def refactor(*arguments: Any) -> None:
        match arguments:
            case (str(uri), str(kind), int(start), int(end)) if kind in REFACTORINGS and 0 <= start <= end:
                server.begin(_done(server, path_of(uri), kind, Span(start, end)))
            case _:
                raise InvalidParams("this command takes the URI of a document, a refactoring, and two offsets")

    server.command(REFACTOR, refactor)


async def _done(server: SndServer, path: str, kind: str, span: Span) -> None:
    if is_library(path):
        server.warn("the standard library can't be changed")
        return
    try:
        order = await server.session.ask(
            path, lambda snapshot, _: _ordered(server, snapshot, path, kind, span), background=True
        )
        from snd_runtime.samples import Equivalence  # loaded by now

        found: Equivalence = await server.evaluations.call(
            ValueKey(path, GraphName(order.request.name.name)),
            lambda evaluator: evaluator.compare(order.request),
            lambda message: Equivalence(reason=message),
            order.tensor_bytes,
        )
        refusal = _refusal(order.refactored, found)
        if refusal is not None:
            server.warn(f"nothing was changed: {refusal}")
            return
        refactored = order.refactored[found.chosen]
        edit = await server.session.ask(path, lambda snapshot, _: _edit(server, snapshot, path, order, refactored))
        told = f"{refactored.what}: equal on {counted(found.evaluations, 'evaluation')}"
        if edit is not None:
            params = types.ApplyWorkspaceEditParams(edit, told)
            if (await server.request(types.WORKSPACE_APPLY_EDIT, params, types.ApplyWorkspaceEditResult)).applied:
                server.tell(told)
                return
        server.warn("nothing was changed: the text has changed meanwhile")
    except RefactoringError as problem:
        server.warn(f"nothing was changed: {problem}")
    except (Interrupted, UnknownDocument) as problem:
        server.log(types.MessageType.Info, str(problem) or "the text has changed since this was asked")


def _ordered(server: SndServer, snapshot: Snapshot, path: str, kind: str, span: Span) -> _Order:
    """Return what is to be compared. Raises RefactoringError."""
    load_runtime()
    from snd_runtime.samples import EquivalenceRequest

    options = server.evaluations.options(path)
    text = snapshot.source(path).text
    refactored = REFACTORINGS[kind](snapshot, path, span)
    around = replace(sample_request(snapshot, path, options), pictures=False)
    changed = [{path: edited(text, each.edits)} for each in refactored]
    return _Order(EquivalenceRequest(around, refactored[0].name, changed), refactored, text, options.tensor_bytes)


def _refusal(refactored: Sequence[Refactored], found: Equivalence) -> str | None:
    name, many = refactored[0].name.name, len(refactored)
    if found.difference is not None and many > 1:
        return f"none of the {many} operators of the library that fit '{name}' computes the same"
    if found.difference is not None:
        return f"'{name}' would compute something else {found.difference}"
    if not found.evaluations:
        return f"'{name}' can't be evaluated: {found.reason}"
    return None


def _edit(
    server: SndServer, snapshot: Snapshot, path: str, order: _Order, refactored: Refactored
) -> types.WorkspaceEdit | None:
    """Return the edit; None if the text is another one by now."""
    if snapshot.source(path).text != order.text:
        return None
    return workspace_edit(server, snapshot, formatted(order.text, refactored, server.session.line_width(path)))
