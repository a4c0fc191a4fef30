"""Files as the analysis sees them: each is read once per run, so that all of a run speaks of one state of the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from math import prod
from typing import TYPE_CHECKING

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_server.limits import (
    MOST_ARCHIVE_TEXT_BYTES,
    MOST_JSON_BYTES,
    MOST_LISTED_PATHS,
    MOST_READ_ITEMS,
    MOST_SAFETENSORS_HEADER_BYTES,
    MOST_SOURCE_BYTES,
)
from snd_server.workspace_files.archive_paths import GRAPH, split_member
from snd_server.workspace_files.model_folder import ONNX_SUFFIX, convert_first
from snd_server.workspace_files.reading import read_file, read_start, reason
from snd_server.workspace_files.text_sizes import too_large

if TYPE_CHECKING:
    from snd_server.workspace_files.archives import ArchiveMember

_TENSOR_FILE = ".dat"
_ALL_TENSOR_FILES = f"*{_TENSOR_FILE}"
_TENSOR_ARCHIVE = ".safetensors"
_ALL_TENSOR_ARCHIVES = f"*{_TENSOR_ARCHIVE}"
_FEW_BITS = (8, 16)
"""Sizes in bits of integers that wrap around in tract's dialect."""
_JSON = ".json"
_HEADER_BYTES = 128 + 8 * MOST_READ_ITEMS
_ARCHIVE_BYTES = MOST_SAFETENSORS_HEADER_BYTES + 8
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")


class DiskReader:
    """The reader that the analysis is given (``snd_analysis.workspace.Reader``).

    A byte order mark is dropped: columns count without it. ``refuse`` says in words why a text is not to be
    looked at, None if it is.
    """

    def __init__(self, refuse: Callable[[str], str | None] = too_large) -> None:
        self._refuse = refuse
        self.looked_for: dict[str, bool] = {}
        """Places where a file was looked for, each with True if there was one.

        The meaning of other files may depend on it.
        """
        self._outcomes: dict[str, str | Exception] = {}
        self._legible: dict[str, str] = {}
        self._archives: dict[str, Mapping[str, ArchiveMember] | OSError] = {}

    def read(self, path: str) -> str:
        """Return text of the file; FileNotFoundError if there is none, ``UnreadableText`` if it has no text."""
        outcome = self._outcomes.get(path)
        if outcome is None:
            outcome = self._outcomes[path] = self._read(path)
        if isinstance(outcome, FileNotFoundError):
            self.looked_for[path] = False
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def exists(self, path: str) -> bool:
        """Return whether a regular file is at ``path`` (or was provided for it)."""
        found = self.looked_for[path] = isinstance(self._outcomes.get(path), str) or os.path.isfile(path)
        return found

    def legible(self, path: str) -> str:
        """Return the readable part of a file without valid text, with replacement characters.

        Empty if there is none.
        """
        return self._legible.get(path, "")

    def provide(self, path: str, content: bytes) -> None:
        """Replace the contents of the file at ``path`` by ``content``."""
        self._outcomes[path] = self._decoded(path, content)

    def forget(self, path: str) -> None:
        """Read the file again when it is asked for next."""
        self._outcomes.pop(path, None)
        self._legible.pop(path, None)
        self._archives.pop(path, None)

    def asked(self) -> Set[str]:
        """Return the places where a file was read or looked for."""
        return self._outcomes.keys() | self.looked_for.keys()

    def _read(self, path: str) -> str | Exception:
        try:
            if (member := split_member(path)) is not None:
                return self._member(*member)
            if os.path.basename(path) == _ALL_TENSOR_FILES:
                return "\n".join(_tensor_files(os.path.dirname(path)))
            if os.path.basename(path) == _ALL_TENSOR_ARCHIVES:
                return _tensor_listing(_archives_in(os.path.dirname(path)))
            if path.endswith(_TENSOR_FILE):
                return _tensor_header(*read_start(path, _HEADER_BYTES))
            return self._decoded(path, read_file(path, MOST_SOURCE_BYTES))
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError, ValueError):
            return FileNotFoundError(path)
        except OSError as error:
            return _cannot_be_read(error)

    def _member(self, archive: str, name: str) -> str | Exception:
        """Return the text of a member.

        All that may be asked for of an archive is read at once, since it may be compressed.
        """
        if archive not in self._archives:
            self._archives[archive] = _members_or_error(archive)
        members = self._archives[archive]
        if isinstance(members, OSError):  # reported once, for the graph
            return _cannot_be_read(members) if name == GRAPH else FileNotFoundError(f"{archive}/{name}")
        if os.path.basename(name) == _ALL_TENSOR_FILES:
            return "\n".join(_tensor_members(members, name.removesuffix(_ALL_TENSOR_FILES)))
        if os.path.basename(name) == _ALL_TENSOR_ARCHIVES:
            return _tensor_listing(_archive_members(members, os.path.dirname(name)))
        found = members.get(name)
        if found is None and name == GRAPH:
            return _unreadable(rules.UNREADABLE_FILE, _no_graph(members), 0)
        if found is None:
            return FileNotFoundError(f"{archive}/{name}")
        if name.endswith(_TENSOR_FILE):
            return _tensor_header(found.start, found.size)
        if found.size > _wanted(name):
            message = f"it has {found.size:,} bytes, more than the {_wanted(name):,} allowed"
            return _unreadable(rules.FILE_TOO_LARGE, message, 0)
        return self._decoded(f"{archive}/{name}", found.start)

    def _decoded(self, path: str, content: bytes) -> str | Exception:
        if path.endswith(ONNX_SUFFIX):
            return _unreadable(rules.INVALID_ENCODING, convert_first(path), 0)
        content = content.removeprefix(_BOM)
        try:
            text = content.decode()
            why = self._refuse(text)
            return text if why is None else _unreadable(rules.FILE_TOO_LARGE, why, 0)
        except UnicodeDecodeError as error:
            if content.startswith(_WIDE_BOMS):
                message = "the file is encoded in UTF-16 or UTF-32, and snd reads UTF-8"
                return _unreadable(rules.INVALID_ENCODING, message, 0)
            self._legible[path] = content.decode(errors="replace")
            offset = len(content[: error.start].decode())
            found = f"byte 0x{content[error.start]:02X} at offset {error.start}"
            return _unreadable(
                rules.INVALID_ENCODING, f"the file is not UTF-8: {found} is not part of any character", offset
            )


def below(folders: Collection[str], paths: Collection[str]) -> list[str]:
    """Return the paths that lie below one of the folders, at any depth."""
    inside = {
        around for around in set(map(os.path.dirname, paths)) if any(each in folders for each in _upwards(around))
    }
    return [path for path in paths if os.path.dirname(path) in inside] if inside else []


def _upwards(folder: str) -> Iterator[str]:
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        yield folder


def listings_above(paths: Iterable[str]) -> set[str]:
    """Return the paths by which readers are asked for all tensor files of folders in which these files are."""
    folders = {each for path in paths if path.endswith(_TENSOR_FILE) for each in _upwards(os.path.dirname(path))}
    archives = {os.path.dirname(path) for path in paths if path.endswith(_TENSOR_ARCHIVE)}
    return {
        *(os.path.join(each, _ALL_TENSOR_FILES) for each in folders),
        *(os.path.join(each, _ALL_TENSOR_ARCHIVES) for each in archives),
    }


def _tensor_files(folder: str) -> Sequence[str]:
    """Return the tensor files below the folder of a graph, without the files of models in it.

    Empty if there are too many paths.
    """
    found: list[str] = []
    count = 0
    top = folder or os.curdir
    for around, folders, names in os.walk(top):
        count += len(folders) + len(names)
        if count > MOST_LISTED_PATHS:
            return ()
        if GRAPH in names and around != top:
            folders.clear()
            continue
        folders[:] = [each for each in folders if not each.startswith(".")]
        inside = os.path.relpath(around, top).replace(os.sep, "/")
        prefix = "" if inside == os.curdir else f"{inside}/"
        found += (f"{prefix}{each}" for each in names if _is_tensor_file(each))
    return sorted(found)


def _members_or_error(archive: str) -> Mapping[str, ArchiveMember] | OSError:
    from snd_server.workspace_files.archives import read_members

    try:
        return read_members(archive, _wanted, MOST_ARCHIVE_TEXT_BYTES)
    except OSError as error:
        return error


def _no_graph(members: Iterable[str]) -> str:
    """Return the message for an archive without a graph. Many are made of a folder, and have the graph in that."""
    inside = sorted(each for each in members if each.endswith(f"/{GRAPH}"))
    only = f", only {inside[0]}: pack what is in the folder, not the folder" if inside else ""
    return f"there is no {GRAPH} in the archive{only}"


def _tensor_members(members: Iterable[str], prefix: str) -> Sequence[str]:
    """Return the tensor files in a folder of an archive, without the files of models in it."""
    names = [each.removeprefix(prefix) for each in members if each.startswith(prefix)]
    models = {each.removesuffix(f"/{GRAPH}") for each in names if each.endswith(f"/{GRAPH}")}
    files = [each for each in names if _is_tensor_file(each)]
    return sorted({*files} - {*below(models, files)})


def _is_tensor_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(_TENSOR_FILE) and not name.startswith(".")


def tensor_archives(folder: str) -> list[str]:
    """Return the names of the files in a folder that hold several tensors."""
    found = (each.name for each in os.scandir(folder or os.curdir) if each.is_file())
    return sorted(each for each in found if is_tensor_archive(each))


def _archives_in(folder: str) -> Iterator[tuple[str, bytes, int]]:
    """Yield the name of each file of several tensors, its beginning, and its size."""
    for name in tensor_archives(folder):
        yield name, *read_start(os.path.join(folder, name), _ARCHIVE_BYTES)


def _archive_members(members: Mapping[str, ArchiveMember], folder: str) -> Iterator[tuple[str, bytes, int]]:
    for path in sorted(members):
        around, name = os.path.split(path)
        if around == folder and is_tensor_archive(name):
            yield name, members[path].start, members[path].size


def is_tensor_archive(path: str) -> bool:
    """Return whether a path is that of a file of several tensors whose name can stand in a listing."""
    name = path.rpartition("/")[2]
    return name.endswith(_TENSOR_ARCHIVE) and not name.startswith(".") and ":" not in name and name.isprintable()


def _tensor_listing(found: Iterable[tuple[str, bytes, int]]) -> str:
    """Return the listing of the tensors that share files for the analysis: a line ``FILE:real [2,3]:NAME`` each."""
    from snd_runtime.files import InvalidFileError, read_safetensors_header

    lines: list[str] = []
    for file, start, size in found:
        try:
            tensors = read_safetensors_header(start, size)
            is_whole = size <= len(start)
            small = {name for name, each in tensors.items() if prod(each.shape) <= MOST_READ_ITEMS and is_whole}
            items = _items_of(start, small) if small else {}
        except InvalidFileError as error:
            lines.append(f"{file}::{error}")
            continue
        lines += (
            f"{file}:{_described(each.dtype, each.shape, items.get(name))}:{name}"
            for name, each in tensors.items()
            if name.splitlines() == [name]
        )
    return "\n".join(lines)


def _items_of(content: bytes, names: Collection[str]) -> Mapping[str, Sequence[float]]:
    from snd_runtime.files import read_safetensors

    return {name: array.reshape(-1).tolist() for name, array in read_safetensors(content, names).items()}


def _wanted(name: str) -> int:
    if name.endswith(_TENSOR_FILE):
        return _HEADER_BYTES
    if name.endswith(_TENSOR_ARCHIVE):
        return _ARCHIVE_BYTES
    if name.endswith(_JSON):
        return MOST_JSON_BYTES
    return MOST_SOURCE_BYTES if name.endswith((".nnef", ".quant")) else 0


def _tensor_header(start: bytes, size: int) -> str | Exception:
    """Return the description of a tensor file for the analysis.

    It has the type of its items and its extents, ``real [2,3]``, and the items if they are few.
    """
    from snd_runtime.files import InvalidFileError, ItemKind, plain_items, read_header

    items: Sequence[float] | None = None
    try:
        header = read_header(start, size)
        if header.storage.dtype != "str" and prod(header.shape) <= MOST_READ_ITEMS and size <= len(start):
            items = plain_items(start, header)
            if items is None:
                from snd_runtime.files import read_tensor

                items = read_tensor(start).reshape(-1).tolist()
    except InvalidFileError as error:
        return _unreadable(rules.INVALID_TENSOR_FILE, str(error), 0)
    storage = header.storage
    form = " in blocks" if storage.in_blocks else ""
    if storage.kind is ItemKind.INTEGER and storage.bits in _FEW_BITS:
        form = f" of {'i' if storage.signed else 'u'}{storage.bits}"
    return _described(storage.dtype, header.shape, items, form)


def _described(dtype: str, shape: Sequence[int], items: Sequence[float] | None, form: str = "") -> str:
    described = f"{dtype} [{','.join(map(str, shape))}]{form}"
    return f"{described} = {' '.join(map(str, items))}" if items else described


def _cannot_be_read(error: OSError) -> Exception:
    return _unreadable(rules.UNREADABLE_FILE, f"it cannot be read: {reason(error)}", 0)


def _unreadable(rule: Rule, message: str, offset: int) -> Exception:
    from snd_analysis.workspace import UnreadableText

    return UnreadableText(message=message, rule=rule, offset=offset)
