"""How messages come and go: over standard input and output, a socket, or a named pipe.

Reading needs no thread: one that waits for input and one that analyses would hold each other up at every header.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import stat
import sys
from typing import IO, TYPE_CHECKING, Protocol

from snd_server.lsp.limits import (
    MOST_HEADER_BYTES,
    MOST_LENGTH_DIGITS,
    MOST_MESSAGE_BYTES,
    MOST_SHOWN_BYTES,
    MOST_UNREAD_BYTES,
)

if TYPE_CHECKING:
    from snd_server.lsp.protocol import Writer
    from snd_server.lsp.server import SndServer

_logger = logging.getLogger(__name__)

# What may wait to be read before the client is made to wait.
BUFFER_BYTES = 1024 * 1024

_HEADER = re.compile(rb"([A-Za-z0-9-]+)[ \t]*:[ \t]*([^\r\n]*?)[ \t]*\r?\n")


async def serve_stdio(server: SndServer) -> int:
    """Serve over standard input and output, which nothing else in this process can reach any more.

    Returns the exit status.
    """
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    loop = asyncio.get_running_loop()
    reader: Reader = _FileReader(stdin)
    writer: Writer = _FileWriter(stdout)
    if _can_be_awaited(stdin):
        stream = asyncio.StreamReader(BUFFER_BYTES)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), stdin)
        reader = stream
        if _can_be_awaited(stdout):
            transport, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, stdout)
            writer = asyncio.StreamWriter(transport, flow, None, loop)
    return await converse(server, reader, writer)


def _can_be_awaited(stream: IO[bytes]) -> bool:
    """Return whether the event loop can wait for it: not for a file, as when a session is replayed, nor for
    /dev/null."""
    if sys.platform == "win32":
        return False
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stream.isatty()


async def serve_tcp(server: SndServer, host: str, port: int) -> int:
    """Wait at an address for one client, and serves it. Returns the exit status; raises OSError."""
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Future()

    def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connected.done():
            writer.close()
        else:
            connected.set_result((reader, writer))

    async with await asyncio.start_server(connect, host, port, limit=BUFFER_BYTES) as listener:
        address = listener.sockets[0].getsockname()
        print(f"snd lsp waits for a client on {_written(*address[:2])}", file=sys.stderr, flush=True)
        reader, writer = await connected
    return await converse(server, reader, writer)


def _written(host: str, port: int) -> str:
    """An address as it is given to clients: those of IPv6 stand in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def serve_pipe(server: SndServer, path: str) -> int:
    """Serve the client that listens at a named pipe: a Unix socket, or a pipe of Windows.

    Returns the exit status; raises OSError.
    """
    reader = asyncio.StreamReader(BUFFER_BYTES)
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        transport, protocol = await loop.create_pipe_connection(  # type: ignore[attr-defined]
            lambda: asyncio.StreamReaderProtocol(reader), path
        )
    else:
        transport, protocol = await loop.create_unix_connection(lambda: asyncio.StreamReaderProtocol(reader), path)
    return await converse(server, reader, asyncio.StreamWriter(transport, protocol, reader, loop))


class Reader(Protocol):
    """Where messages come from."""

    async def readline(self) -> bytes:
        """Return a line; nothing at the end."""

    async def readexactly(self, count: int) -> bytes:
        """So many bytes."""


class _BoundedWriter:
    """Keeps what the client has not read yet, up to a limit: then the client is given up."""

    def __init__(self, server: SndServer, stream: asyncio.StreamWriter) -> None:
        self._server = server
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Write all of it, now or later."""
        self._stream.write(data)
        transport = self._stream.transport
        if not transport.is_closing() and transport.get_write_buffer_size() > MOST_UNREAD_BYTES:
            _logger.error("the client does not read: %d bytes wait for it", transport.get_write_buffer_size())
            transport.abort()
            self._server.hang_up()

    def close(self) -> None:
        """Write nothing more."""
        self._stream.close()


class _FileWriter:
    """Writes to what the event loop can't wait for."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        """Write all of it."""
        self._file.write(data)
        self._file.flush()

    def close(self) -> None:
        """Write nothing more."""
        self._file.close()


class _FileReader:
    """Reads what the event loop can't wait for, on a thread."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    async def readline(self) -> bytes:
        """Return a line, or the beginning of one that is too long."""
        return await asyncio.to_thread(self._file.readline, MOST_HEADER_BYTES)

    async def readexactly(self, count: int) -> bytes:
        """As much as is there."""
        return await asyncio.to_thread(self._file.read, count)


async def converse(server: SndServer, reader: Reader, writer: Writer | asyncio.StreamWriter) -> int:
    """Serve the client that writes to ``reader`` and reads from ``writer``. Return the exit status."""
    server.protocol.attach(_BoundedWriter(server, writer) if isinstance(writer, asyncio.StreamWriter) else writer)
    server.attach()
    server.reading = asyncio.create_task(_read_messages(server, reader))
    await asyncio.wait([server.reading])
    if not server.reading.cancelled() and (error := server.reading.exception()) is not None:
        _logger.error("the conversation broke off", exc_info=error)
    elif not server.protocol.begun:
        _logger.error("no client sent 'initialize': editors start 'snd lsp', and talk to it over standard input")
    server.stopped.set()
    server.stop_evaluating()
    server.session.stop()
    writer.close()
    return server.status


async def _read_messages(server: SndServer, reader: Reader) -> None:
    """Let each message begin what it is about before the next is looked at.

    So an answer is for the text that the client had when it asked, however many messages have come by then.
    """
    while not server.stopped.is_set():
        try:
            length = await _length(reader)
        except _FramingError as error:
            _logger.error("this is no client: %s", error)
            server.protocol.refuse(str(error))
            return
        if not length:
            return
        try:
            body = await reader.readexactly(length)
        except (asyncio.IncompleteReadError, OSError):  # the client went away in the middle of it
            return
        try:
            server.protocol.receive(body)
        except Exception as error:
            server.fault("the handling of a message", error)
        await asyncio.sleep(0)


class _FramingError(Exception):
    """The bytes are no header of a message: the next message can't be found."""


async def _length(reader: Reader) -> int:
    """Return the number of bytes of the next message; 0 if there is no more. Raises _FramingError."""
    length = taken = 0
    while taken < MOST_HEADER_BYTES:
        try:
            line = await reader.readline()
        except ValueError:  # it is longer than what may wait
            break
        except OSError as error:
            _logger.error("the client can't be understood any more: %s", error)
            return 0
        if not line:
            return 0
        taken += len(line)
        if line.strip():
            length = _length_in(line) or length
        elif length:
            return length
        else:
            raise _FramingError("a header has no Content-Length")
    raise _FramingError(f"{MOST_HEADER_BYTES} bytes came without a message")


def _length_in(line: bytes) -> int:
    """Return the length that a line of a header tells; 0 if it tells something else. Raises _FramingError."""
    header = _HEADER.fullmatch(line)
    if header is None:
        raise _FramingError(f"{line[:MOST_SHOWN_BYTES]!r} is no header of a message")
    name, value = header.groups()
    if name.lower() != b"content-length":
        return 0
    if not value.isdigit() or len(value) > MOST_LENGTH_DIGITS or not 0 < int(value) <= MOST_MESSAGE_BYTES:
        raise _FramingError(f"{line[:MOST_SHOWN_BYTES].strip()!r} is no length of a message")
    return int(value)
