"""Pictures of tensors, read back as pixels, show their values; tensors that can not be drawn are refused."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import pytest

from snd_runtime.picture import picture


def pixels(png: bytes | None) -> np.ndarray[Any, Any]:
    """The pixels of a PNG, ``[rows,columns,3]``; every checksum must be right."""
    assert png is not None
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, parts = 8, {}
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length) == (zlib.crc32(kind + content),)
        parts[kind] = content
        at += 12 + length
    width, height, *form = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert form == [8, 2, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any(), "no filter"
    return rows[:, 1:].reshape(height, width, 3)


def test_a_matrix_is_a_heat_map():
    found = pixels(picture(np.array([[0.0, 1.0], [np.nan, 0.5]], np.float32)))
    assert found.shape == (128, 128, 3)
    least, greatest, none, middle = found[0, 0], found[0, -1], found[-1, 0], found[-1, -1]
    assert least.sum() < middle.sum() < greatest.sum()
    assert none.tolist() == [160, 160, 160]
    assert (found[:64, :64] == least).all(), "elements are enlarged"


def test_images_in_colours_side_by_side():
    images = np.zeros((2, 3, 4, 4), np.float32)
    images[0, 0] = 1.0
    images[1, 2] = 1.0
    found = pixels(picture(images))
    assert found.shape == (128, 128 + 2 + 128, 3)
    assert found[0, 0].tolist() == [255, 0, 0]
    assert found[0, -1].tolist() == [0, 0, 255]
    assert (found[:, 128:130] == 255).all()


@pytest.mark.parametrize("shape", [(), (3,), (0, 4), (1, 1), (2, 0, 3)])
def test_what_can_not_be_drawn(shape: tuple[int, ...]):
    assert picture(np.zeros(shape, np.float32)) is None
    assert picture(np.array([["a", "b"]], object)) is None


@pytest.mark.parametrize("array", [np.full((2, 2), np.inf), np.zeros((3, 3), bool), np.arange(6).reshape(2, 3)])
def test_any_numbers_can_be_drawn(array: np.ndarray[Any, Any]):
    assert pixels(picture(array)).size


def test_large_tensors_make_small_pictures():
    chance = np.random.default_rng(0)
    assert len(picture(chance.random((8, 3, 500, 700), np.float32)) or b"") < 70_000
    assert len(picture(chance.random((3000, 2000))) or b"") < 70_000
