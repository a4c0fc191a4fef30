"""``.dat`` files: laid out byte by byte as NNEF 1.0 has it, read and written in every form, refused where they lie."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snd_runtime.files import ElementStorage, InvalidFileError, ItemKind, read_tensor, write_tensor

ONES = (1 << 32) - 1


def dat(
    data: bytes = b"",
    *,
    magic=b"N\xef",
    version=(1, 0),
    length=None,
    rank=1,
    extents=(0,),
    bits=32,
    code=0,
    parameters=b"",
) -> bytes:
    """A file by the text of the specification, independently of the code under test."""
    length = len(data) if length is None else length
    extents = (*extents, *(0,) * (8 - len(extents)))
    head = magic + bytes(version) + struct.pack("<II8III", length, rank, *extents, bits, code)
    return (head + parameters).ljust(128, b"\0") + data


def test_the_layout_byte_by_byte():
    written = write_tensor(np.array([[1.0, -2.0]], np.float32))
    assert written[:4] == b"\x4e\xef\x01\x00"
    assert written[4:8] == b"\x08\0\0\0"
    assert written[8:12] == b"\x02\0\0\0"
    assert written[12:20] == b"\x01\0\0\0\x02\0\0\0"
    assert written[20:44] == bytes(24)
    assert written[44:48] == b"\x20\0\0\0"
    assert written[48:128] == bytes(80)
    assert written[128:] == struct.pack("<ff", 1.0, -2.0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_reals_keep_their_precision(dtype):
    array = np.array([[0.1, -np.inf], [np.nan, 6e4]], dtype)
    found = read_tensor(write_tensor(array))
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", ">i4"])
def test_ints_of_whole_bytes(dtype):
    limits = np.iinfo(dtype)
    array = np.array([[limits.min, limits.max, 1]], dtype)
    found = read_tensor(write_tensor(array))
    assert found.dtype == np.int64
    assert found.tolist() == array.tolist()


@pytest.mark.parametrize("bits", range(1, 65))
@pytest.mark.parametrize("signed", [False, True])
def test_ints_of_every_width(bits, signed):
    width = bits if signed else min(bits, 63)  # 64-bit unsigned ints above the greatest int are refused
    least, greatest = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    array = np.array([least, greatest, 0, greatest // 3, least // 3, greatest, least], np.int64)
    written = write_tensor(array, ElementStorage(ItemKind.INTEGER, bits, signed=signed))
    assert len(written) == 128 + (7 * bits + 7) // 8
    assert read_tensor(written).tolist() == array.tolist()


def test_bits_are_packed_from_the_least_significant_one():
    written = write_tensor(np.array([1, 2, 3], np.int64), ElementStorage(ItemKind.INTEGER, 3))
    assert written[128:] == bytes([0b11_010_001, 0b0])
    twelve = write_tensor(np.array([0xABC, 0x123], np.int64), ElementStorage(ItemKind.INTEGER, 12))
    assert twelve[128:] == bytes([0xBC, 0x3A, 0x12])


def test_signed_ints_and_bools_are_written_as_others_read_them():
    ints = write_tensor(np.array([-1], np.int16))
    assert ints[44:56] == struct.pack("<III", 16, 4, 0)
    bools = write_tensor(np.array([True, False, False, True]))
    assert bools[44:56] == struct.pack("<III", 1, 5, 0)
    assert bools[128:] == b"\x90"


def test_many_odd_items():
    array = np.arange(100_003) % 32
    assert (read_tensor(write_tensor(array, ElementStorage(ItemKind.INTEGER, 5))) == array).all()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,) * 8, (2, 3)])
def test_shapes(shape):
    array = np.ones(shape, np.float32)
    assert read_tensor(write_tensor(array)).shape == shape


# ---- quantized -------------------------------------------------------------------------------------------------------
def test_linear_codes_by_the_formula():
    data = bytes([0, 51, 255])
    file = dat(data, extents=(3,), bits=8, code=0x10, parameters=struct.pack("<ff", -1.0, 1.5))
    found = read_tensor(file)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [-1.0, 51 / 255 * 2.5 - 1.0, 1.5], rtol=1e-7)
    assert write_tensor(found, ElementStorage(ItemKind.LINEAR, 8, least=-1.0, greatest=1.5)) == file


def test_linear_values_beyond_the_range_are_clamped():
    storage = ElementStorage(ItemKind.LINEAR, 4, least=0.0, greatest=15.0)
    assert read_tensor(write_tensor(np.array([-9.0, 7.4, 7.6, 99.0, np.inf]), storage)).tolist() == [0, 7, 8, 15, 15]


def test_logarithmic_codes_by_the_formula():
    # b = 3: r = 7; max = 5: m = ceil(log2 5) = 3; the code q means 2 ** (q + 3 - 7).
    storage = ElementStorage(ItemKind.LOGARITHMIC, 3, greatest=5.0)
    codes = np.arange(8, dtype=np.int64)
    data = write_tensor(codes, ElementStorage(ItemKind.INTEGER, 3))[128:]
    file = dat(data, extents=(8,), bits=3, code=0x11, parameters=struct.pack("<ff", 0.0, 5.0))
    values = 2.0 ** (codes - 4)
    assert read_tensor(file).tolist() == values.tolist()
    assert write_tensor(values, storage) == file
    assert read_tensor(write_tensor(np.array([0.0, -3.0, 1.4, 1.5, 100.0]), storage)).tolist() == [
        2.0**-4, 2.0**-4, 1.0, 2.0, 8.0,
    ]  # fmt: skip


def test_signed_logarithmic_codes_have_the_sign_above():
    # b = 3 with a sign: r = 3; max = 2: m = 1; the code q means 2 ** (q + 1 - 3).
    storage = ElementStorage(ItemKind.LOGARITHMIC, 3, least=-2.0, greatest=2.0)
    values = np.array([0.25, 0.5, 1.0, 2.0, -0.25, -0.5, -1.0, -2.0])
    written = write_tensor(values, storage)
    assert written[128:] == write_tensor(np.arange(8), ElementStorage(ItemKind.INTEGER, 3))[128:]
    assert read_tensor(written).tolist() == values.tolist()


@given(
    bits=st.integers(2, 64),
    kind=st.sampled_from([ItemKind.LINEAR, ItemKind.LOGARITHMIC]),
    signed=st.booleans(),
    greatest=st.floats(2.0**-10, 1e6, width=32),
    values=st.lists(st.floats(-1e7, 1e7), max_size=9),
)
def test_what_was_quantized_is_quantized_to_the_same(bits, kind, signed, greatest, values):
    storage = ElementStorage(kind, bits, least=-greatest if signed else 0.0, greatest=greatest)
    once = read_tensor(write_tensor(np.array(values, np.float64), storage))
    again = read_tensor(write_tensor(once, storage))
    if kind is ItemKind.LOGARITHMIC and not once.all():
        return  # powers too small for a real: another zero represents them
    np.testing.assert_allclose(again, once, rtol=1e-6, atol=greatest * 1e-7)


def test_64_bits_end_where_they_should():
    storage = ElementStorage(ItemKind.LINEAR, 64, least=0.0, greatest=1.0)
    assert write_tensor(np.array([0.0, 1.0]), storage)[128:] == bytes(8) + b"\xff" * 8


def test_nan_can_not_be_quantized():
    with pytest.raises(ValueError, match="NaN"):
        write_tensor(np.array([np.nan]), ElementStorage(ItemKind.LINEAR, 8, least=0.0, greatest=1.0))


# ---- codes -----------------------------------------------------------------------------------------------------------
def test_the_halves_of_the_code_in_either_order():
    data = struct.pack("<i", -7)
    for code in (1, 1 << 16):
        file = dat(data, extents=(1,), bits=32, code=code, parameters=struct.pack("<I", 5))
        assert read_tensor(file).tolist() == [-7]


# ---- refusals --------------------------------------------------------------------------------------------------------
GOOD = dat(bytes(4), extents=(1,))
LINEAR = {"code": 0x10, "bits": 8, "extents": (1,), "data": b"\0"}
LOGARITHMIC = {**LINEAR, "code": 0x11}


@pytest.mark.parametrize(
    ("content", "offset", "message"),
    [
        (b"", 0, "ends within the header"),
        (GOOD[:100], 100, "ends within the header"),
        (dat(magic=b"X\xef"), 0, "not a tensor file"),
        (dat(magic=b"NN"), 1, "not a tensor file"),
        (dat(version=(2, 0)), 2, "version is 2.0"),
        (dat(version=(1, 1)), 3, "version is 1.1"),
        (dat(bytes(4), length=8, extents=(1,)), 4, "8 bytes, but [1] items of 32 bits take 4"),
        (dat(bytes(4), extents=(2,)), 4, "4 bytes, but [2] items of 32 bits take 8"),
        (dat(rank=9), 8, "rank is 9"),
        (dat(rank=ONES), 8, "rank is 4294967295"),
        (dat(rank=1, extents=(0, 0, 5)), 20, "extent 2 is 5"),
        (dat(bits=0), 44, "1 to 64 bits"),
        (dat(bits=65, code=1), 44, "1 to 64 bits"),
        (dat(bits=8), 44, "16, 32 or 64 bits"),
        (dat(code=0x12), 48, "coded by 0x12"),
        (dat(code=0x30001), 48, "vendor 0x3"),
        (dat(**LINEAR, parameters=struct.pack("<ff", np.nan, 1)), 52, "nan"),
        (dat(**LINEAR, parameters=struct.pack("<ff", 0, np.inf)), 56, "inf"),
        (dat(**LOGARITHMIC, parameters=struct.pack("<ff", -1, 2)), 52, "must be 0 or -2, not -1"),
        (dat(**LOGARITHMIC, parameters=struct.pack("<ff", 0, 0)), 56, "above 0"),
        (dat(b"\0", bits=1, code=0x11, extents=(1,), parameters=struct.pack("<ff", -2, 2)), 44, "sign"),
        (GOOD[:-1], len(GOOD) - 1, "ends 1 bytes before"),
        (GOOD + b"\0", len(GOOD), "goes on after the end"),
        (dat(b"\x0a", bits=3, code=1, extents=(1,)), 128, "must be 0"),
        (dat(bytes(8) + b"\xff" * 8, bits=64, code=1, extents=(2,)), 136, "too large for an int"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_at_the_byte_at_fault(content, offset, message):
    with pytest.raises(InvalidFileError) as refused:
        read_tensor(content)
    assert refused.value.offset == offset
    assert message in refused.value.message
    assert str(refused.value).startswith(f"byte {offset}: ")


@pytest.mark.parametrize(
    "extents", [(ONES,), (ONES,) * 8, (ONES, 0, ONES, ONES), (0,) + (ONES,) * 7, (1 << 31, 1 << 31, 4)]
)
@pytest.mark.parametrize("bits", [1, 64])
def test_claims_of_huge_extents_allocate_nothing(extents, bits):
    with pytest.raises(InvalidFileError) as refused:
        read_tensor(dat(rank=len(extents), extents=extents, bits=bits, code=1))
    assert refused.value.offset in (4, 12)


def refusal(content: bytes) -> int | None:
    """The offset of the byte at fault; None if there is no fault."""
    try:
        read_tensor(content)
    except InvalidFileError as refused:
        assert refused.offset is not None  # noqa: PT017 - which of both happens depends on the bytes
        return refused.offset
    return None


@given(st.binary(max_size=300), st.integers(0, 127), st.integers(0, 255))
def test_no_bytes_bring_it_down(data, at, byte):
    for content in (data, GOOD[:at] + bytes([byte]) + GOOD[at + 1 :], b"N\xef\1\0" + data):
        offset = refusal(content)
        assert offset is None or 0 <= offset <= len(content)


@pytest.mark.parametrize(
    ("array", "storage", "message"),
    [
        (np.array(["a"], object), None, "holds numbers"),
        (np.zeros((1,) * 9, np.float32), None, "8 dimensions"),
        (np.array([8]), ElementStorage(ItemKind.INTEGER, 3), "hold 0 to 7, not 8 to 8"),
        (np.array([4]), ElementStorage(ItemKind.INTEGER, 3, signed=True), "hold -4 to 3"),
        (np.array([0.5]), ElementStorage(ItemKind.INTEGER, 8), "reals"),
    ],
)
def test_what_can_not_be_written(array, storage, message):
    with pytest.raises(ValueError, match=message):
        write_tensor(array, storage)


def test_files_of_4_gigabytes_can_not_be_written():
    huge = np.broadcast_to(np.zeros(1, np.float32), (1 << 30,))
    with pytest.raises(ValueError, match="4 GiB"):
        write_tensor(huge)
