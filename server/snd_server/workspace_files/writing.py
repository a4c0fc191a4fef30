"""The only way in which snd writes files: beside the file, then in its place. The old file stays intact until then."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TypeAlias

from snd_server.console.interruption import stop_repeating
from snd_server.limits import MOST_SOURCE_BYTES
from snd_server.workspace_files.reading import read_file, reason, was_read

_LINKS = 40
"""Number of links that are followed, as Linux has it."""
_SOURCES = frozenset((".sknd", ".nnef", ".quant"))
_KINDS = frozenset(
    (
        *(*_SOURCES, ".onnx", ".pt", ".pt2", ".pth", ".ckpt", ".tgz", ".tar", ".gz", ".zip"),
        *(".npz", ".npy", ".safetensors", ".dat", ".bin", ".toml", ".py"),
    )
)
"""Suffixes of models, tensors, settings and programs: a result of another kind replaces no such file."""
STANDARD_OUTPUT = "-"
"""Name of standard output, wherever a result is one file."""
_BOM = b"\xef\xbb\xbf"


class ChangedMeanwhileError(OSError):
    """A file that has changed since its text was read."""


def replace_text(path: str, before: str, after: str) -> list[str]:
    """Replace the text ``before`` of a file by ``after``, keeping its byte order mark if it has one.

    Return phrases about attributes of the file that could not be kept. Raise OSError, and ``ChangedMeanwhileError`` if
    its text is no longer ``before``; the file is unchanged then.
    """
    target = os.path.realpath(path)
    old = before.encode()

    def mark() -> bytes:
        """Return the byte order mark of the present file. Raise ChangedMeanwhileError if its text has changed."""
        with suppress(FileNotFoundError):
            content = read_file(target, MOST_SOURCE_BYTES)
            if content.removeprefix(_BOM) == old:
                return content[: len(content) - len(old)]
        raise ChangedMeanwhileError(errno.EBUSY, "it has changed since snd read it, and was left as it is", path)

    content = mark() + after.encode()
    _demand_writable(target, path)
    with _beside(target, (content,)) as (temporary, lost), _alone_in(os.path.dirname(target)):
        mark()
        os.replace(temporary, target)
    _settle(target)
    return lost


FileVersion: TypeAlias = "tuple[int, ...] | None"
"""Identity of the content of a file; None for a file that does not exist."""


def version_of(path: str | os.PathLike[str]) -> FileVersion:
    """Return the version of a file: every program that writes to the file, or replaces it, makes another."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def write_file(path: str | os.PathLike[str], content: bytes, *kinds: str) -> None:
    """Make ``content`` the content of a file, new or not. Raise OSError; the old file is unchanged then.

    ``kinds`` are suffixes of the kind of file that it is. Pipes and devices that the user names, as ``/dev/stdout``,
    are written to directly.
    """
    demand_replaceable(path, *kinds)
    write_together({path: (content,)})


def demand_replaceable(path: str | os.PathLike[str], *kinds: str) -> None:
    """Raise OSError for a file that exists and is of another kind than the result, whatever the user names."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _KINDS or suffix in kinds or not os.path.isfile(path):
        return
    kind = "the text of a model" if suffix in _SOURCES else f"a file of another kind ({suffix})"
    raise OSError(errno.EEXIST, f"it is {kind}, and is not replaced by a result", path)


def replace_version(path: str | os.PathLike[str], content: bytes, before: FileVersion) -> None:
    """Write a file as ``write_file``. Raise ChangedMeanwhileError if the version of the file is not ``before``."""
    if is_stream(path):
        write_file(path, content)
        return
    target = os.path.realpath(path)
    if before is not None and os.path.isfile(target):
        _demand_writable(target, path)
    with _beside(target, (content,)) as (temporary, _), _alone_in(os.path.dirname(target)):
        if version_of(target) != before:
            raise ChangedMeanwhileError(errno.EBUSY, "it has changed since snd read it, and was left as it is", path)
        _replace(temporary, target)
    _settle(target)


def write_together(
    files: Mapping[str | os.PathLike[str], Iterable[bytes]], check: Callable[[Sequence[str]], None] | None = None
) -> None:
    """Replace several files, given in pieces, once all are written beside them. Raise OSError as ``write_file``.

    A full disk leaves all of them as they were. Pipes and devices are written to after that. The user has named each of
    them: links are followed. ``check`` is called with the paths of the new files before any file is replaced: an error
    that it raises leaves all as they were.
    """
    streams = [path for path in files if is_stream(path)]
    with ExitStack() as stack:
        written: list[tuple[str, str]] = []
        for path, pieces in files.items():
            if path in streams:
                continue
            target = os.path.realpath(path)
            if was_read(target):
                message = "this command has read it as an input, and does not replace it by a result"
                raise OSError(errno.EEXIST, message, os.fspath(path))
            if os.path.isfile(target):
                _demand_writable(target, path)
            temporary, _ = stack.enter_context(_beside(target, pieces))
            written.append((temporary, target))
        if check is not None:
            check([temporary for temporary, _ in written])
        for temporary, target in written:
            _replace(temporary, target)
    for _, target in written:
        _settle(target)
    for path in streams:
        _write_stream(path, files[path])


_replaced: list[tuple[str, str | None]] | None = None
"""Files that ``withdrawn_if_interrupted`` would withdraw, each with the copy of the file that it replaced."""


@contextmanager
def withdrawn_if_interrupted() -> Iterator[None]:
    """Withdraw the files that the block writes, and the folders it makes, if it is interrupted: others come back."""
    global _replaced
    written: list[tuple[str, str | None]] = []
    _replaced = written
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        stop_repeating()
        for target, old in reversed(written):
            with suppress(OSError):
                if old is not None:
                    os.replace(old, target)
                elif os.path.isdir(target):
                    os.rmdir(target)
                else:
                    os.unlink(target)
        raise
    finally:
        _replaced = None
        for _, old in written:
            if old is not None:
                with suppress(OSError):
                    os.unlink(old)


def _replace(temporary: str, target: str) -> None:
    """Rename a new file to ``target``; keep the old file until nothing can interrupt the command any more."""
    if _replaced is not None:
        old = None
        if os.path.exists(target):
            folder, name = os.path.split(target)
            old = os.path.join(folder, f".{name[:50]}.{secrets.token_hex(8)}")
            try:
                os.link(target, old)
            except OSError:  # a file system without links
                shutil.copy2(target, old)
        _replaced.append((target, old))
    os.replace(temporary, target)


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is ``-``, or leads to a pipe, a device, or an open file, as ``/dev/stdout``."""
    if path == STANDARD_OUTPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or _descriptor(path) is not None


def _write_stream(path: str | os.PathLike[str], pieces: Iterable[bytes]) -> None:
    if path == STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(pieces)
        sys.stdout.buffer.flush()
        return
    descriptor = _descriptor(path)
    # Opening the file again would write from its beginning, over output already written to its descriptor.
    with open(path if descriptor is None else os.dup(descriptor), "wb") as stream:
        stream.writelines(pieces)


def _descriptor(path: str | os.PathLike[str]) -> int | None:
    """Return the number of the open file of this process that a path leads to by links such as ``/dev/stdout``."""
    here = os.path.abspath(path)
    for _ in range(_LINKS):
        folder, name = os.path.split(here)
        folder = os.path.realpath(folder)
        if folder in (f"/proc/{os.getpid()}/fd", "/dev/fd") and name.isdecimal():
            return int(name)
        if not os.path.islink(here):
            return None
        here = os.path.join(folder, os.readlink(here))
    return None


def write_below(folder: str, files: Mapping[str, Iterable[bytes]]) -> None:
    """Write files in ``folder`` or below, whose folders are made, all or none of them.

    Raise OSError as ``write_together``, and for pipes, and if links would lead out of ``folder``, whose contents the
    user did not choose.
    """
    paths: dict[str | os.PathLike[str], Iterable[bytes]] = {}
    for name, pieces in files.items():
        path = os.path.join(folder, name)
        demand_below(folder, path)
        paths[path] = pieces
    with made_folders(*dict.fromkeys(map(os.path.dirname, paths))):
        write_together(paths)


def demand_below(folder: str, path: str) -> None:
    """Raise OSError if links lead from ``path`` out of ``folder``, or to anything but a file."""
    root = os.path.realpath(folder)
    if os.path.commonpath([root, os.path.realpath(path)]) != root:
        raise PermissionError(errno.EACCES, f"a link leads out of {folder}", path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is no file, and would not be replaced", path)


def _demand_writable(target: str, path: str | os.PathLike[str]) -> None:
    """Refuse to replace a write-protected file, though the folder would allow it."""
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))


@contextmanager
def _alone_in(folder: str) -> Iterator[None]:
    """Wait until no other process of snd replaces a file in ``folder``, where folders can be locked."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with ExitStack() as stack:
        with suppress(OSError):  # not every folder can be read, and not every file system has locks
            handle = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def _beside(target: str, pieces: Iterable[bytes]) -> Iterator[tuple[str, list[str]]]:
    """Write a new file beside ``target``, which is gone at the end unless it was renamed.

    Yield its path and phrases about attributes of ``target`` that could not be kept.
    """
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:50]}.{secrets.token_hex(8)}")
    mode = 0o600 if os.path.exists(target) else 0o666  # a private text is private beside its file, too
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    except OSError as error:
        raise OSError(error.errno, f"nothing can be written beside it: {reason(error)}", target) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            lost = _keep_attributes(target, temporary)
            os.fsync(stream.fileno())
        yield temporary, lost
    except BaseException as failed:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(failed, OSError) and failed.filename is None:  # a full disk has no name
            raise OSError(failed.errno, reason(failed), target) from None
        raise


@contextmanager
def made_folders(*folders: str | os.PathLike[str]) -> Iterator[None]:
    """Make folders, which are gone again if the block fails and leaves them empty. Raise OSError."""
    new: list[str] = []
    for folder in folders:
        missing, above = [], os.path.abspath(folder)
        while not os.path.exists(above):
            missing.append(above)
            above = os.path.dirname(above)
        new += reversed(missing)
    try:
        for folder in folders:
            os.makedirs(folder, exist_ok=True)
        if _replaced is not None:
            _replaced.extend((each, None) for each in new)
        yield
    except BaseException:
        for made in reversed(new):
            with suppress(OSError):
                os.rmdir(made)
        raise


def _keep_attributes(target: str, temporary: str) -> list[str]:
    """Give the new file the owner, mode and attributes of the old one. Return phrases about the lost ones."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return []
    lost: list[str] = []
    new = os.stat(temporary)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.chown(temporary, old.st_uid, old.st_gid)
        except OSError:
            lost.append("it belongs to another user or group now")
    shutil.copystat(target, temporary)
    os.utime(temporary)
    if lost:  # the old group's rights don't apply to the new one
        others = old.st_mode & 0o007
        os.chmod(temporary, old.st_mode & 0o700 | others << 3 | others)
    if old.st_nlink > 1:
        lost.append(f"other hard links to it ({old.st_nlink - 1}) keep the old text")
    return lost


def _settle(target: str) -> None:
    """Have the rename to ``target`` survive a loss of power, where folders can be synchronised."""
    with suppress(OSError):
        handle = os.open(os.path.dirname(target), os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
