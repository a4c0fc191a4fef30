"""Paths of archives, and of their members: the archive's path, then the member's, ``model.nnef.tgz/graph.nnef``.

Nothing is read here, so no check of a folder loads the code that reads archives.
"""

from __future__ import annotations

import os

SUFFIXES = (".nnef.tgz", ".nnef.tar.gz", ".nnef.tar", ".tgz", ".tar.gz", ".tar")
GRAPH = "graph.nnef"


def is_archive(path: str) -> bool:
    """Return whether a path is that of an archive, by its name and the file system."""
    return path.endswith(SUFFIXES) and os.path.isfile(path)


def split_member(path: str) -> tuple[str, str] | None:
    """Return the archive and the name of a member; None if no part of the path is an archive."""
    at = 0
    while (at := path.find("/", at + 1)) > 0:
        if is_archive(path[:at]):
            return path[:at], path[at + 1 :]
    return None
