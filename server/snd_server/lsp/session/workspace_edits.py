"""Edits of several files, of the versions that the client has."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from snd_analysis.base import TextEdit
from snd_analysis.workspace import Snapshot
from snd_server.lsp.session.session import ClientSession


def workspace_edit(
    session: ClientSession,
    snapshot: Snapshot,
    edits: Iterable[TextEdit],
    moved: tuple[str, str] | None = None,
    created: Iterable[str] = (),
) -> types.WorkspaceEdit:
    """Return the edits of the texts in a snapshot, with the client's versions if it knows versions.

    Files that are ``created`` come first. A file that is ``moved`` takes its other path last. Some clients that can
    rename or create files don't announce that they know versions: they do, since such edits are expressed with
    versions.
    """
    by_path: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        by_path.setdefault(edit.location.path, []).append(text_edit(session, snapshot, edit))
    new = [session.documents.uri(path) for path in created]
    if moved is None and not new and not edit_abilities(session).document_changes:
        return types.WorkspaceEdit(changes={session.documents.uri(path): found for path, found in by_path.items()})
    changes: list[types.TextDocumentEdit | types.RenameFile | types.CreateFile] = [*map(types.CreateFile, new)]
    for path, found in by_path.items():
        opened = session.opened(path)
        version = None if opened is None else opened.version  # a new file has none
        document = types.OptionalVersionedTextDocumentIdentifier(session.documents.uri(path), version)
        changes.append(types.TextDocumentEdit(document, found))
    if moved is not None:
        before, after = map(session.documents.uri, moved)
        changes.append(types.RenameFile(before, after))
    return types.WorkspaceEdit(document_changes=changes)


def edit_abilities(session: ClientSession) -> types.WorkspaceEditClientCapabilities:
    """Return the client's abilities with edits of several files."""
    workspace = session.capabilities.workspace
    return (workspace and workspace.workspace_edit) or types.WorkspaceEditClientCapabilities()


def can(session: ClientSession, operation: types.ResourceOperationKind) -> bool:
    """Return whether the client can create, rename or delete files."""
    return operation in (edit_abilities(session).resource_operations or ())


def text_edit(session: ClientSession, snapshot: Snapshot, edit: TextEdit) -> types.TextEdit:
    """Return an edit of a file."""
    source = snapshot.source(edit.location.path)
    return types.TextEdit(session.converter.range(source, edit.location.span), edit.text)
