"""Messages between a worker and its parent: pickled, each behind its length of 8 bytes."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from enum import Enum
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<Q")


class Kind(Enum):
    """What the child has to say."""

    READY = "ready"
    NOTE = "note"
    """Something on the way: a part of the result, or how far it is."""
    ANSWER = "answer"
    OUT_OF_MEMORY = "out of memory"
    FAULT = "fault"
    """An exception that the work did not expect; the content is its traceback."""


@dataclass(frozen=True, slots=True)
class Message:
    """``number`` is that of the request it is about."""

    kind: Kind
    number: int
    content: Any = None


def send(stream: BinaryIO, message: Any) -> None:
    """Writes a message. Raises OSError if nobody reads any more."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """The next message. Raises EOFError if the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return pickle.loads(content)
