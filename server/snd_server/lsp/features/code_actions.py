"""Code actions in a range of a document."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from snd_analysis.base import Diagnostic
from snd_analysis.ide import front_end
from snd_analysis.ide.actions import REFACTOR, REFRESH_SAMPLE, WRITE_SAMPLE, Action, ActionKind
from snd_analysis.ide.refactoring import MOVE_TARGET
from snd_analysis.workspace import Snapshot
from snd_server.lsp.diagnostics.diagnostics import converted, found
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.session.workspace_edits import can, workspace_edit
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

COMMANDS = frozenset({REFACTOR, REFRESH_SAMPLE, WRITE_SAMPLE})
"""The commands of actions that this server has."""
_KINDS = [kind.value for kind in ActionKind]


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    actions = partial(_code_actions, partial(found, server))
    server.answer(types.TEXT_DOCUMENT_CODE_ACTION, actions, types.CodeActionOptions([*_KINDS]))


async def _code_actions(
    wrong: Callable[[Snapshot, str], tuple[Diagnostic, ...]], session: ClientSession, params: types.CodeActionParams
) -> list[types.CodeAction]:
    document = session.capabilities.text_document
    if document is None or document.code_action is None or document.code_action.code_action_literal_support is None:
        return []  # it knows commands only
    path = path_of(params.text_document.uri)
    only = params.context.only or ()

    def answer(snapshot: Snapshot, question: Question) -> list[types.CodeAction]:
        span = session.converter.span(snapshot.source(path), params.range)
        diagnostics = wrong(snapshot, path)
        offered = front_end(path).actions(snapshot, path, span, only, diagnostics, session.files(), COMMANDS)
        creates = can(session, types.ResourceOperationKind.Create)
        return [
            _converted(session, snapshot, each, params.text_document.uri)
            for each in offered
            if creates or not each.creates_file
        ]

    return await session.ask(path, answer, if_unchanged=True)


def _converted(session: ClientSession, snapshot: Snapshot, action: Action, uri: str) -> types.CodeAction:
    command = None
    if action.command is not None:
        arguments: list[Any] = [uri, *action.command.arguments]
        if action.command.options:
            options = dict(action.command.options)
            if MOVE_TARGET in options:
                options[MOVE_TARGET] = session.documents.uri(options[MOVE_TARGET])
            arguments.append(options)
        command = types.Command(action.title, action.command.name, arguments=arguments)
    return types.CodeAction(
        action.title,
        action.kind.value,
        converted(session, snapshot, action.resolves) or None,
        action.is_preferred or None,
        edit=workspace_edit(session, snapshot, action.edits) if action.edits else None,
        command=command,
    )
