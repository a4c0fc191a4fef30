"""``snd lsp --ws``: a client that sends a message in each frame, and pages that must not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from support.lsp.protocol_texts import UNKNOWN_NAME
from support.lsp.raw_client import COMMAND
from support.waiting import FAR_SECONDS

client = pytest.importorskip("websockets.asyncio.client", reason="the dependency 'websockets' is not installed here")

DOCUMENT = {"textDocument": {"uri": "untitled:a"}}


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """A server, and the address that it tells."""
    process = await asyncio.create_subprocess_exec(*COMMAND, "--ws", "0", stderr=asyncio.subprocess.PIPE)
    try:
        assert process.stderr
        line = (await asyncio.wait_for(process.stderr.readline(), FAR_SECONDS)).decode()
        address = line.rpartition(" ")[2].strip()
        assert address.startswith("ws://127.0.0.1:")
        yield process, address
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def request(socket: Any, method: str, params: object, identity: int | None = 1) -> Any:
    """Send a request; return the answer, or None for a notification, which has none."""
    await socket.send(json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}))
    while identity is not None:
        frame = await asyncio.wait_for(socket.recv(), FAR_SECONDS)
        assert isinstance(frame, str), "browsers read text"
        message = json.loads(frame)
        if message.get("id") == identity and "method" not in message:
            return message
    return None


async def initialize(socket: Any) -> None:
    capabilities = {"textDocument": {"diagnostic": {}}}
    params = {"processId": None, "rootUri": None, "capabilities": capabilities}
    assert (await request(socket, "initialize", params))["result"]["serverInfo"]["name"] == "snd"


async def open_text(socket: Any, text: str) -> None:
    item = {"uri": "untitled:a", "languageId": "skriptnd", "version": 1, "text": text}
    await request(socket, "textDocument/didOpen", {"textDocument": item}, None)


async def codes(socket: Any) -> list[str]:
    report = await request(socket, "textDocument/diagnostic", DOCUMENT)
    return [each["code"] for each in report["result"]["items"]]


async def test_a_session():
    async with serving() as (process, address), client.connect(address, max_size=None) as socket:
        await initialize(socket)
        await open_text(socket, UNKNOWN_NAME + "#" * 2_000_000)  # libraries refuse a message above 1 MiB, if not told
        assert await codes(socket) == ["undefined-name"]
        await request(socket, "shutdown", None)
        await request(socket, "exit", None, None)
        assert await asyncio.wait_for(process.wait(), FAR_SECONDS) == 0


async def test_what_no_client_should_send():
    async with serving() as (process, address), client.connect(address) as socket:
        await initialize(socket)
        await socket.send("{]}")
        answer = json.loads(await asyncio.wait_for(socket.recv(), FAR_SECONDS))
        assert answer["error"]["code"] == -32700
        assert answer["id"] is None
        await socket.send(b"[]")
        await open_text(socket, "# \ud83d\n" + UNKNOWN_NAME)
        assert await codes(socket) == ["undefined-name"]
        await socket.close()
        assert await asyncio.wait_for(process.wait(), FAR_SECONDS) == 1


async def test_questions_are_about_the_texts_they_came_after():
    async with serving() as (_, address), client.connect(address) as socket:
        await initialize(socket)
        await open_text(socket, UNKNOWN_NAME)
        for version in range(2, 12):  # all of them wait in the buffer
            text = UNKNOWN_NAME if version % 2 == 0 else ""
            change = {"textDocument": {"uri": "untitled:a", "version": version}, "contentChanges": [{"text": text}]}
            await request(socket, "textDocument/didChange", change, None)
            ask = {"jsonrpc": "2.0", "id": version, "method": "textDocument/foldingRange", "params": DOCUMENT}
            await socket.send(json.dumps(ask))
        folds: dict[int, int] = {}
        while len(folds) < 10:
            message = json.loads(await asyncio.wait_for(socket.recv(), FAR_SECONDS))
            if "result" in message:
                folds[message["id"]] = len(message["result"])
        assert [bool(folds[version]) for version in range(2, 12)] == [version % 2 == 0 for version in range(2, 12)]


@pytest.mark.parametrize("origin", ["https://pages.example", "http://localhost.pages.example", "null"])
async def test_pages_of_other_sites_are_refused(origin: str):
    """Browsers let any page connect to this machine: it could read files."""
    from websockets.exceptions import InvalidStatus

    async with serving() as (_, address):
        with pytest.raises(InvalidStatus, match="403"):
            await client.connect(address, origin=origin)
        async with client.connect(address, origin="http://localhost:8080") as socket:
            await initialize(socket)
