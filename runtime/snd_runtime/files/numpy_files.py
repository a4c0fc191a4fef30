"""NumPy's own files, ``.npy`` and ``.npz``: numbers, bools and strings; never pickled objects, which are programs."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Mapping
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.lib import format as npy

from snd_runtime.files.errors import InvalidFileError
from snd_runtime.files.limits import MOST_ARRAY_BYTES

Array: TypeAlias = np.ndarray[Any, Any]

_KINDS = "biufU"
_END_OF_DIRECTORY = b"PK\5\6"
_COUNTED_ELSEWHERE = 0xFFFF
"""The number of members in an archive with a larger directory, of 64 bits."""
_SURROGATES = 0xD800 >> 11


def read_npy(content: bytes) -> Array:
    """Return the array in a ``.npy`` file, in the order of this machine's bytes; strings as objects.

    Raise InvalidFileError; nothing is allocated before the claims of the header agree with the file.
    """
    stream = io.BytesIO(content)
    try:
        version = npy.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise InvalidFileError(f"its version is {version[0]}.{version[1]}, which holds no plain array", 6)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran_order, dtype = read(stream)
    except InvalidFileError:
        raise
    except Exception:  # of a broken header, NumPy says so in many ways: errors of tokens, of syntax, of values
        raise InvalidFileError(
            "this is not an .npy file: its header can't be read", min(stream.tell(), len(content))
        ) from None
    begin = stream.tell()
    if dtype.kind not in _KINDS or dtype.itemsize == 0:
        what = "pickled objects, which are not read" if dtype.hasobject else f"items of type {dtype}"
        raise InvalidFileError(f"it holds {what}; tensors are of numbers, bools or strings")
    if any(type(extent) is not int or extent < 0 for extent in shape):
        raise InvalidFileError(f"its shape is {shape}", 0)
    needed, there = prod(shape) * dtype.itemsize, len(content) - begin
    if needed != there:
        message = f"{list(shape)} items of {dtype.itemsize} bytes take {needed:,} bytes, and there are {there:,}"
        raise InvalidFileError(message, begin)
    try:
        items = np.frombuffer(content, dtype, prod(shape), begin)
        array = items.reshape(shape, order="F" if fortran_order else "C")
    except ValueError as error:
        raise InvalidFileError(f"no tensor can have the shape {list(shape)}: {error}", begin) from None
    if dtype.kind == "U":
        _demand_characters(content, dtype, begin)
        return array.astype(object)
    return array.astype(dtype.newbyteorder("="), order="C")


def _demand_characters(content: bytes, dtype: np.dtype[Any], begin: int) -> None:
    """Raise InvalidFileError for strings with code points that are no characters."""
    codes = np.frombuffer(content, np.dtype("u4").newbyteorder(dtype.byteorder), offset=begin)
    wrong = np.flatnonzero((codes > sys.maxunicode) | (codes >> 11 == _SURROGATES))
    if wrong.size:
        at = int(wrong[0])
        raise InvalidFileError(f"U+{codes[at]:04X} is no character", begin + 4 * at)


def write_npy(array: Array) -> bytes:
    """Return an array as a ``.npy`` file; objects are strings."""
    stream = io.BytesIO()
    np.save(stream, array.astype(str) if array.dtype.kind == "O" else array, allow_pickle=False)
    return stream.getvalue()


def read_npz(content: bytes, only: str | None = None, most_bytes: int = MOST_ARRAY_BYTES) -> dict[str, Array]:
    """Return the arrays of a ``.npz`` file by name, in order, or the one that is called ``only``.

    Raise InvalidFileError, also if together they would unpack to more than ``most_bytes``.
    """
    with _archive(content) as archive:
        members = _named(archive)
        if only is not None:
            if only not in members:
                known = ", ".join(f"'{each}'" for each in [*members][:10]) or "nothing"
                raise InvalidFileError(f"there is no array '{only}' in it, only {known}")
            members = {only: members[only]}
        found: dict[str, Array] = {}
        left = most_bytes
        for name, member in members.items():
            if member.file_size > left:
                raise InvalidFileError(f"'{name}' would take {member.file_size:,} bytes, more than {left:,}")
            found[name] = _member(archive, name, member)
            left -= member.file_size
        return found


def _named(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the members that are arrays, by the names of the arrays. Others are opened: their names may be damaged."""
    named: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        if name in named:
            raise InvalidFileError(f"two of its arrays have the name '{name}'", member.header_offset)
        named[name] = member
        if name == member.filename:
            try:
                archive.open(member).close()
            except Exception as error:
                raise InvalidFileError(f"'{name}' can't be unpacked: {error}", member.header_offset) from None
    return {name: member for name, member in named.items() if name != member.filename}


def _member(archive: zipfile.ZipFile, name: str, member: zipfile.ZipInfo) -> Array:
    """Return the array of a member. No more is unpacked than the size that it claims: it may lie."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # NumPy writes no others, and zipfile unpacks all their data at once.
        raise InvalidFileError(f"'{name}' is packed by method {member.compress_type}, not by that of .npz files")
    try:
        with archive.open(member) as stream:
            return read_npy(stream.read(member.file_size))
    except InvalidFileError as error:
        raise InvalidFileError(f"'{name}': {error}") from None
    except Exception as error:  # BadZipFile, zlib.error, ValueError …: zipfile doesn't say which there are
        raise InvalidFileError(f"'{name}' can't be unpacked: {error}", member.header_offset) from None


def write_npz(arrays: Mapping[str, Array]) -> bytes:
    """Return arrays by name as the bytes of a ``.npz`` file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), write_npy(array), zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _archive(content: bytes) -> zipfile.ZipFile:
    """Open an archive. Raise InvalidFileError if its directory may not list all members: zipfile accepts that."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except Exception as error:  # as above
        raise InvalidFileError(f"this is not an .npz file: {error}") from None
    end = content.rfind(_END_OF_DIRECTORY)
    count = int.from_bytes(content[end + 10 : end + 12], "little")
    found = archive.infolist()
    if count not in (len(found), _COUNTED_ELSEWHERE):
        raise InvalidFileError(f"it has {count} members, but its directory lists {len(found)}", end + 10)
    first = min((each.header_offset for each in found), default=end)
    if first > 0:
        raise InvalidFileError(f"its first {first:,} bytes belong to no member", 0)
    return archive
