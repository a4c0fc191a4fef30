"""``.dat`` files as others write them: every code, vendor and width, laid out by hand or written by Khronos' tools."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from snd_runtime.files import (
    InvalidFileError,
    read_header,
    read_safetensors,
    read_safetensors_header,
    read_tensor,
    with_shape,
    write_safetensors,
    write_tensor,
)

TRACT = 0x5452
BLOCKS = 0xFFFFFFFF


def _file(data: bytes, shape: tuple[int, ...], bits: int, item_type: int, vendor: int = 0, extra: bytes = b"") -> bytes:
    """A file as tract and Khronos' tools lay it out: the item type in 16 bits, then the vendor."""
    extents = struct.pack("<8I", *shape, *(0,) * (8 - len(shape)))
    head = b"\x4e\xef\x01\x00" + struct.pack("<II", len(data), len(shape)) + extents
    return (head + struct.pack("<IHH", bits, item_type, vendor) + extra).ljust(128, b"\0") + data


def _demand(content: bytes, expected: Any, dtype: str) -> None:
    found = read_tensor(content)
    assert found.shape == np.shape(expected)
    assert read_header(content).storage.dtype == dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("code", ["<f2", "<f4", "<f8"])
def test_reals(code: str):
    array = np.array([[1.5, -np.inf], [65504.0, 0.0]], code)
    _demand(_file(array.tobytes(), (2, 2), array.itemsize * 8, 0), array, "real")


@pytest.mark.parametrize("item_type", [1, 2])
@pytest.mark.parametrize("code", ["u1", "<u2", "<u4", "<u8"])
def test_unsigned_ints(code: str, item_type: int):
    array = np.array([0, 1, min(np.iinfo(code).max, (1 << 63) - 1)], code)
    _demand(_file(array.tobytes(), (3,), array.itemsize * 8, item_type), array.astype(np.int64), "int")


@pytest.mark.parametrize("item_type", [3, 4])
@pytest.mark.parametrize("code", ["i1", "<i2", "<i4", "<i8"])
def test_signed_ints(code: str, item_type: int):
    array = np.array([np.iinfo(code).min, -1, np.iinfo(code).max], code)
    _demand(_file(array.tobytes(), (3,), array.itemsize * 8, item_type), array, "int")


def test_signed_ints_of_old_files_have_a_flag():
    array = np.array([-2, 3], "<i4")
    _demand(_file(array.tobytes(), (2,), 32, 1, extra=struct.pack("<I", 1)), array, "int")


def test_bools_of_one_and_of_eight_bits():
    array = np.array([True, False, True, True, False, False, False, False, True])
    _demand(_file(bytes([0b1011_0000, 0b1000_0000]), (9,), 1, 5), array, "bool")
    _demand(_file(array.tobytes(), (9,), 8, 5), array, "bool")


def test_strings_have_no_length_of_data():
    data = b"".join(struct.pack("<I", len(each)) + each for each in (b"", "é".encode(), b"a b"))
    content = _file(data, (3,), BLOCKS, 0x1000, TRACT)
    for claimed in (0, len(data), 3):
        found = read_tensor(content[:4] + struct.pack("<I", claimed) + content[8:])
        assert found.tolist() == ["", "é", "a b"]


def _block(scale: float, codes: bytes) -> bytes:
    return struct.pack("<e", scale) + codes


CODES = np.arange(32) % 16


@pytest.mark.parametrize("item_type", [0x3040, 0x2040])
def test_blocks_of_four_bits(item_type: int):
    pairs = (
        zip(CODES[:16], CODES[16:], strict=True) if item_type == 0x3040 else zip(CODES[::2], CODES[1::2], strict=True)
    )
    codes = bytes(int(low) | int(high) << 4 for low, high in pairs)
    content = _file(_block(0.5, codes) + _block(-2.0, codes), (2, 32), BLOCKS, item_type, TRACT)
    _demand(content, np.stack([(CODES - 8) * 0.5, (CODES - 8) * -2.0]), "real")


@pytest.mark.parametrize("item_type", [0x3080, 0x3081])
@pytest.mark.parametrize("with_sum", [False, True])
def test_blocks_of_eight_bits(item_type: int, with_sum: bool):
    codes = np.arange(-16, 16, dtype=np.int8)
    between = struct.pack("<e", float(codes.sum())) if with_sum else b""
    content = _file(_block(0.25, between + codes.tobytes()), (1, 32), BLOCKS, item_type, TRACT)
    _demand(content, codes[None] * 0.25, "real")


@pytest.mark.parametrize(("item_type", "bits"), [(0, 32), (0, 64), (0, 128), (4, 32), (4, 64), (4, 128)])
def test_complex_numbers_are_refused_in_words(item_type: int, bits: int):
    with pytest.raises(InvalidFileError, match="complex numbers, which snd does not have"):
        read_tensor(_file(bytes(bits // 8), (1,), bits, item_type, TRACT))


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 2, 1, 3, 1, 1, 2, 1)])
def test_ranks_from_none_to_eight(shape: tuple[int, ...]):
    array = np.arange(int(np.prod(shape)), dtype="<i4").reshape(shape)
    _demand(_file(array.tobytes(), shape, 32, 4), array, "int")


def test_blocks_without_items():
    _demand(_file(b"", (0, 32), BLOCKS, 0x3040, TRACT), np.zeros((0, 32)), "real")


def test_extents_are_exchanged_and_nothing_else():
    content = _file(np.arange(6, dtype="<i2").tobytes(), (1, 6), 16, 3)
    other = with_shape(content, (3, 2, 1))
    _demand(other, np.arange(6).reshape(3, 2, 1), "int")
    assert with_shape(other, (1, 6)) == content


DTYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")


@pytest.mark.parametrize("dtype", DTYPES)
def test_files_of_the_khronos_package(dtype: str, tmp_path: Any):
    nnef = pytest.importorskip("nnef", reason="the package of Khronos has no wheel for this platform")
    array = np.array([[0, 1, 2], [1, 0, 1]], dtype)
    path = tmp_path / "x.dat"
    for quantized in (False, True) if array.dtype.kind in "iu" else (False,):
        with open(path, "wb") as file:
            nnef.write_tensor(file, array, quantized=quantized)
        np.testing.assert_array_equal(read_tensor(path.read_bytes()), array)
    path.write_bytes(write_tensor(array))
    with open(path, "rb") as file:
        found = nnef.read_tensor(file)
    found = found[0] if isinstance(found, tuple) else found
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


# ---- safetensors -----------------------------------------------------------------------------------------------------
def _safetensors(header: bytes, data: bytes = b"") -> bytes:
    return struct.pack("<Q", len(header)) + header + data


def test_safetensors_are_read_and_written_as_by_the_package():
    package = pytest.importorskip("safetensors.numpy", reason="safetensors has no wheel for this platform")
    arrays = {f"a.{each}": np.arange(6).reshape(2, 3).astype(each) for each in DTYPES}
    arrays |= {"layer/0 é": np.array(3.0, np.float32), "empty": np.zeros((0, 3), np.float64)}
    found = read_safetensors(package.save(arrays, metadata={"format": "pt"}))
    back = package.load(write_safetensors(arrays))
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype == array.dtype


def test_reals_of_half_the_bits_are_those_of_32_without_the_last():
    header = b'{"x":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}'
    data = (np.array([1.0, -3.5], np.float32).view(np.uint32) >> 16).astype("<u2").tobytes()
    assert read_safetensors(_safetensors(header, data))["x"].tolist() == [1.0, -3.5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "ends within the header"),
        (struct.pack("<Q", 1 << 60), "ends within the header"),
        (_safetensors(b"[]"), "not a header of safetensors"),
        (_safetensors(b'{"x":{"dtype":"F32"}}'), "not a header of safetensors"),
        (_safetensors(b"[" * 100_000), "not a header of safetensors"),
        (_safetensors(b'{"x":{"dtype":"C64","shape":[],"data_offsets":[0,8]}}', bytes(8)), "type C64"),
        (_safetensors(b'{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}', bytes(4)), "take 8"),
        (_safetensors(b'{"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', bytes(4)), "not within the file"),
        (_safetensors(b'{"x":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}', bytes(4)), "not within the file"),
        (_safetensors(b'{"x":{"dtype":"F32","shape":[-1],"data_offsets":[4,0]}}', bytes(4)), "the shape [-1]"),
        (_safetensors(b'{"x":{"dtype":"I8","shape":[0,99999999999999999999],"data_offsets":[0,0]}}'), "the shape"),
        (_safetensors(b'{"x":{"dtype":"U64","shape":[1],"data_offsets":[0,8]}}', b"\xff" * 8), "too large for an int"),
    ],
)  # fmt: skip
def test_safetensors_that_lie_are_refused(content: bytes, message: str):
    with pytest.raises(InvalidFileError) as refused:
        read_safetensors(content)
    assert message in refused.value.message


def test_a_header_is_read_without_the_data():
    content = write_safetensors({"x": np.zeros((4, 5), np.float32)})
    first = 8 + struct.unpack_from("<Q", content)[0]
    assert read_safetensors_header(content[:first], len(content))["x"].shape == (4, 5)
    with pytest.raises(InvalidFileError, match="more than the 12 allowed"):
        read_safetensors_header(content[:20], len(content))
