"""Files that a run checks: named files, and files of a language below named folders unless excluded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.ignore_files import GitIgnore
from snd_server.workspace_files.model_folder import main_file

SUFFIX = ".sknd"
NNEF1_SUFFIX = ".nnef"
NNEF1_FILES = (NNEF1_SUFFIX, ".quant")
"""The texts of a model in NNEF 1.0."""
NNEF1_ARCHIVES = (".nnef.tgz", ".nnef.tar.gz", ".nnef.tar")
NNEF1_SUFFIXES = (NNEF1_SUFFIX, *NNEF1_ARCHIVES)
NEVER_ENTERED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})


class FolderSettings(Protocol):
    """The settings of a folder that decide about its files."""

    @property
    def excludes(self) -> Callable[[str, bool], bool]:
        """Return a function of a path, and of whether the path is a folder, that tells whether it is excluded."""


class SearchSettings(Protocol):
    """The settings of every folder of a search."""

    wrong: Callable[[ConfigError], None]
    """Called with each mistake in a file that configures snd."""

    def of_folder(self, folder: str, /) -> FolderSettings:
        """Return the settings of a folder."""


class MissingPathError(Exception):
    """A path that was asked for is not there, or is neither a file nor a folder."""


def discover(paths: Sequence[str], configurations: SearchSettings, suffixes: tuple[str, ...] = (SUFFIX,)) -> list[str]:
    """Return the files to check, in the order of ``paths``, sorted within each folder, without duplicates.

    A named file is always included, with any suffix. An unreadable entry with the name of a file is included, too: the
    reader reports its problem. Raise MissingPathError for a missing path and ConfigError for a broken configuration on
    the way.
    """
    for path in paths:
        _demand(path)
    found: dict[str, str] = {}
    for path in paths:
        files = _below(path, configurations, suffixes) if os.path.isdir(path) else [path]
        for file in files:
            # A folder among them may be unsearchable, which is reported.
            found.setdefault(os.path.abspath(file), main_file(file) if os.path.isfile(file) else file)
    return list(found.values())


def has_files(folder: str, configurations: SearchSettings) -> bool:
    """Return whether there is any file to check below a folder.

    Raise ConfigError for a broken configuration on the way.
    """
    return next(_below(folder, configurations, (SUFFIX, *NNEF1_SUFFIXES)), None) is not None


def _demand(path: str) -> None:
    if os.path.isdir(path) or os.path.isfile(path):
        return
    if os.path.exists(path):
        raise MissingPathError(f"{path}: neither a file nor a folder ('-' reads standard input)")
    if os.path.islink(path):
        raise MissingPathError(f"{path}: the symbolic link leads nowhere")
    raise MissingPathError(f"{path}: no such file or folder")


def _below(root: str, configurations: SearchSettings, suffixes: tuple[str, ...]) -> Iterator[str]:
    ignore = GitIgnore.around(os.path.realpath(root), configurations.wrong)
    # A link that leads up would let all that is beside the root be searched.
    entered = {*_upwards(os.path.realpath(root))}

    def walk(folder: str, real: str, ignore: GitIgnore) -> Iterator[str]:
        if real in entered:  # a symbolic link that leads back, or to a folder already searched
            return
        entered.add(real)
        try:
            with os.scandir(folder or ".") as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            yield folder or os.curdir
            return
        ignore = ignore.entering(real)
        excludes = configurations.of_folder(folder).excludes
        for entry in listing:
            path, real_path = os.path.join(folder, entry.name), os.path.join(real, entry.name)
            is_folder = _is_folder(entry)
            if entry.name in NEVER_ENTERED or not (is_folder or entry.name.endswith(suffixes)):
                continue
            if ignore.covers(real_path, is_folder) or excludes(path, is_folder):
                continue
            if is_folder:
                # To resolve every path anew takes time by the cube of the depth.
                yield from walk(path, os.path.realpath(path) if entry.is_symlink() else real_path, ignore)
            elif not _is_lock(entry):
                yield path

    return walk("" if root == os.curdir else root, os.path.realpath(root), ignore)


def _upwards(folder: str) -> Iterator[str]:
    while (above := os.path.dirname(folder)) != folder:
        yield (folder := above)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_lock(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a lock of Emacs, which marks a changed file by a dangling link beside it."""
    return entry.name.startswith(".#") and entry.is_symlink()
