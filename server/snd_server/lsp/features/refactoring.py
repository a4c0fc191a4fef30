"""The command of refactorings: the edit is applied only if evaluation before and after it agrees."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from msgspec import Struct
from msgspec.structs import replace
from pygls.exceptions import JsonRpcInvalidParams

from snd_analysis.base import Span
from snd_analysis.ide.actions import REFACTOR
from snd_analysis.ide.evaluation import GraphName
from snd_analysis.ide.refactoring import ACROSS_FILES, MOVE_TARGET, REFACTORINGS, Refactored, formatted
from snd_analysis.skriptnd.names import is_library
from snd_analysis.workspace import Snapshot
from snd_server.lsp.limits import MOST_REFACTORING_SECONDS
from snd_server.lsp.session.analysis_thread import Interrupted
from snd_server.lsp.session.freshness import NOTICEABLE_SECONDS, ValueKey
from snd_server.lsp.session.late_runtime import load_runtime
from snd_server.lsp.session.session import UnknownDocument
from snd_server.lsp.session.workspace_edits import workspace_edit
from snd_server.lsp.values.evaluation import sample_request, texts_of
from snd_server.lsp.wire.progress import begun_progress, reported_from_threads
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_runtime.samples import RefactoringRequest
    from snd_server.lsp.server import SndServer


class _Order(Struct, frozen=True):
    request: RefactoringRequest
    existing: frozenset[str]
    """Paths of all files: they decide where modules are found."""
    tensor_bytes: int


def register(server: SndServer) -> None:
    """Register the command of this module.

    The command is answered at once: some clients wait for the answers of commands. The progress can be cancelled.
    """

    def refactor(*arguments: Any) -> None:
        match arguments:
            case (str(uri), str(kind), int(start), int(end), *rest) if kind in REFACTORINGS and 0 <= start <= end:
                match rest:
                    case [] | [dict()]:
                        options = {**rest[0]} if rest else {}
                        if isinstance(target := options.get(MOVE_TARGET), str):
                            options[MOVE_TARGET] = path_of(target)
                        server.begin(_done(server, path_of(uri), kind, Span(start, end), options))
                    case _:
                        raise JsonRpcInvalidParams("the options of a refactoring are an object")
            case _:
                raise JsonRpcInvalidParams("this command takes the URI of a document, a refactoring, and two offsets")

    server.command(REFACTOR)(refactor)


async def _done(server: SndServer, path: str, kind: str, span: Span, options: Mapping[str, Any]) -> None:
    if is_library(path):
        server.warn("the standard library can't be changed")
        return
    try:
        order = await server.session.ask(
            path, lambda snapshot, _: _ordered(server, snapshot, path, kind, span, options)
        )
        from snd_runtime.samples import RefactoringAnswer  # loaded by now

        with begun_progress(server, "Refactoring", NOTICEABLE_SECONDS) as shown:
            report = reported_from_threads(shown)
            answer: RefactoringAnswer = await server.evaluations.call(
                ValueKey(path, GraphName(f"{kind} {span.start}")),
                lambda evaluator: evaluator.refactor(
                    order.request, order.existing, lambda now: report(now.done, now.total, "comparisons")
                ),
                RefactoringAnswer,
                order.tensor_bytes,
            )
        refactored = answer.refactored
        if refactored is None:
            server.warn(f"nothing was changed: {answer.message}")
            return
        edit = await server.session.ask(path, lambda snapshot, _: _edit(server, snapshot, order.request, refactored))
        if edit is not None:
            params = types.ApplyWorkspaceEditParams(edit, answer.message)
            if (await server.workspace_apply_edit_async(params)).applied:
                server.tell(answer.message)
                if answer.moved:
                    rules = (
                        f"'snd run --map' loads weights that were saved before, with these rules:\n{answer.weights_map}"
                    )
                    server.log(types.MessageType.Info, rules)
                return
        server.warn("nothing was changed: the text has changed meanwhile")
    except CancelledError:
        server.log(types.MessageType.Info, "the refactoring was cancelled")
        raise
    except (Interrupted, UnknownDocument) as problem:
        server.log(types.MessageType.Info, str(problem) or "the text has changed since this was asked")


def _ordered(
    server: SndServer, snapshot: Snapshot, path: str, kind: str, span: Span, options: Mapping[str, Any]
) -> _Order:
    """Return the request for the worker, which does all the work."""
    load_runtime()
    from snd_runtime.samples import RefactoringRequest

    evaluation = server.evaluations.options(path)
    around = replace(sample_request(snapshot, path, evaluation), pictures=False)
    seconds = min(around.limits.seconds or MOST_REFACTORING_SECONDS, MOST_REFACTORING_SECONDS)
    around = replace(around, limits=replace(around.limits, seconds=seconds))
    files: tuple[str, ...] = ()
    if kind in ACROSS_FILES:
        files = tuple(each for each in server.session.files() if path in snapshot.dependencies(each))
        target = options.get(MOVE_TARGET)
        more = (target,) if isinstance(target, str) and snapshot.exists(target) else ()
        involved = {
            each for file in (*files, *more) for each in (file, *snapshot.dependencies(file)) if not is_library(each)
        }
        around = replace(around, texts={**texts_of(snapshot, sorted(involved)), **around.texts})
    existing = frozenset(server.session.files())
    return _Order(RefactoringRequest(around, kind, span, files, options), existing, evaluation.tensor_bytes)


def _edit(
    server: SndServer, snapshot: Snapshot, request: RefactoringRequest, refactored: Refactored
) -> types.WorkspaceEdit | None:
    """Return the edit; None if a text has changed meanwhile."""
    texts, width = request.around.texts, server.session.line_width(request.around.path)
    if any(
        snapshot.source(path).text != texts.get(path, "") for path in (each.location.path for each in refactored.edits)
    ):
        return None
    return workspace_edit(server.session, snapshot, formatted(texts, refactored, width), created=refactored.created)
