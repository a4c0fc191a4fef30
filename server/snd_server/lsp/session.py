"""What the server knows: the open documents, and a workspace of the analysis for each set of module paths."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from lsprotocol import types

from snd_analysis.names.library import is_library
from snd_analysis.workspace import Snapshot, Workspace
from snd_server.config import ConfigError, Configuration, Configurations
from snd_server.discovery import MissingPathError, discover
from snd_server.files import DiskReader
from snd_server.lsp.analysis_thread import AnalysisThread, Question
from snd_server.lsp.convert import Converter
from snd_server.lsp.documents import Document, Documents

_Answer = TypeVar("_Answer")


class Session:
    """One client's texts and the analysis of them.

    Documents belong to the thread that reads messages, workspaces to the analysis thread. What reaches both is passed
    on in the order of the messages, so that every question is answered for the texts the client had when it asked.
    """

    def __init__(self) -> None:
        self.documents = Documents()
        self.converter = Converter(types.PositionEncodingKind.Utf16)
        self.folders: dict[str, str] = {}
        """The workspace folders of the client: names by path."""
        self.configurations = Configurations()
        self.on_config_error: Callable[[Exception], None] = lambda error: None
        self._thread = AnalysisThread()
        self._reader = DiskReader()
        self._workspaces: dict[tuple[str, ...], Workspace] = {}
        self._outdatable: set[Question] = set()

    # ---- texts -------------------------------------------------------------------------------------------------------
    def open(self, uri: str, version: int, text: str) -> None:
        """The client opened a document."""
        self._set(self.documents.open(uri, version, text))

    def change(self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """The client changed a document. Raises KeyError if it is not open."""
        self._set(self.documents.change(uri, version, changes, self.converter))

    def close(self, uri: str) -> Document | None:
        """The client closed a document: the file counts again."""
        document = self.documents.close(uri)
        if document is not None:
            path = document.source.path
            self._outdate()
            self._submit(lambda: self._each_workspace(lambda workspace: workspace.close(path)))
            self.refresh([path])
        return document

    def refresh(self, paths: Sequence[str]) -> None:
        """Files changed on disk, appeared or vanished."""
        self._outdate()

        def forget() -> None:
            for path in paths:
                self._reader.forget(path)
                self._each_workspace(lambda workspace, path=path: workspace.refresh(path))  # type: ignore[misc]

        self._submit(forget)

    def reconfigure(self) -> None:
        """A configuration file changed."""
        self._outdate()

        def forget() -> None:
            self.configurations = Configurations()
            self._workspaces.clear()

        self._submit(forget)

    def _set(self, document: Document) -> None:
        self._outdate()
        path, text = document.source.path, document.source.text
        if not is_library(path):  # the library is read-only: what clients make of its files counts for nothing
            self._submit(lambda: self._each_workspace(lambda workspace: workspace.open(path, text)))

    # ---- questions ---------------------------------------------------------------------------------------------------
    async def ask(
        self, path: str, function: Callable[[Snapshot, Question], _Answer], *, outdatable: bool = False
    ) -> _Answer:
        """The answer of ``function`` for the texts as they are now, seen from a file.

        An ``outdatable`` question is given up when a text changes. Raises Interrupted then.
        """
        question = Question()
        opened = [(each.source.path, each.source.text) for each in self.documents]
        if outdatable:
            self._outdatable.add(question)
        try:
            return await self._thread.ask(lambda asked: function(self._snapshot(path, opened, asked), asked), question)
        finally:
            self._outdatable.discard(question)

    async def work(self, function: Callable[[], _Answer]) -> _Answer:
        """Does something on the analysis thread, in its turn."""
        return await asyncio.wrap_future(self._thread.submit(function))

    async def files(self) -> list[str]:
        """Every file of the workspace folders, and every open document."""
        folders = [path for path in self.folders if os.path.isdir(path)]
        opened = [document.source.path for document in self.documents]

        def found() -> list[str]:
            try:
                return discover(folders, self.configurations)
            except (ConfigError, MissingPathError) as error:
                self.on_config_error(error)
                return []

        return list(dict.fromkeys([*await self.work(found), *opened]))

    def configuration(self, path: str) -> Configuration:
        """The configuration of a file; the default one where it is broken, which the client is told of."""
        try:
            return self.configurations.of_file(path)
        except ConfigError as error:
            self.on_config_error(error)
            return Configuration()

    def stop(self) -> None:
        """Nothing more is asked."""
        self._outdate()
        self._thread.close()

    def _snapshot(self, path: str, opened: Sequence[tuple[str, str]], question: Question) -> Snapshot:
        module_paths = self.configuration(path).module_paths
        workspace = self._workspaces.get(module_paths)
        if workspace is None:
            workspace = self._workspaces[module_paths] = Workspace(self._reader, module_paths)
            for other, text in opened:
                if not is_library(other):
                    workspace.open(other, text)
        return workspace.snapshot(question.checkpoint)

    def _each_workspace(self, change: Callable[[Workspace], None]) -> None:
        for workspace in self._workspaces.values():
            change(workspace)

    def _submit(self, function: Callable[[], None]) -> None:
        self._thread.submit(function)

    def _outdate(self) -> None:
        for question in self._outdatable:
            question.stop()
