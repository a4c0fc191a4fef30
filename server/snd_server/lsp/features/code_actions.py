"""Code actions in a range of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from snd_analysis.ide import front_end
from snd_analysis.ide.actions import REFACTOR, REFRESH_SAMPLE, WRITE_SAMPLE, Action, ActionKind
from snd_analysis.ide.refactoring import MOVE_TARGET
from snd_analysis.workspace import Snapshot
from snd_server.lsp.diagnostics.diagnostics import converted, found
from snd_server.lsp.session.analysis_thread import Question
from snd_server.lsp.session.workspace_edits import can, workspace_edit
from snd_server.lsp.wire.uris import path_of

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

COMMANDS = frozenset({REFACTOR, REFRESH_SAMPLE, WRITE_SAMPLE})
"""The commands of actions that this server has."""
_KINDS = [kind.value for kind in ActionKind]


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.handle(types.TEXT_DOCUMENT_CODE_ACTION, _code_actions, types.CodeActionOptions([*_KINDS]))


async def _code_actions(server: SndServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    document = server.client_capabilities.text_document
    if document is None or document.code_action is None or document.code_action.code_action_literal_support is None:
        return []  # it knows commands only
    path = path_of(params.text_document.uri)
    only = params.context.only or ()

    def answer(snapshot: Snapshot, question: Question) -> list[types.CodeAction]:
        span = server.session.converter.span(snapshot.source(path), params.range)
        diagnostics = found(server, snapshot, path)
        offered = front_end(path).actions(snapshot, path, span, only, diagnostics, server.session.files(), COMMANDS)
        creates = can(server.session, types.ResourceOperationKind.Create)
        return [
            _converted(server, snapshot, each, params.text_document.uri)
            for each in offered
            if creates or not each.creates_file
        ]

    return await server.session.ask(path, answer, if_unchanged=True)


def _converted(server: SndServer, snapshot: Snapshot, action: Action, uri: str) -> types.CodeAction:
    command = None
    if action.command is not None:
        arguments: list[Any] = [uri, *action.command.arguments]
        if action.command.options:
            options = dict(action.command.options)
            if MOVE_TARGET in options:
                options[MOVE_TARGET] = server.session.documents.uri(options[MOVE_TARGET])
            arguments.append(options)
        command = types.Command(action.title, action.command.name, arguments=arguments)
    return types.CodeAction(
        action.title,
        action.kind.value,
        converted(server, snapshot, action.resolves) or None,
        action.is_preferred or None,
        edit=workspace_edit(server.session, snapshot, action.edits) if action.edits else None,
        command=command,
    )
