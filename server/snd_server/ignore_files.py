"""``.gitignore`` files, at every level from the root of the repository down, as git reads them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class GitIgnore(Struct, frozen=True):
    """The ignore files that apply to a folder, innermost first: the innermost that has an opinion decides."""

    levels: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    @classmethod
    def around(cls, folder: str) -> GitIgnore:
        """What the folders above ``folder`` (absolute, real) say, up to the root of its repository.

        None of it if they ignore ``folder`` itself: who asks for an ignored folder by name wants to see its files.
        """
        above = _folders_above(folder)
        ignore = cls()
        for parent in above:
            ignore = ignore.entering(parent)
        return cls() if any(ignore.covers(part, True) for part in (*above[1:], folder)) else ignore

    def entering(self, folder: str) -> GitIgnore:
        """The same with what ``folder`` (absolute, real) itself says."""
        lines = [*_lines(os.path.join(folder, ".git", "info", "exclude")), *_lines(os.path.join(folder, ".gitignore"))]
        if not any(line.strip() and not line.startswith("#") for line in lines):
            return self
        return GitIgnore(((folder, git_ignore_spec(lines)), *self.levels))

    def covers(self, path: str, is_folder: bool) -> bool:
        """Whether ``path`` (absolute) is ignored; a folder that is ignored need not be searched."""
        for folder, spec in self.levels:
            verdict = spec.check_file(_relative(path, folder, is_folder)).include
            if verdict is not None:
                return verdict
        return False


def git_ignore_spec(lines: list[str]) -> GitIgnoreSpec:
    """Patterns as in a ``.gitignore``; those that are no patterns are skipped, as git does."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _relative(path: str, folder: str, is_folder: bool) -> str:
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    return f"{relative}/" if is_folder else relative


def _folders_above(folder: str) -> list[str]:
    """Folders from the root of the repository down to the parent of ``folder``; none outside a repository."""
    above: list[str] = []
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        above.insert(0, parent)
        folder = parent
    return above


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
