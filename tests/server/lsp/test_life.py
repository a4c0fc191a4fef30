"""Begin and end of a session, over each transport."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import sys
from itertools import product
from pathlib import Path

import pytest

from support.lsp import watched_server
from support.lsp.protocol_texts import UNKNOWN_NAME
from support.lsp.raw_client import COMMAND, RawClient, framed, goodbye, running
from support.sampling import sample
from support.waiting import FAR_SECONDS

FOLDING = {"textDocument": {"uri": "untitled:a"}}


async def test_messages_out_of_order():
    async with running() as (process, client):
        client.open("untitled:a", UNKNOWN_NAME)  # ignored: nobody has said hello
        early = await client.request("textDocument/foldingRange", FOLDING)
        assert early["error"]["code"] == -32002
        answer = await client.initialize()
        assert answer["result"]["serverInfo"]["name"] == "snd"
        again = await client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        assert again["error"]["code"] == -32600
        unknown = await client.request("textDocument/foldingRange", FOLDING)
        assert unknown["error"]["code"] == -32602, "what came before the hello was not opened"
        client.open("untitled:a", UNKNOWN_NAME)
        assert "result" in await client.request("textDocument/foldingRange", FOLDING)
        await client.request("shutdown")
        late = await client.request("textDocument/foldingRange", FOLDING)
        assert late["error"]["code"] == -32600
        client.send("exit")
        assert await asyncio.wait_for(process.wait(), FAR_SECONDS) == 0


async def test_what_has_been_handled_is_forgotten():
    async with running(sys.executable, watched_server.__file__) as (process, client):
        await client.initialize()
        client.open("untitled:a", UNKNOWN_NAME)
        for version in range(2, 52):
            client.change("untitled:a", version, {"text": UNKNOWN_NAME + "#" * version})
        await client.request(watched_server.REST)
        held = await client.request(watched_server.HELD)
        assert held["result"] == 1, "nothing but the question itself"
        assert await goodbye(process, client) == 0


async def test_leaving_without_a_word():
    async with running() as (process, client):
        await client.initialize()
        client.send("exit")
        assert await asyncio.wait_for(process.wait(), FAR_SECONDS) == 1


@pytest.mark.parametrize(
    "rest", sample([b"", b"Content-Le", b"Content-Length: 100\r\n\r\n", framed({"jsonrpc": "2.0"})[:-5]], 2)
)
async def test_a_client_that_dies_in_the_middle_of_a_message(rest: bytes):
    async with running() as (process, client):
        await client.initialize()
        client.writer.write(rest)
        await client.writer.drain()
        client.writer.close()
        assert await asyncio.wait_for(process.wait(), FAR_SECONDS) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals end processes there")
async def test_a_client_that_dies_while_another_holds_the_pipe():
    editor = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE)
    async with running() as (process, client):
        await client.initialize(processId=editor.pid)
        editor.kill()
        await editor.wait()
        assert await asyncio.wait_for(process.wait(), FAR_SECONDS) == 1


async def test_nothing_but_messages_on_standard_output(tmp_path: Path):
    script = tmp_path / "noisy.py"
    script.write_text(
        "import os\n"
        "from snd_server.cli.lsp import lsp\n"
        "from snd_server.lsp.server import SndServer\n"
        "before = SndServer.stop\n"
        "def stop(server, status):\n"
        "    print('noise'); os.system('echo noise'); before(server, status)\n"
        "SndServer.stop = stop\n"
        "lsp.main([], standalone_mode=False)\n"
    )
    async with running(sys.executable, str(script)) as (process, client):
        await client.initialize()
        await goodbye(process, client)
        assert process.stderr
        assert (await process.stderr.read()).count(b"noise") == 2


async def test_over_tcp():
    process = await asyncio.create_subprocess_exec(*COMMAND, "--tcp", "0", stderr=asyncio.subprocess.PIPE)
    try:
        assert process.stderr
        line = (await asyncio.wait_for(process.stderr.readline(), FAR_SECONDS)).decode()
        host, _, port = line.rpartition(" ")[2].strip().rpartition(":")
        assert host == "127.0.0.1"
        client = RawClient(*await asyncio.open_connection(host, int(port)))
        await client.initialize()
        assert await goodbye(process, client) == 0
    finally:
        if process.returncode is None:
            process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes are made otherwise there")
async def test_over_a_pipe(tmp_path: Path):
    path = str(tmp_path / "socket")
    connected: asyncio.Future[RawClient] = asyncio.Future()
    listener = await asyncio.start_unix_server(lambda *ends: connected.set_result(RawClient(*ends)), path)
    process = await asyncio.create_subprocess_exec(*COMMAND, "--pipe", path)
    try:
        client = await asyncio.wait_for(connected, FAR_SECONDS)
        await client.initialize()
        assert await goodbye(process, client) == 0
    finally:
        listener.close()
        if process.returncode is None:
            process.kill()


async def test_a_session_replayed_from_a_file(tmp_path: Path):
    session = tmp_path / "session"
    requests = [("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}}), ("shutdown", None)]
    session.write_bytes(
        b"".join(
            framed({"jsonrpc": "2.0", "id": at, "method": method, "params": params})
            for at, (method, params) in enumerate(requests)
        )
        + framed({"jsonrpc": "2.0", "method": "exit"})
    )
    answers = tmp_path / "answers"
    with session.open("rb") as stdin, answers.open("wb") as stdout:
        process = await asyncio.create_subprocess_exec(*COMMAND, stdin=stdin, stdout=stdout)
        assert await asyncio.wait_for(process.wait(), FAR_SECONDS) == 0
    assert answers.read_bytes().count(b"Content-Length") == 2


async def test_addresses_are_told_as_clients_take_them():
    process = await asyncio.create_subprocess_exec(*COMMAND, "--tcp", "[::1]:0", stderr=asyncio.subprocess.PIPE)
    try:
        assert process.stderr
        line = (await asyncio.wait_for(process.stderr.readline(), FAR_SECONDS)).decode()
        if "waits for a client" not in line:
            pytest.skip(f"there is no IPv6 here: {line.strip()}")
        assert re.fullmatch(r"\[::1\]:[1-9]\d*", line.rpartition(" ")[2].strip())
    finally:
        process.kill()
        await process.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no shell for it")
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
async def test_standard_streams_that_are_closed(closed: str):
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_shell(f"{shlex.join(COMMAND)} {closed}", stdin=pipe, stderr=pipe)
    _, told = await asyncio.wait_for(process.communicate(), FAR_SECONDS)
    assert process.returncode == 2
    assert told.decode() == "Error: standard input or output is closed: editors talk to 'snd lsp' over them\n"


@pytest.mark.parametrize(("way", "content"), sample(product(["file", "pipe"], [b"\0" * 100, b"y\n" * 50]), 3))
async def test_what_says_no_message_is_not_read_for_ever(tmp_path: Path, content: bytes, way: str):
    """The pipe stays open: the server ends by itself. The file is longer than what it reads."""
    much = content * 40_000
    (tmp_path / "input").write_bytes(much)
    with (tmp_path / "input").open("rb") as file:
        pipe = asyncio.subprocess.PIPE
        stdin = file if way == "file" else pipe
        process = await asyncio.create_subprocess_exec(*COMMAND, stdin=stdin, stdout=pipe, stderr=pipe)
        if process.stdin is not None:
            process.stdin.write(much)
        assert process.stderr
        told = await asyncio.wait_for(process.stderr.read(), FAR_SECONDS)
        assert await asyncio.wait_for(process.wait(), FAR_SECONDS) == 1
    assert b"this is no client: " in told


@pytest.mark.parametrize("content", [None, b"", b"hello\n"], ids=["device", "empty", "prose"])
async def test_no_client_at_all(tmp_path: Path, content: bytes | None):
    path = Path(os.devnull) if content is None else tmp_path / "input"
    if content is not None:
        path.write_bytes(content)
    pipe = asyncio.subprocess.PIPE
    with path.open("rb") as stdin:
        process = await asyncio.create_subprocess_exec(*COMMAND, stdin=stdin, stdout=pipe, stderr=pipe)
    said, told = await asyncio.wait_for(process.communicate(), FAR_SECONDS)
    assert process.returncode == 1
    assert (b'"code": -32700' in said) if content else said == b""
    assert told.count(b"\n") == (2 if content else 1)
    assert b"no client sent 'initialize'" in told
