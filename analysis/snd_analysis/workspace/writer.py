"""The one writer of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snd_analysis.base.text import Edit, Source
from snd_analysis.skriptnd.syntax import parse_file
from snd_analysis.workspace.files import File, Origin, Reader, UnreadableText
from snd_analysis.workspace.known import Known
from snd_analysis.workspace.snapshot import Snapshot


class Workspace:
    """The writer: texts that clients hold open, over the files that a reader gives."""

    def __init__(self, reader: Reader, module_paths: Sequence[str] = ()) -> None:
        self._reader = reader
        self._module_paths = tuple(module_paths)
        self._open: dict[str, File] = {}
        self._read: dict[str, File | None] = {}
        self._known = Known()

    @classmethod
    def continuing(cls, snapshot: Snapshot, reader: Reader) -> Workspace:
        """A workspace of its own that begins with the files that a snapshot has read, and what is known of them."""
        workspace = cls(reader, snapshot.module_paths)
        workspace._read = snapshot.files_read()
        workspace._known = snapshot.known()
        return workspace

    def open(self, path: str, text: str) -> None:
        """Lets ``text`` stand for the file at ``path``, which need not exist."""
        self._replace(path, text)

    def open_unread(self, path: str, why: UnreadableText) -> None:
        """Lets a text stand for the file at ``path`` that is not looked at."""
        self._replace(path, "", why)

    def _replace(self, path: str, text: str, unreadable: UnreadableText | None = None) -> None:
        before = self._open.get(path) or self._read.get(path)
        tree = parse_file(text, before.tree if before else None)
        if before is not None:
            self._known.forget(path, before.tree, tree)
            self._known.forget_lasting(path, tree)
        self._open[path] = File(Source(path, text), tree, unreadable)

    def edit(self, path: str, edits: Sequence[Edit]) -> None:
        """Applies edits, each to the text that the one before it left. Raises KeyError for a file that is not open."""
        text = self._open[path].source.text
        for edit in edits:
            text = edit.apply(text)
        self.open(path, text)

    def close(self, path: str) -> None:
        """Lets the file on disk count again."""
        self._known.forget_lasting(path)
        self._open.pop(path, None)
        self.refresh(path)

    def refresh(self, path: str) -> None:
        """The file at ``path`` changed, appeared or vanished."""
        self._read.pop(path, None)

    def snapshot(self, checkpoint: Callable[[], None] = lambda: None) -> Snapshot:
        """The files as they are now. ``checkpoint`` is called between definitions; what it raises ends the question."""
        origin = Origin(dict(self._open), self._read, self._reader, self._module_paths)
        return Snapshot(origin, self._known, checkpoint)
