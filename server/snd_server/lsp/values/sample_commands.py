"""Commands of code lenses. Commands about a sample name it by its code, which identifies it at any position."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from snd_analysis.base import Location, TextEdit
from snd_analysis.ide import references
from snd_analysis.ide.actions import REFRESH_SAMPLE
from snd_analysis.ide.evaluation import SampleName
from snd_analysis.skriptnd.names import is_library
from snd_analysis.workspace import Snapshot
from snd_server.lsp.limits import MOST_RECORDINGS
from snd_server.lsp.session.analysis_thread import Interrupted, Question, Urgency
from snd_server.lsp.session.session import UnknownDocument
from snd_server.lsp.session.workspace_edits import workspace_edit
from snd_server.lsp.wire.parameters import entry
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_runtime.samples import SampleOutcome
    from snd_server.lsp.server import SndServer

EVALUATE, REFRESH, CANCEL, RECORD = "snd.evaluate", "snd.refresh", "snd.cancel", "snd.record"
REFERENCES = "snd.references"


def register(server: SndServer) -> None:
    """Register the commands of this module. None of them waits for an evaluation: it could not be cancelled."""

    def about_sample(function: Callable[[SndServer, str, SampleName], Awaitable[None]]) -> Callable[..., None]:
        def run(*arguments: Any) -> None:
            path, name = _sample(arguments)
            server.begin(_told(server, function(server, path, name)))

        return run

    for command, function in (
        (EVALUATE, _evaluate), (REFRESH, _refresh), (CANCEL, _cancel), (RECORD, _record)
    ):  # fmt: skip
        server.command(command)(about_sample(function))

    def record(*arguments: Any) -> None:  # as actions have it, whose arguments are no objects
        uri, *rest = arguments or (None,)
        name = sample_name(dict(zip(("code", "occurrence"), rest, strict=False)))
        if not isinstance(uri, str) or name is None:
            raise JsonRpcInvalidParams("this command takes the URI of a document, and the code of a sample")
        server.begin(_told(server, _record(server, path_of(uri), name)))

    server.command(REFRESH_SAMPLE)(record)

    async def find(*arguments: Any) -> list[types.Location]:
        return await _references(server, arguments)

    server.command(REFERENCES)(find)


def arguments_of(uri: str, name: SampleName) -> list[Any]:
    """Return the arguments of a command about a sample."""
    return [uri, {"code": name.code, "occurrence": name.occurrence}]


def sample_name(value: Any) -> SampleName | None:
    """Return the name of a sample as clients hand it back; None for anything else."""
    code, occurrence = entry(value, "code"), entry(value, "occurrence")
    if not isinstance(code, str) or not (occurrence is None or (type(occurrence) is int and occurrence >= 0)):
        return None
    return SampleName(code, occurrence or 0)


def _sample(arguments: tuple[Any, ...]) -> tuple[str, SampleName]:
    name = sample_name(arguments[1]) if len(arguments) == 2 and isinstance(arguments[0], str) else None
    if name is None:
        raise JsonRpcInvalidParams("this command takes the URI of a document and the code of a sample")
    return path_of(arguments[0]), name


async def _told(server: SndServer, work: Awaitable[None]) -> None:
    """Tell the user why a command does nothing."""
    try:
        await work
    except (Interrupted, UnknownDocument) as problem:
        server.log(types.MessageType.Info, str(problem) or "the sample has changed since it was to be evaluated")


async def _evaluate(server: SndServer, path: str, name: SampleName) -> None:
    await server.evaluations.evaluate(path, name)


async def _refresh(server: SndServer, path: str, name: SampleName) -> None:
    await server.evaluations.evaluate(path, name, again=True)


async def _cancel(server: SndServer, path: str, name: SampleName) -> None:
    server.evaluations.cancel(path, name)


# ---- recording -------------------------------------------------------------------------------------------------------
async def _record(server: SndServer, path: str, name: SampleName) -> None:
    """Record the results, in the version of the text that they belong to."""
    if is_library(path):
        server.warn("the standard library can't be changed")
        return
    for _ in range(MOST_RECORDINGS):
        await server.evaluations.evaluate(path, name)
        recording = await _recording(server, path, name)
        if recording is None:  # the text changed between the two
            continue
        edit, outcome = recording
        if edit.changes == {} or edit.document_changes == []:
            server.warn(f"there is nothing to record: {_why_nothing(outcome)}")
            return
        params = types.ApplyWorkspaceEditParams(edit, "record the result of a sample")
        applied = await server.workspace_apply_edit_async(params)
        if applied.applied:  # the value depends on the recorded results
            await server.evaluations.evaluate(path, name)
            return
    server.warn("the result could not be recorded: the text has changed meanwhile")


def _why_nothing(outcome: SampleOutcome) -> str:
    """Return why there is no line to write."""
    match outcome.status.name:
        case "OK" | "AS_EXPECTED":
            return "what is recorded is what comes out"
        case "INVALID":
            return "what is wrong with the sample is to be mended first"
        case _:
            return "a failure that nobody expects is to be looked at"


async def _recording(
    server: SndServer, path: str, name: SampleName
) -> tuple[types.WorkspaceEdit, SampleOutcome] | None:
    """Return the edit, of the current text, and the recorded results; None if the value belongs to another text."""

    def answer(snapshot: Snapshot, question: Question) -> tuple[types.WorkspaceEdit, SampleOutcome] | None:
        found = next((each for each in server.evaluations.samples(snapshot, path) if each.sample.name == name), None)
        if found is None:
            raise UnknownDocument("there is no such sample any more")
        outcome: SampleOutcome | None = found.value.outcome
        if not found.value.settled or outcome is None:
            return None
        from snd_runtime.samples import update_edits

        text = snapshot.source(path).text
        edits = update_edits(text, found.sample.placed, outcome)
        written = [TextEdit(Location(path, each.span), each.text) for each in edits]
        return workspace_edit(server.session, snapshot, written), outcome

    return await server.session.ask(path, answer)


# ---- references ------------------------------------------------------------------------------------------------------
async def _references(server: SndServer, arguments: tuple[Any, ...]) -> list[types.Location]:
    """Return where a definition is named, for clients that have nothing of their own to show it with."""
    if len(arguments) != 2 or not all(isinstance(each, str) for each in arguments):
        raise JsonRpcInvalidParams("this command takes the URI of a document and the name of a definition")
    path, name = path_of(arguments[0]), arguments[1]

    def answer(snapshot: Snapshot, question: Question) -> list[types.Location]:
        found = snapshot.definitions(path).get(name)
        if found is None:
            return []
        offset = found.start + found.definition.name.span.start
        places = references(snapshot, path, offset, question.each(server.session.files()), with_declaration=False)
        return [server.session.location(snapshot, each) for each in places]

    return await server.session.ask(path, answer, urgency=Urgency.BACKGROUND)
