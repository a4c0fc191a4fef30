"""How messages come and go: over standard input and output, a socket, or a named pipe.

Reading needs no thread: one that waits for input and one that analyses would hold each other up at every header.
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
import sys
from typing import IO, TYPE_CHECKING, Any

from pygls.io_ import StdoutWriter, run_async

from snd_server.lsp.limits import MOST_HEADER_BYTES

if TYPE_CHECKING:
    from pygls.io_ import AsyncReader

    from snd_server.lsp.server import SndServer

_logger = logging.getLogger(__name__)

# What may wait to be read before the client is made to wait.
BUFFER_BYTES = 1024 * 1024


async def serve_stdio(server: SndServer) -> int:
    """Serves over standard input and output, which nothing else in this process can reach any more.

    Returns the exit status.
    """
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    loop = asyncio.get_running_loop()
    reader: AsyncReader = _FileReader(stdin)
    writer: Any = StdoutWriter(stdout)
    if _can_be_awaited(stdin):
        stream = asyncio.StreamReader(BUFFER_BYTES)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), stdin)
        reader = stream
        if _can_be_awaited(stdout):
            transport, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, stdout)
            writer = asyncio.StreamWriter(transport, flow, None, loop)
    return await converse(server, reader, writer)


def _can_be_awaited(stream: IO[bytes]) -> bool:
    """Whether the event loop can wait for it: not for a file, as when a session is replayed, nor for /dev/null."""
    if sys.platform == "win32":
        return False
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stream.isatty()


async def serve_tcp(server: SndServer, host: str, port: int) -> int:
    """Waits at an address for one client, and serves it. Returns the exit status; raises OSError."""
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
    """Serves the client that listens at a named pipe: a Unix socket, or a pipe of Windows.

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


class _FileReader:
    """Reads what the event loop can't wait for, on a thread."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    async def readline(self) -> bytes:
        """A line, or the beginning of one that is too long."""
        return await asyncio.to_thread(self._file.readline, MOST_HEADER_BYTES)

    async def readexactly(self, count: int) -> bytes:
        """As much as is there."""
        return await asyncio.to_thread(self._file.read, count)


class _FairReader:
    """Reads messages, and lets each begin what it is about before the next is looked at.

    So an answer is for the text that the client had when it asked, however many messages have come by then.
    """

    def __init__(self, stream: AsyncReader) -> None:
        self._stream = stream
        self._between = False
        self._header_bytes = 0

    async def readline(self) -> bytes:
        """A line of a header; nothing if there is no more, or no header ends within reason."""
        if self._between:
            self._between = False
            await asyncio.sleep(0)
        try:
            line = await self._stream.readline()
        except ValueError:  # it is longer than what may wait
            self._header_bytes = MOST_HEADER_BYTES
            line = b""
        except OSError as error:
            _logger.error("the client can't be understood any more: %s", error)
            return b""
        self._header_bytes += len(line)
        if self._header_bytes >= MOST_HEADER_BYTES:
            _logger.error("this is no client: %d bytes came without a message", MOST_HEADER_BYTES)
            return b""
        return line

    async def readexactly(self, count: int) -> bytes:
        """The body of a message; nothing if the client went away in the middle of it."""
        self._between = True
        self._header_bytes = 0
        try:
            return await self._stream.readexactly(count)
        except (asyncio.IncompleteReadError, OSError):
            return b""


async def converse(server: SndServer, reader: AsyncReader, writer: Any) -> int:
    """Serve the client that writes to ``reader`` and reads from ``writer``. Return the exit status."""
    server.protocol.set_writer(writer)
    server.attach()
    conversation = run_async(server.stopped, _FairReader(reader), server.protocol, _logger, server.report_server_error)
    server.reading = asyncio.create_task(conversation)
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
