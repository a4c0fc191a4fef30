"""A client that knows nothing of the protocol, to send bytes that no client should send."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from support.lsp.together import TogetherWriter
from support.waiting import FAR_SECONDS

COMMAND = [sys.executable, "-m", "snd_server", "lsp"]


def framed(message: object) -> bytes:
    """Return a message in the form that is sent."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class RawClient:
    """A client that sends bytes, and keeps the received ones."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writer = TogetherWriter(writer)
        self.answers: dict[Any, dict[str, Any]] = {}
        self.others: list[dict[str, Any]] = []
        self._reader = reader
        self._came = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())
        self._last = 0
        self._ended = False

    def send(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.writer.write(framed({"jsonrpc": "2.0", "method": method, "params": params}))

    def ask(self, method: str, params: object = None) -> int:
        """Send a request; returns its id."""
        self._last += 1
        self.writer.write(framed({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}))
        return self._last

    async def answer(self, identity: Any, seconds: float = FAR_SECONDS) -> dict[str, Any]:
        """Return the answer to a request."""
        async with asyncio.timeout(seconds), self._came:
            await self._came.wait_for(lambda: identity in self.answers or self._ended)
        assert identity in self.answers, "the server has ended"
        return self.answers[identity]

    async def request(self, method: str, params: object = None) -> dict[str, Any]:
        """Send a request and waits for the answer."""
        return await self.answer(self.ask(method, params))

    async def initialize(self, **params: Any) -> dict[str, Any]:
        """Begin a session."""
        answer = await self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **params})
        self.send("initialized", {})
        return answer

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Open a document."""
        item = {"uri": uri, "languageId": "skriptnd", "version": version, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        """Change a document."""
        self.send(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [*changes]},
        )

    async def _read(self) -> None:
        try:
            await self._read_messages()
        finally:
            async with self._came:
                self._ended = True
                self._came.notify_all()

    async def _read_messages(self) -> None:
        while header := await self._reader.readline():
            length = int(header.split(b":")[1])
            while (await self._reader.readline()).strip():
                pass
            message = json.loads(await self._reader.readexactly(length))
            async with self._came:
                if "id" in message and "method" not in message:
                    self.keep(message)
                else:
                    self.others.append(message)
                self._came.notify_all()

    def keep(self, message: dict[str, Any]) -> None:
        """Keep the answer to a request."""
        assert message["id"] is None or message["id"] not in self.answers, "two answers to one question"
        self.answers[message["id"]] = message


@asynccontextmanager
async def running(*command: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, RawClient]]:
    """Run a server over standard input and output, and a client of it."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*(command or COMMAND), stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin
    assert process.stdout
    client = RawClient(process.stdout, process.stdin)
    try:
        yield process, client
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def goodbye(process: asyncio.subprocess.Process, client: RawClient) -> int:
    """End a session as one should; returns the exit status."""
    answer = await client.request("shutdown")
    assert answer["result"] is None
    client.send("exit")
    return await asyncio.wait_for(process.wait(), FAR_SECONDS)
