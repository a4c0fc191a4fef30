"""Paths of archives, and of their members: that of the archive with their own after it, ``model.nnef.tgz/graph.nnef``.

Here nothing is read, so no check of a folder loads what reads archives.
"""

from __future__ import annotations

import os

SUFFIXES = (".nnef.tgz", ".nnef.tar.gz", ".nnef.tar", ".tgz", ".tar.gz", ".tar")
GRAPH = "graph.nnef"


def is_archive(path: str) -> bool:
    """Return whether a path is that of an archive, by its name and what there is."""
    return path.endswith(SUFFIXES) and os.path.isfile(path)


def split_member(path: str) -> tuple[str, str] | None:
    """Return the archive and the name of a member; None if no part of the path is an archive."""
    at = 0
    while (at := path.find("/", at + 1)) > 0:
        if is_archive(path[:at]):
            return path[:at], path[at + 1 :]
    return None
