"""Uses of the names of a file."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.ide.cursor import PlacedUse
from snd_analysis.workspace import Snapshot


def uses_in(snapshot: Snapshot, path: str) -> Iterator[PlacedUse]:
    """Every use of a name in a file, except import statements, in any order."""
    for start, definition in snapshot.tree(path).definitions:
        resolution = snapshot.resolution(path, definition)
        for use in resolution.uses:
            yield PlacedUse(path, use.span.shifted(start), use, definition, resolution, start)
