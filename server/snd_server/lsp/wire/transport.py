"""Streams of messages: standard input and output, a socket, a named pipe, or a WebSocket.

pygls reads messages from them (``pygls.io_``). Reading needs no thread: one that waits for input and one that analyses
would hold each other up at every header.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import stat
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Protocol

from pygls.io_ import StdoutWriter, run_async, run_websocket

from snd_server.lsp.limits import (
    MOST_HEADER_BYTES,
    MOST_LENGTH_DIGITS,
    MOST_MESSAGE_BYTES,
    MOST_SHOWN_BYTES,
    MOST_UNREAD_BYTES,
)

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

    from snd_server.lsp.server import SndServer

_logger = logging.getLogger(__name__)

BUFFER_BYTES = 1024 * 1024
"""Bytes that may wait to be read before the client is made to wait."""

_HEADER = re.compile(rb"([A-Za-z0-9-]+)[ \t]*:[ \t]*([^\r\n]*?)[ \t]*\r?\n")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
_LOCAL_ORIGIN = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
"""Pages that may talk to a WebSocket of this machine. Browsers let any page open one, and tell where it is from."""


# ---- where to serve --------------------------------------------------------------------------------------------------
async def serve_stdio(server: SndServer) -> int:
    """Serve over standard input and output, which nothing else in this process can reach any more.

    Return the exit status.
    """
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    loop = asyncio.get_running_loop()
    if not _can_be_awaited(stdin):
        return await converse(server, _FileReader(stdin), StdoutWriter(stdout))
    reader = asyncio.StreamReader(BUFFER_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdin)
    if not _can_be_awaited(stdout):
        return await converse(server, reader, StdoutWriter(stdout))
    transport, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, stdout)
    return await converse(server, reader, asyncio.StreamWriter(transport, flow, None, loop))


def _can_be_awaited(stream: IO[bytes]) -> bool:
    """Return whether the event loop can wait for a stream.

    It can't for a file, as when a session is replayed, or for /dev/null.
    """
    if sys.platform == "win32":
        return False
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stream.isatty()


async def serve_tcp(server: SndServer, host: str, port: int) -> int:
    """Wait at an address for one client, and serve it. Return the exit status; raise OSError."""
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Future()

    def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connected.done():
            writer.close()
        else:
            connected.set_result((reader, writer))

    async with await asyncio.start_server(connect, host, port, limit=BUFFER_BYTES) as listener:
        _tell_address("", *listener.sockets[0].getsockname()[:2])
        reader, writer = await connected
    return await converse(server, reader, writer)


async def serve_websocket(server: SndServer, host: str, port: int) -> int:
    """Wait at an address for one client, and serve it over a WebSocket. Return the exit status; raise OSError."""
    from websockets.asyncio.server import serve

    connected: asyncio.Future[ServerConnection] = asyncio.Future()

    async def connect(socket: ServerConnection) -> None:
        if not connected.done():
            connected.set_result(socket)
            await socket.wait_closed()

    origins = [None, _LOCAL_ORIGIN]
    listener = await serve(connect, host, port, origins=origins, max_size=MOST_MESSAGE_BYTES, compression=None)
    async with listener:
        _tell_address("ws://", *next(iter(listener.sockets)).getsockname()[:2])
        socket: Any = _WebSocket(server, await connected)
        reading = run_websocket(socket, server.stopped, server.protocol, _logger, server.report_server_error)
        return await _follow(server, reading)


def _tell_address(scheme: str, host: str, port: int) -> None:
    """Print the address in the form for clients: IPv6 addresses in brackets."""
    written = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    print(f"snd lsp waits for a client on {scheme}{written}", file=sys.stderr, flush=True)


async def serve_pipe(server: SndServer, path: str) -> int:
    """Serve the client that listens at a named pipe: a Unix socket, or a pipe of Windows.

    Return the exit status; raises OSError.
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


# ---- the conversation ------------------------------------------------------------------------------------------------
async def converse(server: SndServer, reader: Reader, writer: StdoutWriter | asyncio.StreamWriter) -> int:
    """Serve the client that writes to ``reader`` and reads from ``writer``. Return the exit status."""
    bounded = _BoundedWriter(server, writer) if isinstance(writer, asyncio.StreamWriter) else _FileWriter(writer)
    server.protocol.set_writer(bounded)
    reading = run_async(server.stopped, _MessageReader(reader), server.protocol, _logger, server.report_server_error)
    status = await _follow(server, reading)
    writer.close()
    return status


async def _follow(server: SndServer, reading: Coroutine[Any, Any, None]) -> int:
    """Wait until no more messages are read. Return the exit status."""
    task = asyncio.create_task(reading)
    server.attach(task)
    await asyncio.wait([task])
    error = None if task.cancelled() else task.exception()
    if isinstance(error, _FramingError):
        _logger.error("this is no client: %s", error)
        server.protocol.refuse(str(error))
    elif error is not None and not isinstance(error, asyncio.IncompleteReadError | OSError):
        _logger.error("the conversation broke off", exc_info=error)
    if not server.protocol.has_begun and not task.cancelled():
        _logger.error("no client sent 'initialize': editors start 'snd lsp', and talk to it over standard input")
    server.stopped.set()
    server.end_work()
    return server.status


# ---- messages from clients -------------------------------------------------------------------------------------------
class Reader(Protocol):
    """A stream of bytes."""

    async def readline(self) -> bytes:
        """Return a line; nothing at the end."""

    async def readexactly(self, count: int) -> bytes:
        """Return so many bytes."""


class _FramingError(Exception):
    """The bytes are no header of a message: the next message can't be found."""


class _MessageReader:
    """Headers and bodies of messages. Bytes that are neither end the conversation: raises _FramingError.

    pygls waits for ever for the first header that it understands.
    """

    def __init__(self, stream: Reader) -> None:
        self._stream = stream
        self._has_length = False
        self._header_bytes = 0

    async def readline(self) -> bytes:
        """Return a line of a header, spelled as pygls reads it; nothing at the end."""
        while self._header_bytes < MOST_HEADER_BYTES:
            await asyncio.sleep(0)  # each message begins its work before the next is read
            try:
                line = await self._stream.readline()
            except ValueError:  # longer than the limit
                break
            self._header_bytes += len(line)
            if line.strip():
                length = _length_in(line)
                if length:
                    self._has_length = True
                    return b"Content-Length: %d\r\n" % length
            elif line and not self._has_length:
                raise _FramingError("a header has no Content-Length")
            else:
                return line
        raise _FramingError(f"{MOST_HEADER_BYTES} bytes came without a message")

    async def readexactly(self, count: int) -> bytes:
        """Return the body of a message."""
        body = await self._stream.readexactly(count)
        self._has_length, self._header_bytes = False, 0
        return _with_whole_characters(body)


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


def _with_whole_characters(body: bytes) -> bytes:
    """Return a message with question marks for halves of surrogate pairs, which strings of JavaScript may have."""
    if _SURROGATE.search(body) is None:
        return body
    try:
        return json.dumps(json.loads(body), ensure_ascii=False).encode(errors="replace")
    except (ValueError, RecursionError):  # pygls fails in the same way, and reports it to the client
        return body


class _FileReader:
    """Reader, on a thread, of a stream that the event loop can't wait for."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    async def readline(self) -> bytes:
        """Return a line, or the beginning of one that is too long."""
        return await asyncio.to_thread(self._file.readline, MOST_HEADER_BYTES)

    async def readexactly(self, count: int) -> bytes:
        """Return ``count`` bytes, or fewer at the end of the stream."""
        return await asyncio.to_thread(self._file.read, count)


# ---- messages to clients ---------------------------------------------------------------------------------------------
class _FileWriter:
    """Writer to a stream that the event loop can't wait for. A lost client gets nothing."""

    def __init__(self, file: StdoutWriter) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        """Write all bytes of ``data``."""
        try:
            self._file.write(data)
        except OSError as error:
            _logger.error("the client can't be told any more: %s", error)

    def close(self) -> None:
        """Write nothing more."""
        self._file.close()  # type: ignore[no-untyped-call]


class _BoundedWriter:
    """Buffer of data that the client has not read yet, up to a limit, at which the client is disconnected."""

    def __init__(self, server: SndServer, stream: asyncio.StreamWriter) -> None:
        self._server = server
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Write all of it, now or later."""
        self._stream.write(data)
        _give_up_if_unread(self._server, self._stream.transport)

    def close(self) -> None:
        """Write nothing more."""
        self._stream.close()


class _WebSocket:
    """A connection, with the limits of the other streams."""

    def __init__(self, server: SndServer, connection: ServerConnection) -> None:
        self._server = server
        self._connection = connection

    async def recv(self, decode: bool) -> bytes:
        """Return a message."""
        await asyncio.sleep(0)  # each message begins its work before the next is read
        return _with_whole_characters(await self._connection.recv(decode=False))

    async def send(self, data: bytes) -> None:
        """Send a message as text, which pages can read directly; a lost client gets nothing."""
        from websockets.exceptions import ConnectionClosed

        _give_up_if_unread(self._server, self._connection.transport)
        with suppress(ConnectionClosed):
            await self._connection.send(data, text=True)

    async def close(self) -> None:
        """Say goodbye."""
        await self._connection.close()


def _give_up_if_unread(server: SndServer, transport: asyncio.WriteTransport) -> None:
    if not transport.is_closing() and transport.get_write_buffer_size() > MOST_UNREAD_BYTES:
        _logger.error("the client does not read: %d bytes wait for it", transport.get_write_buffer_size())
        transport.abort()
        server.hang_up()
