"""Models in one file: tar archives, compressed by gzip or not, read in one pass and within bounds.

A member has the path of its archive with its own after it, ``model.nnef.tgz/graph.nnef``. Members whose names would
lead out of the archive, links, sparse files, and those in folders that begin with a point are not there. Whether an
archive is compressed its first bytes tell.
"""

from __future__ import annotations

import errno
import gzip
import os
import tarfile
from collections.abc import Callable, Iterator, Mapping
from typing import IO, cast

from msgspec import Struct

from snd_server.limits import (
    LEAST_UNFOLDED_BYTES,
    MOST_ARCHIVE_BYTES,
    MOST_ARCHIVE_MEMBERS,
    MOST_ARCHIVE_RATIO,
)
from snd_server.reading import open_file

SUFFIXES = (".nnef.tgz", ".nnef.tar.gz", ".nnef.tar", ".tgz", ".tar.gz", ".tar")
GRAPH = "graph.nnef"
_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20


class Member(Struct, frozen=True):
    """The beginning of a member, and how many bytes it has."""

    start: bytes
    size: int


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


def read_members(path: str, wanted: Callable[[str], int]) -> Mapping[str, Member]:
    """Return the members of an archive by name, each as far as ``wanted`` says in bytes; 0 leaves a member out.

    Raises OSError with a reason in ``strerror`` for what is no archive, or goes beyond the limits.
    """
    found: dict[str, Member] = {}
    try:
        with open_file(path) as file, _members(path, file) as members:
            for number, (name, size, content) in enumerate(_named(members)):
                if number >= MOST_ARCHIVE_MEMBERS:
                    raise _unusable(path, f"it has more than {MOST_ARCHIVE_MEMBERS:,} members")
                length = wanted(name)
                if length and name not in found:
                    found[name] = Member(content(min(length, size)), size)
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, ValueError) as error:
        raise _unusable(path, f"it is no archive that can be read ({error})") from None
    return found


def _members(path: str, file: IO[bytes]) -> tarfile.TarFile:
    is_compressed = file.read(2) == _GZIP
    file.seek(0)
    stream = gzip.GzipFile(fileobj=file) if is_compressed else file
    most = MOST_ARCHIVE_BYTES
    if is_compressed:
        packed = os.fstat(file.fileno()).st_size
        most = min(most, max(LEAST_UNFOLDED_BYTES, MOST_ARCHIVE_RATIO * packed))
    return tarfile.open(fileobj=cast("IO[bytes]", _Bounded(path, stream, most)), mode="r|")


def _named(archive: tarfile.TarFile) -> Iterator[tuple[str, int, Callable[[int], bytes]]]:
    for info in archive:
        name = info.name.removeprefix("./")
        parts = name.split("/")
        if (
            not info.isreg()
            or info.issparse()
            or name.startswith("/")
            or any(part.startswith(".") or not part for part in parts)
        ):
            continue
        member = archive.extractfile(info)
        if member is not None:
            yield name, info.size, member.read


class _Bounded:
    """A stream that ends with an error where an archive would unfold to more than is read."""

    def __init__(self, path: str, stream: IO[bytes] | gzip.GzipFile, most: int) -> None:
        self._path = path
        self._stream = stream
        self._most = self._left = most

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(_CHUNK if size < 0 else size)
        self._left -= len(content)
        if self._left < 0:
            raise _unusable(self._path, f"it unfolds to more than the {self._most:,} bytes allowed")
        return content


def _unusable(path: str, why: str) -> OSError:
    return OSError(errno.EINVAL, why, path)
