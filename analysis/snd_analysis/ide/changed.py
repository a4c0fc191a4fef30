"""The files as they would be after a change that nobody has made yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from snd_analysis.base.diagnostics import TextEdit
from snd_analysis.base.text import Edit
from snd_analysis.workspace import Snapshot, Workspace


class _ChangedFiles:
    """A reader of a snapshot's files with other texts in their place; of None, there is no file."""

    def __init__(self, snapshot: Snapshot, texts: Mapping[str, str | None]) -> None:
        self._snapshot = snapshot
        self._texts = texts

    def read(self, path: str) -> str:
        """The text of a file. Raises FileNotFoundError or UnreadableText."""
        if path in self._texts:
            text = self._texts[path]
            if text is None:
                raise FileNotFoundError(path)
            return text
        file = self._snapshot.file(path)
        if file is None:
            raise FileNotFoundError(path)
        if file.unreadable is not None:
            raise file.unreadable
        return file.source.text

    def exists(self, path: str) -> bool:
        """Whether there is a file of that path."""
        if path in self._texts:
            return self._texts[path] is not None
        return self._snapshot.exists(path)


def changed_snapshot(snapshot: Snapshot, texts: Mapping[str, str | None]) -> Snapshot:
    """The state of the files in which ``texts`` stand at their paths, None for files that are gone."""
    workspace = Workspace.continuing(snapshot, _ChangedFiles(snapshot, texts))
    for path, text in texts.items():
        workspace.refresh(path) if text is None else workspace.open(path, text)
    return workspace.snapshot()


def edited_texts(snapshot: Snapshot, edits: Iterable[TextEdit]) -> dict[str, str]:
    """The texts of the files after edits that do not overlap."""
    texts: dict[str, str] = {}
    for edit in sorted(edits, key=lambda each: each.location, reverse=True):
        path = edit.location.path
        text = texts.get(path)
        before = snapshot.source(path).text if text is None else text
        texts[path] = Edit(edit.location.span, edit.text).apply(before)
    return texts
