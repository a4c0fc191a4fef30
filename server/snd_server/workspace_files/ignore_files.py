"""``.gitignore`` files, at every level from the root of the repository down, as git reads them."""

from __future__ import annotations

import os
from collections.abc import Callable

from msgspec import Struct

from snd_server.limits import MOST_SETTINGS_BYTES
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.patterns import PatternError, Patterns, parse_patterns
from snd_server.workspace_files.reading import read_file, reason

_EXCLUDE = os.path.join(".git", "info", "exclude")


class GitIgnore(Struct, frozen=True):
    """The ignore files that apply to a folder, innermost first: the innermost that has an opinion decides."""

    wrong: Callable[[ConfigError], None]
    """Called with each mistake in an ignore file. If it does not raise that, the file counts as empty."""
    levels: tuple[tuple[str, Patterns], ...] = ()

    @classmethod
    def around(cls, folder: str, wrong: Callable[[ConfigError], None]) -> GitIgnore:
        """Return the patterns of the folders above ``folder`` (absolute, real), up to the root of its repository.

        Empty if they ignore ``folder`` itself: a user who names an ignored folder wants to see its files.
        """
        above = _folders_above(folder)
        ignore = cls(wrong)
        for parent in above:
            ignore = ignore.entering(parent)
        return cls(wrong) if any(ignore.covers(part, True) for part in (*above[1:], folder)) else ignore

    def entering(self, folder: str) -> GitIgnore:
        """Return the same with the patterns of ``folder`` (absolute, real) itself."""
        found = (_patterns(folder, name, self.wrong) for name in (_EXCLUDE, ".gitignore"))
        patterns = tuple(pattern for each in found for pattern in each.patterns)
        return GitIgnore(self.wrong, ((folder, Patterns(patterns)), *self.levels)) if patterns else self

    def covers(self, path: str, is_folder: bool) -> bool:
        """Return whether ``path`` (absolute) is ignored; a folder that is ignored need not be searched."""
        for folder, patterns in self.levels:
            verdict = patterns.verdict(_relative(path, folder), is_folder)
            if verdict is not None:
                return verdict
        return False


def _relative(path: str, folder: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def _folders_above(folder: str) -> list[str]:
    """Return the folders from the root of the repository to the parent of ``folder``; none outside a repository."""
    above: list[str] = []
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        above.insert(0, parent)
        folder = parent
    return above


def _patterns(folder: str, name: str, wrong: Callable[[ConfigError], None]) -> Patterns:
    """Return the patterns in an ignore file; none if there is no such file, or one that can't be used."""
    path = os.path.join(folder, name)
    try:
        text = read_file(path, MOST_SETTINGS_BYTES).decode("utf-8-sig", errors="replace")
        return parse_patterns(line.removesuffix("\r") for line in text.split("\n"))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        pass
    except OSError as error:
        wrong(ConfigError(reason(error), path))
    except PatternError as error:
        wrong(ConfigError(str(error), path))
    return Patterns(())
