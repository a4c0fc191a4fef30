"""Renaming of declarations, and of files and folders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from snd_analysis.ide import front_end
from snd_analysis.ide.rename import RenameRefused, file_rename_edits
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.analysis_thread import Question, Urgency
from snd_server.lsp.session.position_request import ANYWHERE, at_position
from snd_server.lsp.session.session import ClientSession
from snd_server.lsp.session.workspace_edits import can, workspace_edit
from snd_server.lsp.wire.uris import path_of
from snd_server.workspace_files.discovery import SUFFIX

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer

_MOVED = types.FileOperationRegistrationOptions(
    [
        types.FileOperationFilter(
            types.FileOperationPattern(f"**/*{SUFFIX}", matches=types.FileOperationPatternKind.File), scheme="file"
        ),
        types.FileOperationFilter(
            types.FileOperationPattern("**", matches=types.FileOperationPatternKind.Folder), scheme="file"
        ),
    ]
)


def register(server: SndServer) -> None:
    """Register the handlers of this module."""
    server.answer(types.TEXT_DOCUMENT_PREPARE_RENAME, _prepare)
    server.answer(types.TEXT_DOCUMENT_RENAME, _rename, types.RenameOptions(prepare_provider=True))
    server.answer(types.WORKSPACE_WILL_RENAME_FILES, partial(_files_will_move, server.log), _MOVED)


async def _prepare(session: ClientSession, params: types.TextDocumentPositionParams) -> types.PrepareRenamePlaceholder:
    def answer(snapshot: Snapshot, path: str, offset: int) -> types.PrepareRenamePlaceholder:
        span, name = front_end(path).prepare_rename(snapshot, path, offset)
        return types.PrepareRenamePlaceholder(session.converter.range(snapshot.source(path), span), name)

    try:
        return await at_position(session, params, answer)
    except RenameRefused as refused:
        raise _refusal(refused) from None


async def _rename(session: ClientSession, params: types.RenameParams) -> types.WorkspaceEdit:
    path = path_of(params.text_document.uri)

    def answer(snapshot: Snapshot, question: Question) -> types.WorkspaceEdit:
        offset = session.converter.offset(snapshot.source(path), params.position)
        paths = [*question.each(session.files())]
        done = front_end(path).rename(snapshot, path, offset, params.new_name, paths)
        if done.moved is not None and not can(session, types.ResourceOperationKind.Rename):
            raise RenameRefused("this editor can't rename files with their names")
        return workspace_edit(session, snapshot, done.edits, done.moved)

    try:
        return await session.ask(path, answer, urgency=Urgency.BACKGROUND, if_unchanged=True)
    except RenameRefused as refused:
        raise _refusal(refused) from None


async def _files_will_move(
    log: Callable[[types.MessageType, str], None], session: ClientSession, params: types.RenameFilesParams
) -> types.WorkspaceEdit | None:
    moves = [(path_of(each.old_uri), path_of(each.new_uri)) for each in params.files]
    seen_from = next((old for old, _ in moves if old.endswith(SUFFIX)), ANYWHERE)

    def answer(snapshot: Snapshot, question: Question) -> types.WorkspaceEdit | None:
        paths = [*question.each(session.files())]
        edits, unreachable = file_rename_edits(snapshot, moves, paths)
        for each in unreachable:
            log(types.MessageType.Warning, f"{each.importer} imports '{each.module}', which has no name where it goes")
        return workspace_edit(session, snapshot, edits) if edits else None

    return await session.ask(seen_from, answer, urgency=Urgency.BACKGROUND)


def _refusal(refused: RenameRefused) -> JsonRpcException:
    return JsonRpcException(str(refused), types.LSPErrorCodes.RequestFailed)
