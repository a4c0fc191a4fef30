"""Edits of several files, of the versions that the client has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from snd_analysis.diagnostics import TextEdit
from snd_analysis.workspace import Snapshot

if TYPE_CHECKING:
    from snd_server.lsp.server import SndServer


def workspace_edit(server: SndServer, snapshot: Snapshot, edits: Iterable[TextEdit]) -> types.WorkspaceEdit:
    """The edits of the texts that a snapshot has; with their versions, for clients that know versions."""
    session = server.session
    by_path: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.location.path, []).append(text_edit(server, snapshot, edit))
    workspace = server.client_capabilities.workspace
    abilities = workspace.workspace_edit if workspace else None
    if abilities is None or not abilities.document_changes:
        return types.WorkspaceEdit(changes={session.documents.uri(path): found for path, found in by_path.items()})
    changes: list[types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile] = []
    for path, found in by_path.items():
        opened = session.opened(path)
        version = None if opened is None else opened.version
        document = types.OptionalVersionedTextDocumentIdentifier(session.documents.uri(path), version)
        changes.append(types.TextDocumentEdit(document, found))
    return types.WorkspaceEdit(document_changes=changes)


def text_edit(server: SndServer, snapshot: Snapshot, edit: TextEdit) -> types.TextEdit:
    """An edit of a file."""
    source = snapshot.source(edit.location.path)
    return types.TextEdit(server.session.converter.range(source, edit.location.span), edit.text)
