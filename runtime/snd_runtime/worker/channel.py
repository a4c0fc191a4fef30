"""Messages between a worker and its parent.

Each is pickled, with the contents of its arrays after it, so that these are not copied again and again: the number of
parts, the length of each, 8 bytes little-endian, and the parts.
"""

from __future__ import annotations

import pickle
import struct
from enum import Enum
from typing import Any, BinaryIO

from msgspec import Struct

_LENGTH = struct.Struct("<Q")


class Kind(Enum):
    """Kinds of messages from the child."""

    READY = "ready"
    NOTE = "note"
    """A note before the answer: a part of the result, or progress."""
    ANSWER = "answer"
    OUT_OF_MEMORY = "out of memory"
    FAULT = "fault"
    """An exception that the work did not expect; the content is its traceback."""


class Message(Struct, frozen=True):
    """An intermediate message or an answer; ``number`` identifies the request."""

    kind: Kind
    number: int
    content: Any = None


def send(stream: BinaryIO, message: Any) -> None:
    """Write a message. Raise OSError if the other end is closed."""
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append)
    parts = [memoryview(content), *(buffer.raw() for buffer in buffers)]
    stream.write(struct.pack(f"<{len(parts) + 1}Q", len(parts), *map(len, parts)))
    for part in parts:
        stream.write(part)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Return the next message. Raise EOFError if the other side is gone."""
    (count,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    lengths = struct.unpack(f"<{count}Q", _read(stream, _LENGTH.size * count))
    content, *buffers = [_read(stream, length) for length in lengths]
    return pickle.loads(content, buffers=buffers)


def _read(stream: BinaryIO, length: int) -> bytearray:
    content = bytearray(length)
    view, filled = memoryview(content), 0
    while filled < length:
        count = stream.readinto(view[filled:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        filled += count
    return content
