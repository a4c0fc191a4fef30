"""``.npy`` and ``.npz``: what NumPy writes is read, and what could do harm is refused with a message."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snd_runtime.files import InvalidFileError, read_npy, read_npz, write_npy, write_npz
from support.sampling import sample


def saved(array, **options) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def with_header(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + data


def shaped(shape: str) -> str:
    return f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", "i1", "i8", ">u2", "u8", "?"])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_numbers_and_bools(dtype, shape):
    array = np.ones(shape, dtype)
    for order in "CF":
        found = read_npy(saved(np.asarray(array, order=order)))
        assert found.dtype == np.dtype(dtype).newbyteorder("=")
        np.testing.assert_array_equal(found, array)


def test_order_of_columns():
    array = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(read_npy(saved(np.asfortranarray(array))), array)


def test_strings_are_objects():
    array = np.array(["a", "βγ", ""], object)
    found = read_npy(write_npy(array))
    assert found.dtype == object
    assert found.tolist() == array.tolist()


def test_what_is_written_numpy_reads():
    array = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(np.load(io.BytesIO(write_npy(array))), array)
    with np.load(io.BytesIO(write_npz({"a": array, "b/c": array[0]}))) as both:
        np.testing.assert_array_equal(both["b/c"], array[0])


def test_archives():
    stream = io.BytesIO()
    np.savez_compressed(stream, first=np.arange(3), second=np.ones((2, 2), np.float32))
    content = stream.getvalue()
    assert [*read_npz(content)] == ["first", "second"]
    assert read_npz(content, "second")["second"].tolist() == [[1, 1], [1, 1]]
    with pytest.raises(InvalidFileError, match="no array 'third' in it, only 'first', 'second'"):
        read_npz(content, "third")
    with pytest.raises(InvalidFileError, match="'first' would take"):
        read_npz(content, "first", most_bytes=10)
    with pytest.raises(InvalidFileError, match="'second' would take"):  # neither alone
        read_npz(content, most_bytes=200)


def test_an_archive_is_opened_once(monkeypatch):
    """Its table of contents is as long as the archive has arrays: for each of 4,000, that took a minute."""
    arrays = {f"a{at}": np.zeros(1, np.int8) for at in range(100)}
    content = write_npz(arrays)
    opened: list[object] = []
    there = zipfile.ZipFile

    def open_(*arguments: object, **named: object) -> zipfile.ZipFile:
        opened.append(arguments)
        return there(*arguments, **named)

    monkeypatch.setattr(zipfile, "ZipFile", open_)
    assert [*read_npz(content)] == [*arrays]
    assert len(opened) == 1


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("code", [0x110000, 0xFFFFFFFF, 0xD800, 0xDFFF])
def test_strings_of_what_is_no_character(order, code):
    header = f"{{'descr': '{order}U1', 'fortran_order': False, 'shape': (2,)}}"
    text = np.array([ord("x"), code], f"{order}u4").tobytes()
    with pytest.raises(InvalidFileError, match=f"U\\+{code:04X} is no character"):
        read_npy(with_header(header, text))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an .npy file"),
        (b"PK\x03\x04", "not an .npy file"),
        (saved(np.ones(3))[:-1], "take 24 bytes, and there are 23"),
        (saved(np.ones(3)) + b"x", "take 24 bytes, and there are 25"),
        (saved(np.array([{}], object), allow_pickle=True), "pickled objects, which are not read"),
        (saved(np.ones(2, complex)), "items of type complex128"),
        (saved(np.ones(2, "f4,i4")), "tensors are of numbers"),
        (saved(np.array([b"ab"])), "items of type |S2"),
        (with_header(shaped("(1000000000000,)")), "8,000,000,000,000"),
        (with_header(shaped("(4294967296, 4294967296, 4)")), "there are 0"),
        (with_header(shaped("(9223372036854775807, 2, 0)")), "no tensor can"),
        (with_header(shaped("(-1,)"), bytes(8)), "shape"),
        (with_header(shaped("(True,)"), bytes(8)), "shape"),
        (with_header("__import__('os')"), "not an .npy file"),
        (with_header("((((" * 20), "not an .npy file"),
        (with_header(shaped("(1,)"), bytes(8), b"\x09\x00"), "version"),
    ],
)  # fmt: skip
def test_bad_files(content, message):
    with pytest.raises(InvalidFileError) as refused:
        read_npy(content)
    assert message in str(refused.value)


def test_bad_archives():
    for content in (b"", b"PK\x03\x04 and no more", saved(np.ones(1))):
        with pytest.raises(InvalidFileError, match=r"not an \.npz file"):
            read_npz(content)
    content = bytearray(write_npz({"a": np.arange(1000)}))
    content[60] ^= 0xFF
    with pytest.raises(InvalidFileError, match="'a'"):
        read_npz(bytes(content), "a")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.npy", b"text")
    with pytest.raises(InvalidFileError, match=r"'a': .*not an \.npy file"):
        read_npz(stream.getvalue(), "a")


def _zip(*members: tuple[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


@pytest.mark.parametrize("names", [("b.npy", "b"), ("b", "b.npy")])
def test_two_members_for_one_array(names):
    with pytest.raises(InvalidFileError, match="two of its arrays have the name 'b'"):
        read_npz(_zip(*((name, saved(np.ones(1))) for name in names)))


def test_members_beside_the_arrays():
    assert [*read_npz(_zip(("README", b"text"), ("folder/", b""), ("b.npy", saved(np.ones(1)))))] == ["b"]
    assert read_npz(_zip()) == {}


def test_an_archive_behind_another_is_not_the_whole_file():
    """``zipfile`` reads the directory at the end, and forgets the arrays before."""
    first, second = write_npz({"a": np.ones(1)}), write_npz({"b": np.ones(1)})
    with pytest.raises(InvalidFileError, match=r"its first \d+ bytes belong to no member"):
        read_npz(first + second)


@pytest.mark.parametrize(
    "write", [write_npz, lambda arrays: _zip(*((f"{name}.npy", saved(arrays[name])) for name in arrays))]
)
def test_no_flipped_bit_loses_or_changes_an_array(write):
    arrays = {"bias": np.arange(3.0), "w": np.ones((2, 2), np.float32)}
    content = write(arrays)
    for at in range(len(content)):
        for bit in sample(range(8), 1):
            flipped = bytearray(content)
            flipped[at] ^= 1 << bit
            with suppress(InvalidFileError):
                found = read_npz(bytes(flipped))
                assert [*found] == [*arrays], (at, bit)
                assert all(np.array_equal(found[name], arrays[name]) for name in arrays), (at, bit)
        with pytest.raises(InvalidFileError):
            read_npz(content[:at])


@given(st.integers(0, 200), st.integers(0, 255))
def test_no_byte_brings_it_down(at, byte):
    content = bytearray(saved(np.ones((2, 3))))
    content[at % len(content)] = byte
    archive = bytearray(write_npz({"a": np.ones(2)}))
    archive[at % len(archive)] = byte
    for reading in (lambda: read_npy(bytes(content)), lambda: read_npz(bytes(archive), "a")):
        with suppress(InvalidFileError):
            reading()
