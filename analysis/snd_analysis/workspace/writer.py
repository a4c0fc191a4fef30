"""The one writer of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snd_analysis.base import NO_SETTINGS, Edit, ProjectSettings
from snd_analysis.db import Database
from snd_analysis.workspace.files import Reader, UnreadableText, exists, is_edited, project_settings, text
from snd_analysis.workspace.snapshot import Snapshot


class Workspace:
    """The writer: texts that clients hold open, over the files that a reader gives."""

    def __init__(
        self,
        reader: Reader,
        settings: ProjectSettings = NO_SETTINGS,
        on_execute: Callable[[object, tuple[object, ...]], None] | None = None,
        *,
        edited: bool = True,
    ) -> None:
        """Create a workspace; ``on_execute`` is called for every query that is executed.

        Without ``edited``, long definitions are analysed in less time, and after an edit as a whole.
        """
        self._open: dict[str, str] = {}
        self._db = Database(reader, on_execute).changed({project_settings.at(): settings, is_edited.at(): edited})

    def open(self, path: str, content: str) -> None:
        """Replace the file at ``path``, which need not exist, by ``content``."""
        self._open[path] = content
        self._db = self._db.changed({text.at(path): content, exists.at(path): True})

    def open_unread(self, path: str, why: UnreadableText) -> None:
        """Replace the file at ``path`` by an unread text, for the reason ``why``."""
        self._open[path] = ""
        self._db = self._db.changed({text.at(path): why, exists.at(path): True})

    def edit(self, path: str, edits: Sequence[Edit]) -> None:
        """Apply edits, each to the text that the one before it left. Raise KeyError for a file that is not open."""
        content = self._open[path]
        for edit in edits:
            content = edit.apply(content)
        self.open(path, content)

    def close(self, path: str) -> None:
        """Let the file on disk count again."""
        self._open.pop(path, None)
        self.refresh(path)

    def refresh(self, path: str) -> None:
        """Note that the file at ``path`` changed, appeared or vanished."""
        if path not in self._open:
            self._db = self._db.changed(forget=[text.at(path), exists.at(path)])

    def snapshot(self) -> Snapshot:
        """Return the current files."""
        return Snapshot(self._db)
