"""The command that writes a sample for a definition: small valid inputs, with the results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from msgspec import Struct
from msgspec.structs import replace
from pygls.exceptions import JsonRpcInvalidParams

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.actions import WRITE_SAMPLE, has_sample
from snd_analysis.ide.evaluation import GraphName
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_analysis.workspace import Snapshot
from snd_server.lsp.limits import MOST_WRITINGS
from snd_server.lsp.session.analysis_thread import Interrupted, Question
from snd_server.lsp.session.freshness import ValueKey
from snd_server.lsp.session.late_runtime import load_runtime
from snd_server.lsp.session.session import UnknownDocument
from snd_server.lsp.session.workspace_edits import workspace_edit
from snd_server.lsp.values.evaluation import sample_request
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_runtime.samples import ProposalRequest, SampleProposal
    from snd_server.lsp.server import SndServer

_LINE_BREAK = re.compile(r"\r\n|\n|\r")


def register(server: SndServer) -> None:
    """Register the command of this module. It does not wait for its outcome, since it could not be cancelled."""
    under_way: set[OperatorName] = set()

    async def once(name: OperatorName) -> None:
        if name in under_way:  # a double click asks for one
            return
        under_way.add(name)
        try:
            await _written(server, name)
        finally:
            under_way.discard(name)

    def write(*arguments: Any) -> None:
        if len(arguments) != 2 or not all(isinstance(each, str) for each in arguments):
            raise JsonRpcInvalidParams("this command takes the URI of a document and the name of a definition")
        server.begin(once(OperatorName(path_of(arguments[0]), arguments[1])))

    server.command(WRITE_SAMPLE)(write)


class _Order(Struct, frozen=True):
    request: ProposalRequest
    text: str
    tensor_bytes: int


async def _written(server: SndServer, name: OperatorName) -> None:
    if is_library(name.path):
        server.warn("the standard library can't be changed")
        return
    try:
        for _ in range(MOST_WRITINGS):
            order = await server.session.ask(name.path, lambda snapshot, _: _ordered(server, snapshot, name))
            if order is None:
                server.log(types.MessageType.Info, f"there is a sample of '{name.name}' already")
                return
            from snd_runtime.samples import NoProposal  # loaded by now

            proposal = await server.evaluations.call(
                ValueKey(name.path, GraphName(name.name)),
                lambda evaluator: evaluator.propose(order.request),  # noqa: B023 - it is waited for
                NoProposal,
                order.tensor_bytes,
            )
            if isinstance(proposal, NoProposal):
                server.warn(f"no sample of '{name.name}' was written: {proposal.reason}")
                return
            edit = await _edit(server, order, proposal)
            if edit is None:
                continue
            params = types.ApplyWorkspaceEditParams(edit, f"write a sample of '{name.name}'")
            if (await server.workspace_apply_edit_async(params)).applied:
                return
        server.warn("the sample could not be written: the text has changed meanwhile")
    except (Interrupted, UnknownDocument) as problem:
        server.log(types.MessageType.Info, str(problem))


def _ordered(server: SndServer, snapshot: Snapshot, name: OperatorName) -> _Order | None:
    """Return the work to do; None if the definition has a sample."""
    load_runtime()
    from snd_runtime.samples import ProposalRequest

    options = server.evaluations.options(name.path)
    if snapshot.definitions(name.path).get(name.name) is None:
        raise UnknownDocument(f"there is no '{name.name}' any more")
    if has_sample(snapshot, name):
        return None
    request = sample_request(snapshot, name.path, options)
    return _Order(
        ProposalRequest(replace(request, pictures=False), name), snapshot.source(name.path).text, options.tensor_bytes
    )


async def _edit(server: SndServer, order: _Order, proposal: SampleProposal) -> types.WorkspaceEdit | None:
    """Return the comment above the definition; None if the text has changed meanwhile."""
    name = order.request.name

    def answer(snapshot: Snapshot, question: Question) -> types.WorkspaceEdit | None:
        source = snapshot.source(name.path)
        found = snapshot.definitions(name.path).get(name.name)
        if source.text != order.text or found is None:
            return None
        at = found.start + found.definition.start
        edit = TextEdit(Location(name.path, Span(at, at)), comment_text(source.text, at, proposal))
        return workspace_edit(server.session, snapshot, [edit])

    return await server.session.ask(name.path, answer)


def comment_text(text: str, at: int, proposal: SampleProposal) -> str:
    """Return the lines of a sample, to be inserted at the beginning of a definition, each below the other."""
    from snd_runtime.samples import Status, sample_comment

    found = _LINE_BREAK.search(text)
    line_break = "\n" if found is None else found[0]
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    before = text[start:at].removeprefix("\ufeff")
    indent = before if not before.strip() else ""
    lines = sample_comment(proposal.code).split("\n")
    if proposal.outcome.status is Status.UNRECORDED:
        lines += [f"# {result.now}" for result in proposal.outcome.results]
    ahead = "" if before == indent else line_break
    return ahead + "".join(f"{line}{line_break}{indent}" for line in lines)
