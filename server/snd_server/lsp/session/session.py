"""The state of the server: the open documents, and a workspace of the analysis for each set of module paths."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from lsprotocol import types
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Location, ProjectSettings
from snd_analysis.skriptnd.names import is_library
from snd_analysis.workspace import Snapshot, UnreadableText, Workspace
from snd_server.lsp.limits import MOST_CHECKED_ARCHIVE_BYTES, MOST_DOCUMENT_CHARACTERS
from snd_server.lsp.session.abilities import DiagnosticAbilities
from snd_server.lsp.session.analysis_thread import AnalysisThread, Question, Urgency
from snd_server.lsp.session.client_settings import ClientSettings, Scopes
from snd_server.lsp.session.documents import Document, Documents
from snd_server.lsp.session.heap import Heap
from snd_server.lsp.wire.positions import Converter
from snd_server.lsp.wire.uris import uri_of
from snd_server.settings.config import Configuration, Configurations
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.discovery import (
    NNEF1_ARCHIVES,
    NNEF1_FILES,
    NNEF1_SUFFIX,
    SUFFIX,
    MissingPathError,
    discover,
    has_files,
)
from snd_server.workspace_files.files import DiskReader, below, listings_above
from snd_server.workspace_files.text_sizes import too_large

_Answer = TypeVar("_Answer")


class UnknownDocument(Exception):  # noqa: N818 - it is an answer
    """The requested document is neither open nor a file."""


class ClientSession:
    """One client's texts and their analysis.

    Documents belong to the thread that reads messages, workspaces to the analysis thread. Changes for both are passed
    on in the order of the messages, so that every question is answered for the texts the client had when it asked.
    Background tasks are an exception: they may be answered for later texts.
    """

    def __init__(self) -> None:
        self.documents = Documents()
        self.converter = Converter(types.PositionEncodingKind.Utf16)
        self.capabilities = types.ClientCapabilities()
        self.diagnostic_abilities = DiagnosticAbilities()
        self.on_config_error: Callable[[str], None] = lambda message: None
        """Called with an error of a file that has no place to show it, such as an ignore file."""
        self.on_config_diagnostics: Callable[[str, list[types.Diagnostic]], None] = lambda path, found: None
        """Called with the present diagnostics of a configuration file."""
        self.heap = Heap()
        self._thread = AnalysisThread(self.heap.settle)
        self._asked: defaultdict[str, set[Question]] = defaultdict(set)
        """Questions whose answers become useless when the text of a path changes."""
        # All following attributes belong to the analysis thread.
        self._reader = DiskReader(_too_large)
        self._workspaces: dict[ProjectSettings, Workspace] = {}
        self._opened: dict[str, Document] = {}
        self._configurations = Configurations(wrong=self._tell)
        self._told: set[str] = set()
        self._config_diagnostics: dict[str, list[types.Diagnostic]] = {}
        self._scopes = Scopes()
        self._folders: tuple[str, ...] = ()
        self._files: list[str] | None = None
        self._archives: list[str] | None = None

    def location(self, snapshot: Snapshot, place: Location) -> types.Location:
        """Return a place in any file."""
        return types.Location(
            self.documents.uri(place.path), self.converter.range(snapshot.source(place.path), place.span)
        )

    # ---- texts -------------------------------------------------------------------------------------------------------
    def open(self, uri: str, version: int, text: str) -> None:
        """Open a document of the client."""
        self._set(self.documents.open(uri, version, text))

    def change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """Apply changes of the client to a document. Raise KeyError if it is not open."""
        self._set(self.documents.change(uri, version, changes, self.converter))

    def close(self, uri: str) -> Document | None:
        """Take the text of the file again: the client closed the document."""
        document = self.documents.close(uri)
        if document is not None:
            path = document.source.path
            self._outdate(path)

            def forget() -> None:
                self._opened.pop(path, None)
                self._reader.forget(path)
                for workspace in self._workspaces.values():
                    workspace.close(path)

            self._thread.submit(forget)
        return document

    def refresh(self, paths: Sequence[str]) -> None:
        """Note that files changed on disk, appeared or vanished."""
        self._thread.submit(lambda: self._forget(paths))

    def refresh_below(self, folders: Collection[str]) -> Future[bool]:
        """Note that folders may have appeared or vanished with their contents.

        Return whether that concerns known files.
        """

        def forget() -> bool:
            known = below(folders, {*self._reader.asked(), *(self._files or ())})
            if not known and not any(map(self._has_files, folders)):
                return False
            self._read_configurations_again()
            self._forget(known)
            return True

        return self._thread.submit(forget)

    def _forget(self, paths: Collection[str]) -> None:
        self._files = self._archives = None
        archives = [path for path in paths if path.endswith(NNEF1_ARCHIVES)]
        members = below(archives, self._reader.asked()) if archives else ()
        for path in (*paths, *members, *listings_above(paths)):
            self._reader.forget(path)
            for workspace in self._workspaces.values():
                workspace.refresh(path)

    def _has_files(self, path: str) -> bool:
        return os.path.isdir(path) and has_files(path, self._configurations)

    def _set(self, document: Document) -> None:
        path = document.source.path
        self._outdate(path)
        if is_library(path):  # the library is read-only: edits of its files in clients are ignored
            return

        def replace() -> None:
            self._opened[path] = document
            for workspace in self._workspaces.values():
                _open(workspace, document)

        self._thread.submit(replace)

    def _outdate(self, path: str) -> None:
        for question in self._asked.get(path, ()):
            question.stop()

    # ---- inputs of diagnostics besides texts -------------------------------------------------------------------------
    def reconfigure(self) -> None:
        """Read a changed configuration file."""
        self._thread.submit(self._read_configurations_again)

    def _read_configurations_again(self) -> None:
        self._configurations = Configurations(wrong=self._tell)
        self._told.clear()
        for path in self._config_diagnostics:
            self.on_config_diagnostics(path, [])
        self._config_diagnostics.clear()
        self._files = self._archives = None

    def set_folders(self, folders: Iterable[str]) -> None:
        """Set the workspace folders of the client."""
        now = tuple(folders)

        def replace() -> None:
            self._folders = now
            self._files = self._archives = None

        self._thread.submit(replace)

    def set_scopes(self, scopes: Scopes) -> None:
        """Set the settings of the client."""

        def replace() -> None:
            self._scopes = scopes

        self._thread.submit(replace)

    # ---- questions ---------------------------------------------------------------------------------------------------
    async def ask(
        self,
        path: str,
        function: Callable[[Snapshot, Question], _Answer],
        *,
        urgency: Urgency = Urgency.NOW,
        if_unchanged: bool = False,
    ) -> _Answer:
        """Return the answer of ``function`` for the current texts, as seen from a file.

        More urgent questions preempt a less urgent one, and it begins again after them. With
        ``if_unchanged``, a change of the file's text raises Interrupted. Raise UnknownDocument if there is no such
        file.
        """
        question = Question()
        if if_unchanged:
            self._asked[path].add(question)
        try:
            return await self._thread.ask(lambda asked: function(self._snapshot(path, asked), asked), question, urgency)
        finally:
            if if_unchanged:
                self._asked[path].discard(question)
                if not self._asked[path]:
                    del self._asked[path]

    async def work(self, function: Callable[[], _Answer]) -> _Answer:
        """Do something on the analysis thread, in its turn."""
        return await asyncio.wrap_future(self._thread.submit(function))

    def stop(self) -> None:
        """Stop the analysis thread."""
        self._thread.close()

    def _snapshot(self, path: str, question: Question) -> Snapshot:
        settings = self._project_settings(path)
        workspace = self._workspaces.get(settings)
        if workspace is None:
            workspace = self._workspaces[settings] = Workspace(self._reader, settings)
            for document in self._opened.values():
                _open(workspace, document)
        snapshot = workspace.snapshot()
        if snapshot.file(path) is None:
            raise UnknownDocument(f"{uri_of(path)} is neither open nor a file")
        return snapshot

    def _project_settings(self, path: str) -> ProjectSettings:
        configured = self.configuration(path).project_settings
        paths = map(os.path.abspath, (*configured.module_paths, *self.settings(path).module_paths))
        return replace(configured, module_paths=tuple(dict.fromkeys(paths)))

    # ---- for functions that answer questions: on the analysis thread alone -------------------------------------------
    def files(self) -> list[str]:
        """Return every file in SkriptND of the workspace folders, and every such open document."""
        return [path for path in self.all_files() if not path.endswith(NNEF1_FILES)]

    def all_files(self) -> list[str]:
        """Return every file of the workspace folders, and every open document, in any language."""
        if self._files is None:
            self._files = self._discovered(SUFFIX, NNEF1_SUFFIX)
        return list(dict.fromkeys([*self._files, *self._opened]))

    def all_archives(self) -> list[str]:
        """Return the graphs of the models in the workspace folders that are archives, as paths in these."""
        if self._archives is None:
            found = self._discovered(*NNEF1_ARCHIVES)
            self._archives = [path for path in found if _is_small(os.path.dirname(path))]
        return self._archives

    def _discovered(self, *suffixes: str) -> list[str]:
        folders = [path for path in self._folders if os.path.isdir(path)]
        try:
            return discover(folders, self._configurations, suffixes)
        except MissingPathError:  # a folder that has vanished meanwhile
            return []

    def opened(self, path: str) -> Document | None:
        """Return the version of an open document that questions are answered for now."""
        return self._opened.get(path)

    def configuration(self, path: str) -> Configuration:
        """Return the configuration of a file without its mistakes, which are shown to the client.

        A document that is no file has the configuration of the first workspace folder.
        """
        if os.path.isabs(path):
            return self._configurations.of_file(path)
        return self._configurations.of_folder(self._folders[0]) if self._folders else Configuration()

    def settings(self, path: str) -> ClientSettings:
        """Return the settings of the client for a file."""
        return self._scopes.of(path)

    def line_width(self, path: str) -> int:
        """Return the columns that the formatter may fill in a file."""
        return self.settings(path).line_width or self.configuration(path).settings.line_width

    def _tell(self, mistake: ConfigError) -> None:
        message = str(mistake)
        if message in self._told:
            return
        self._told.add(message)
        if mistake.place is None:
            self.on_config_error(message)
            return
        path = os.path.abspath(mistake.origin)
        found = types.Diagnostic(
            self.converter.range(*mistake.place), mistake.reason, severity=types.DiagnosticSeverity.Error, source="snd"
        )
        self._config_diagnostics.setdefault(path, []).append(found)
        self.on_config_diagnostics(path, [*self._config_diagnostics[path]])


def _is_small(archive: str) -> bool:
    try:
        return os.path.getsize(archive) <= MOST_CHECKED_ARCHIVE_BYTES
    except OSError:
        return False


def _too_large(text: str) -> str | None:
    """Return why a text is not looked at, in words; None if it is."""
    if len(text) <= MOST_DOCUMENT_CHARACTERS:
        return too_large(text)
    return (
        f"the file has {len(text):,} characters; in editors, files of up to {MOST_DOCUMENT_CHARACTERS:,} are looked at"
    )


def _open(workspace: Workspace, document: Document) -> None:
    path, text = document.source.path, document.source.text
    why = _too_large(text)
    if why is None:
        workspace.open(path, text)
    else:
        workspace.open_unread(path, UnreadableText(why, rules.FILE_TOO_LARGE))
