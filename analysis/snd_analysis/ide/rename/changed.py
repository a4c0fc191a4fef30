"""The files as they would be after a change."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis.base import Edit, TextEdit
from snd_analysis.workspace import Snapshot


def edited_texts(snapshot: Snapshot, edits: Iterable[TextEdit]) -> dict[str, str]:
    """Return the texts of the files after edits that do not overlap."""
    texts: dict[str, str] = {}
    for edit in sorted(edits, key=lambda each: each.location, reverse=True):
        path = edit.location.path
        text = texts.get(path)
        before = snapshot.source(path).text if text is None else text
        texts[path] = Edit(edit.location.span, edit.text).apply(before)
    return texts
