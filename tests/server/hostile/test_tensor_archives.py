"""Files of several tensors (``.npz``, ``.safetensors``) that would unpack to more than they say."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from snd_runtime.files import InvalidFileError, read_npz, read_safetensors, write_npy

_LARGE = 1 << 25


def _npz(content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytearray:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("w.npy", content)
    return bytearray(stream.getvalue())


def _claims(archive: bytearray, size: int) -> bytes:
    """Return the archive with another size of the member in its directory."""
    entry = archive.index(b"PK\x01\x02")
    archive[entry + 24 : entry + 28] = struct.pack("<I", size)
    return bytes(archive)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("claimed", [0, 8, 1_000])
def test_a_member_that_is_larger_than_it_says(method: int, claimed: int):
    content = _claims(_npz(bytes(_LARGE), method), claimed)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidFileError, match="'w'"):
            read_npz(content)
        assert tracemalloc.get_traced_memory()[1] < _LARGE // 4
    finally:
        tracemalloc.stop()


def test_a_dictionary_of_four_gigabytes_is_not_made():
    content = _npz(write_npy(np.zeros(2)), zipfile.ZIP_LZMA)
    properties = content.index(b"\x09\x04\x05\x00") + 4
    content[properties + 1 : properties + 5] = b"\xff" * 4
    with pytest.raises(InvalidFileError, match="'w' is packed by method 14"):
        read_npz(bytes(content))


@pytest.mark.parametrize("layout", ["F32", "BF16", "U64"])
def test_tensors_with_common_bytes(layout: str):
    item = {"F32": 4, "BF16": 2, "U64": 8}[layout]
    entries = {
        f"w{at}": {"dtype": layout, "shape": [100], "data_offsets": [at * item, (at + 100) * item]} for at in range(50)
    }
    header = json.dumps(entries).encode()
    with pytest.raises(InvalidFileError, match="'w1' overlaps 'w0': they share bytes"):
        read_safetensors(struct.pack("<Q", len(header)) + header + bytes(150 * item))


def test_tensors_without_elements_share_nothing():
    empty = {"dtype": "F32", "shape": [0], "data_offsets": [4, 4]}
    entries = {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "b": empty, "c": empty}
    header = json.dumps(entries).encode()
    found = read_safetensors(struct.pack("<Q", len(header)) + header + bytes(8))
    assert {name: array.shape for name, array in found.items()} == {"a": (2,), "b": (0,), "c": (0,)}


@pytest.mark.parametrize(
    ("begin", "after", "message"),
    [(0, 8, "the last 8 bytes belong to no tensor"), (8, 0, "8 bytes before 'a' belong to no tensor")],
)
def test_bytes_of_no_tensor(begin: int, after: int, message: str):
    """The format has none: the header may be that of another file."""
    header = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [begin, begin + 8]}}).encode()
    with pytest.raises(InvalidFileError, match=message):
        read_safetensors(struct.pack("<Q", len(header)) + header + bytes(begin + 8 + after))
