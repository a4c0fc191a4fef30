"""Models in one file: tar archives, compressed by gzip or not, read in one pass and within limits.

Programs differ in their treatment of two members with one name, and of links, sparse files and names that lead out of
the archive. So an archive with such a member that snd would read is refused. Members in folders that begin with a point
are ignored. The first bytes show whether an archive is compressed.

``tarfile`` takes a damaged header for the end of the archive, and the end of the file, too. Members after it would be
missing without a message. So an archive is refused unless it ends with blocks of zeros, as POSIX demands.
"""

from __future__ import annotations

import errno
import gzip
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader
from typing import IO, Self, cast

from msgspec import Struct

from snd_server.limits import (
    LEAST_UNFOLDED_BYTES,
    MOST_ARCHIVE_BYTES,
    MOST_ARCHIVE_MEMBERS,
    MOST_ARCHIVE_RATIO,
    MOST_ARCHIVES_WITHIN,
    MOST_HEADER_BYTES,
)
from snd_server.workspace_files.reading import open_file

_GZIP = b"\x1f\x8b"
_OTHER_PACKINGS = {
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"PK\x03\x04": "zip",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
}
"""First bytes of files by programs whose files snd does not unpack."""
_CHUNK = 1 << 20
_MODELS = (".nnef.tgz", ".nnef.tar")


class ArchiveMember(Struct, frozen=True):
    """The beginning of a member, and how many bytes it has."""

    start: bytes
    size: int


def read_members(path: str, wanted: Callable[[str], int | None], most_bytes: int) -> Mapping[str, ArchiveMember]:
    """Return the members of an archive by name, each up to ``wanted`` bytes; 0 or None leaves a member out.

    Raise OSError with a reason in ``strerror`` for a file that is no archive, for a wanted member that is no file or
    repeats a name, and beyond the limits: the result has at most ``most_bytes``.
    """
    found: dict[str, ArchiveMember] = {}
    left = most_bytes
    try:
        with open_file(path) as file, _Archive(path, file, os.fstat(file.fileno()).st_size) as archive:
            for name, info, within in archive.members():
                length = wanted(name)
                kind = _kind(name, info)
                if kind is not None and (length or name.endswith(_MODELS)):
                    raise _unusable(path, f"the member '{name}' {kind}")
                if not length or kind is not None:
                    continue
                if name in found:
                    raise _unusable(path, f"two of its members have the name '{name}'")
                left -= min(length, info.size)
                if left < 0:
                    raise _unusable(path, f"what snd reads of it has more than the {most_bytes:,} bytes allowed")
                found[name] = ArchiveMember(within.content(info).read(length), info.size)
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        raise _unusable(path, f"the archive is broken ({error})") from None
    return found


class _Archive:
    """The members of an archive, one after the other, without the records that ``tarfile`` would keep of all."""

    def __init__(self, path: str, file: BufferedReader, size: int, around: _Archive | None = None) -> None:
        """Prepare an archive. ``around`` is the archive that contains this one: its limits count for both."""
        start = file.peek(8)
        packing = next((name for magic, name in _OTHER_PACKINGS.items() if start.startswith(magic)), None)
        if packing is not None:
            raise _unusable(path, f"it is packed by {packing}: snd reads tar archives, plain or packed by gzip")
        is_compressed = start.startswith(_GZIP)
        most = MOST_ARCHIVE_BYTES
        if is_compressed:
            most = min(most, max(LEAST_UNFOLDED_BYTES, MOST_ARCHIVE_RATIO * size))
        outer = None if around is None else around._stream
        stream = _Bounded(path, gzip.GzipFile(fileobj=file) if is_compressed else file, most, outer)

        class Header(tarfile.TarInfo):
            @classmethod
            def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
                stream.begin_header()
                return super().fromtarfile(tarfile)

            @classmethod
            def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
                try:
                    return super().frombuf(buf, encoding, errors)
                except tarfile.HeaderError:
                    if any(buf):
                        raise archive.damaged(is_cut=len(buf) < tarfile.BLOCKSIZE) from None
                    archive.has_end = bool(buf)
                    raise

        archive = self
        self.has_end = False
        self._last: str | None = None
        self._path = path
        self._stream: _Bounded = stream
        self._level: int = 0 if around is None else around._level + 1
        self._around = around
        self._count = 0
        self._archive = tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|", tarinfo=Header)  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._archive.close()

    def members(self) -> Iterator[tuple[str, tarfile.TarInfo, _Archive]]:
        """Yield the members of ``named``, each with its archive: this one or, as submodels of tract, an inner one.

        The name of such a member begins with that of its archive.
        """
        for name, info in self.named():
            is_model = name.endswith(_MODELS) and _kind(name, info) is None
            if not is_model or self._level == MOST_ARCHIVES_WITHIN:
                yield name, info, self
                continue
            with _Archive(self._path, self.content(info), info.size, self) as inner:
                yield from ((f"{name}/{each}", found, within) for each, found, within in inner.members())

    def named(self) -> Iterator[tuple[str, tarfile.TarInfo]]:
        """Yield the names, without ``.`` in them, and headers of members but folders and hidden files."""
        while (info := self._archive.next()) is not None:
            self._stream.end_header()
            self._archive.members.clear()  # type: ignore[attr-defined]  # public, but typeshed has it not
            self._archive.pax_headers = {}
            self._count_member()
            self._last = info.name
            parts = [part for part in info.name.split("/") if part not in ("", ".")]
            if not info.isdir() and not any(part.startswith(".") and part != ".." for part in parts):
                yield "/".join(["", *parts] if info.name.startswith("/") else parts), info
        self._demand_end()

    def damaged(self, *, is_cut: bool) -> tarfile.ReadError:
        """Return the error of a header that can't be read."""
        if self._last is None:
            return tarfile.ReadError("it does not begin with the header of a tar archive")
        place = f"after the member '{self._last}'"
        return tarfile.ReadError(f"it ends within the header {place}" if is_cut else f"the header {place} is damaged")

    def _demand_end(self) -> None:
        """Raise ReadError unless blocks of zeros end the archive. The sum of a compressed one is checked, too."""
        self._stream.end_header()
        if not self.has_end:
            place = f"after the member '{self._last}'"
            raise tarfile.ReadError(f"it ends {place}, without the blocks of zeros that end an archive")
        rest = cast("IO[bytes]", self._archive.fileobj)
        while block := rest.read(_CHUNK):
            if block.count(0) < len(block):
                raise tarfile.ReadError("it goes on after the blocks of zeros that end an archive")

    def _count_member(self) -> None:
        self._count += 1
        if self._count > MOST_ARCHIVE_MEMBERS:
            raise _unusable(self._path, f"it has more than {MOST_ARCHIVE_MEMBERS:,} members")
        if self._around is not None:
            self._around._count_member()

    def content(self, info: tarfile.TarInfo) -> BufferedReader:
        """Return the member whose header was yielded last."""
        content = self._archive.extractfile(info)
        assert isinstance(content, BufferedReader)
        return content


def _kind(name: str, info: tarfile.TarInfo) -> str | None:
    """Return why a member is no file in the archive, in words; None if it is one."""
    if name.startswith("/") or ".." in name.split("/"):
        return "lies outside of the archive"
    if info.issym() or info.islnk():
        kind = "symbolic" if info.issym() else "hard"
        return f"is a {kind} link to '{info.linkname}': pack the file itself"
    if info.issparse():
        return "is a sparse file: pack it without '--sparse'"
    return None if info.isreg() else "is a device or a pipe"


class _Bounded:
    """A stream that fails if an archive would unpack to more than its limit, or if a header is too long.

    Consecutive headers of the same member count as one.
    """

    def __init__(self, path: str, stream: IO[bytes] | gzip.GzipFile, most: int, around: _Bounded | None) -> None:
        self._path = path
        self._stream = stream
        self._most = self._left = most
        self._around = around
        self._header_left: int | None = None

    def begin_header(self) -> None:
        """Read a header, or its continuation, from here on."""
        if self._header_left is None:
            self._header_left = MOST_HEADER_BYTES

    def end_header(self) -> None:
        """Read the content of a member from here on."""
        self._header_left = None

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(_CHUNK if size < 0 else size)
        self._take(len(content))
        if self._header_left is not None:
            self._header_left -= len(content)
            if self._header_left < 0:
                raise _unusable(self._path, f"a member has a header of more than {MOST_HEADER_BYTES:,} bytes")
        return content

    def _take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise _unusable(self._path, f"it unfolds to more than the {self._most:,} bytes allowed")
        if self._around is not None:
            self._around._take(count)


def _unusable(path: str, why: str) -> OSError:
    return OSError(errno.EINVAL, why, path)
