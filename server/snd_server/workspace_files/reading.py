"""Reading of files by snd. Irregular files and files that are too large are not read."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader

_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_CHUNK_BYTES = 1 << 20


ROOT_VARIABLE = "SND_ROOT"
"""Environment variable that names the only folder whose files are read, as an absolute path without links."""


_read: set[tuple[int, int]] | None = None
"""Devices and numbers of the files that this command has read; None outside of commands."""


def note_reads() -> None:
    """Forget the files that were read, and note those that are read from now on: a command begins."""
    global _read
    _read = set()


def was_read(path: str | os.PathLike[str]) -> bool:
    """Return whether this command has read a file: results do not replace it."""
    try:
        found = os.stat(path)
    except OSError:
        return False
    return _read is not None and (found.st_dev, found.st_ino) in _read


def _note(state: os.stat_result) -> None:
    if _read is not None:
        _read.add((state.st_dev, state.st_ino))


def may_read(path: str | os.PathLike[str]) -> bool:
    """Return whether a path, its links followed, lies in the folder that ``SND_ROOT`` names; True if it names none."""
    root = os.environ.get(ROOT_VARIABLE)
    return root is None or os.path.commonpath([root, os.path.realpath(path)]) == root


def read_file(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    """Return the content of a regular file of at most ``most_bytes``. Raise OSError with a reason in ``strerror``.

    Reading a pipe may take for ever and reading a device may fill the memory, so neither is opened. The file may be
    exchanged or grow at any moment: the descriptor is checked again, opening does not wait, and at most ``most_bytes``
    are read.
    """
    _demand_readable(path)
    _demand_file(path, _state(path).st_mode)
    handle = os.open(path, os.O_RDONLY | _NOT_BLOCKING | _BINARY)
    try:
        state = os.fstat(handle)
        _demand_file(path, state.st_mode)
        _note(state)
        if state.st_size > most_bytes:
            raise _too_large(path, f"{state.st_size:,}", most_bytes)
        chunks: list[bytes] = []
        left = most_bytes + 1
        while left > 0 and (chunk := os.read(handle, min(left, _CHUNK_BYTES))):
            chunks.append(chunk)
            left -= len(chunk)
        if left <= 0:
            raise _too_large(path, "too many", most_bytes)
        return b"".join(chunks)
    finally:
        os.close(handle)


def open_file(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a regular file, to read parts of it. Raise OSError as ``read_file``."""
    _demand_readable(path)
    _demand_file(path, _state(path).st_mode)
    handle = os.open(path, os.O_RDONLY | _NOT_BLOCKING | _BINARY)
    try:
        state = os.fstat(handle)
        _demand_file(path, state.st_mode)
        _note(state)
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def demand_size(path: str | os.PathLike[str], size: int, most_bytes: int) -> None:
    """Raise OSError for a file of more than ``most_bytes``."""
    if size > most_bytes:
        raise _too_large(path, f"{size:,}", most_bytes)


def read_start(path: str | os.PathLike[str], most_bytes: int) -> tuple[bytes, int]:
    """Return the first ``most_bytes`` of a regular file, and the size of the file. Raise OSError as ``read_file``."""
    with open_file(path) as file:
        return file.read(most_bytes), os.fstat(file.fileno()).st_size


def reason(error: OSError) -> str:
    """Return why a file could not be read or written, without its name."""
    return error.strerror or str(error)


def _demand_readable(path: str | os.PathLike[str]) -> None:
    if not may_read(path):
        raise PermissionError(errno.EACCES, f"it lies outside of {os.environ[ROOT_VARIABLE]}", os.fspath(path))


def _state(path: str | os.PathLike[str]) -> os.stat_result:
    try:
        return os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise OSError(errno.EIO, "the symbolic link leads nowhere", os.fspath(path)) from None
        raise


def _demand_file(path: str | os.PathLike[str], mode: int) -> None:
    if stat.S_ISDIR(mode):
        with os.scandir(path):  # one that may not be searched says so here
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is neither a file nor a folder", os.fspath(path))


def _too_large(path: str | os.PathLike[str], size: str, most_bytes: int) -> OSError:
    return OSError(errno.EFBIG, f"it has {size} bytes, more than the {most_bytes:,} allowed", os.fspath(path))
