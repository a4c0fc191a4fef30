"""Messages that no client should send: each costs the message, and nothing else (invariant 15)."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from support.lsp import watched_server
from support.lsp.protocol_texts import BLOCKS, MAIN, RIGHT, UNKNOWN_NAME
from support.lsp.raw_client import RawClient, framed, goodbye, running
from support.sampling import sample
from support.waiting import SILENCE_SECONDS

PULLS = {"textDocument": {"diagnostic": {}}}


def graph(statements: int) -> str:
    """A graph that takes a while to look through."""
    lines = [f"        t{at + 1} = nn.relu(t{at});" for at in range(statements)]
    body = "\n".join(lines)
    return (
        "import nn;\n\ngraph main {\n    @input { t0: real[4]; }\n"
        f"    @output {{ t{statements}: real[4]; }}\n    @compose {{\n{body}\n    }}\n}}\n"
    )


def diagnostic(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}}


async def is_sound(client: RawClient) -> bool:
    """Return whether the server goes on to work."""
    client.open("untitled:sound", UNKNOWN_NAME)
    answer = await client.request("textDocument/diagnostic", diagnostic("untitled:sound"))
    client.send("textDocument/didClose", diagnostic("untitled:sound"))
    return [each["code"] for each in answer["result"]["items"]] == ["undefined-name"]


def cut(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    ends = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": ends[0], "end": ends[1]}, "text": text}


async def test_messages_that_are_none():
    async with running() as (process, client):
        await client.initialize(capabilities=PULLS)
        client.writer.write(b"Content-Length: 3\r\n\r\n{]}")
        assert (await client.answer(None))["error"]["code"] == -32700
        client.writer.write(b"Content-Length: 2\r\n\r\n{}" + b"Content-Length: 2\r\n\r\n[]")
        wrong = await client.request("textDocument/foldingRange", {"textDocument": 7})
        assert wrong["error"]["code"] == -32602
        unknown = await client.request("textDocument/brew", {})
        assert unknown["error"]["code"] == -32601
        client.send("$/nothing", {})
        client.send("textDocument/didOpen", {"textDocument": None})
        client.send("$/cancelRequest", {"id": 4711})
        assert await is_sound(client)
        assert await goodbye(process, client) == 0


async def test_half_a_character():
    """Strings of JavaScript may have half of a surrogate pair, which no text in UTF-8 has."""
    async with running() as (process, client):
        await client.initialize(capabilities=PULLS)
        client.open("untitled:half", "# \ud83d\n" + UNKNOWN_NAME)
        answer = await client.request("textDocument/diagnostic", diagnostic("untitled:half"))
        assert [each["code"] for each in answer["result"]["items"]] == ["undefined-name"]
        symbols = await client.request("textDocument/documentSymbol", diagnostic("untitled:half"))
        assert symbols["result"]
        assert await is_sound(client)
        assert await goodbye(process, client) == 0


@pytest.mark.parametrize(
    "header",
    sample([
        b"Content-Length: -5", b"Content-Length: 12345678901234567890", b"POST / HTTP/1.1", b"Content-Length: abc",
        b"Content-Length: 0", b"Content-Length:", b"rubbish", b"Content-Type: x\r\n", b"\0\0\0",
    ], 3),
)  # fmt: skip
async def test_what_is_no_header_ends_the_session(header: bytes):
    async with running() as (process, client):
        await client.initialize(capabilities=PULLS)
        client.writer.write(header + b"\r\n\r\n{}")
        assert (await client.answer(None, SILENCE_SECONDS))["error"]["code"] == -32700
        assert await asyncio.wait_for(process.wait(), SILENCE_SECONDS) == 1


async def test_a_wrong_length_ends_the_session():
    async with running() as (process, client):
        await client.initialize(capabilities=PULLS)
        message = framed({"jsonrpc": "2.0", "id": "x", "method": "workspace/symbol", "params": {"query": ""}})
        client.writer.write(message[:-5])
        client.writer.write(message * 3)
        assert await asyncio.wait_for(process.wait(), SILENCE_SECONDS) == 1
        assert client.answers[None]["error"]["code"] == -32700


@pytest.mark.parametrize("header", [b"content-length:%d\r\n", b"CONTENT-LENGTH : %d\r\nContent-Type: x; y=z\r\n"])
async def test_headers_in_other_ways_of_writing(header: bytes):
    async with running() as (process, client):
        await client.initialize(capabilities=PULLS)
        body = framed({"jsonrpc": "2.0", "id": "x", "method": "workspace/symbol", "params": {"query": ""}})
        body = body.partition(b"\r\n\r\n")[2]
        client.writer.write(header % len(body) + b"\r\n" + body)
        assert "result" in await client.answer("x", SILENCE_SECONDS)
        assert await goodbye(process, client) == 0


async def test_documents_that_are_not_open_and_texts_that_are_otherwise():
    async with running() as (process, client):
        await client.initialize(capabilities=PULLS)
        client.change("untitled:a", 2, {"text": "x"})
        client.send("textDocument/didClose", diagnostic("untitled:a"))
        for method in ("textDocument/foldingRange", "textDocument/formatting", "textDocument/definition"):
            params = {**diagnostic("untitled:a"), "position": {"line": 0, "character": 0}, "options": {
                "tabSize": 4, "insertSpaces": True}}  # fmt: skip
            assert (await client.request(method, params))["error"]["code"] == -32602
        client.open("untitled:a", RIGHT, 5)
        client.change("untitled:a", 3, {"text": UNKNOWN_NAME})  # a version that goes backwards
        answer = await client.request("textDocument/diagnostic", diagnostic("untitled:a"))
        assert [each["code"] for each in answer["result"]["items"]] == ["undefined-name"]
        client.change("untitled:a", 4, cut((99, 99), (0, 0), RIGHT), cut((7, 7), (9, 9), "# end"))
        answer = await client.request("textDocument/diagnostic", diagnostic("untitled:a"))
        assert answer["result"]["items"] == []
        beyond = {**diagnostic("untitled:a"), "position": {"line": 99, "character": 99}}
        assert "result" in await client.request("textDocument/definition", beyond)
        assert await is_sound(client)
        assert await goodbye(process, client) == 0


async def test_five_hundred_requests_are_cancelled():
    """One that is being answered, and others that wait for their turn."""
    async with running(sys.executable, watched_server.__file__) as (process, client):
        await client.initialize(capabilities=PULLS)
        client.open("untitled:long", graph(1_000))
        first = client.ask("textDocument/diagnostic", diagnostic("untitled:long"))
        client.send(watched_server.HOLD)
        asked = [client.ask("textDocument/diagnostic", diagnostic("untitled:long")) for _ in range(500)]
        for each in (first, *asked):
            client.send("$/cancelRequest", {"id": each})
        client.send(watched_server.GO_ON)
        assert {(await client.answer(each))["error"]["code"] for each in asked} == {-32800}
        answer = await client.answer(first)
        assert "result" in answer or answer["error"]["code"] == -32800
        assert await is_sound(client)
        assert await goodbye(process, client) == 0


async def test_a_long_question_holds_nothing_up():
    async with running() as (process, client):
        await client.initialize(capabilities=PULLS)
        client.open("untitled:short", RIGHT)
        await client.request("textDocument/diagnostic", diagnostic("untitled:short"))
        client.open("untitled:long", graph(1_500) + graph(10).replace("graph main", "graph other").partition("\n")[2])
        long = client.ask("textDocument/diagnostic", diagnostic("untitled:long"))
        client.change("untitled:long", 2, cut((0, 0), (0, 0), "# edited\n"))
        outdated = await client.answer(long)
        assert outdated["error"]["code"] == -32802
        assert outdated["error"]["data"] == {"retriggerRequest": True}
        again = client.ask("textDocument/diagnostic", diagnostic("untitled:long"))
        client.send("shutdown")  # no request: ignored
        answer = await client.request("textDocument/foldingRange", diagnostic("untitled:short"))
        assert answer["result"]
        assert (await client.answer(again))["result"]["items"] == []
        assert await goodbye(process, client) == 0


async def test_edits_while_the_workspace_is_checked(tmp_path: Path):
    for at in range(20):
        (tmp_path / f"main{at}.sknd").write_text(MAIN.replace("graph main", f"graph main{at}"))
    blocks = tmp_path / "blocks.sknd"
    blocks.write_text(BLOCKS)
    async with running() as (process, client):
        folders = [{"uri": tmp_path.as_uri(), "name": "here"}]
        await client.initialize(capabilities=PULLS, workspaceFolders=folders)
        client.open(blocks.as_uri(), BLOCKS)
        whole = client.ask("workspace/diagnostic", {"previousResultIds": []})
        for version in range(2, 302):
            letter = cut((1, 9), (1, 9), "q") if version % 2 == 0 else cut((1, 9), (1, 10), "")
            client.change(blocks.as_uri(), version, letter)
            if version % 50 == 0:
                await asyncio.sleep(0.01)
        answer = await client.answer(whole)
        assert len(answer["result"]["items"]) == 21
        known = [{"uri": each["uri"], "value": each["resultId"]} for each in answer["result"]["items"]]
        now = await client.request("workspace/diagnostic", {"previousResultIds": known})
        # whatever was seen on the way: in the end all is as it was
        left = [each["items"] for each in now["result"]["items"] if each["kind"] == "full"]
        assert not any(left)
        assert {each["version"] for each in now["result"]["items"] if each["uri"] == blocks.as_uri()} == {301}
        assert await is_sound(client)
        assert await goodbye(process, client) == 0


async def test_a_fault_is_logged_with_its_request_and_answered(tmp_path: Path):
    script = tmp_path / "faulty.py"
    script.write_text(
        "from snd_server.cli.lsp import lsp\n"
        "from snd_server.lsp.features import navigation\n"
        "async def fault(server, params): raise LookupError('nobody is perfect')\n"
        "def loud(server, params): raise LookupError('of a notification')\n"
        "before = navigation.register\n"
        "def register(server):\n"
        "    before(server)\n"
        "    server.handle('snd/fault', fault)\n"
        "    server.handle('snd/loud', loud)\n"
        "navigation.register = register\n"
        "lsp.main([], standalone_mode=False)\n"
    )
    async with running(sys.executable, str(script)) as (process, client):
        await client.initialize(capabilities=PULLS)
        answer = await client.request("snd/fault", {"of": "what"})
        assert answer["error"]["code"] == -32603
        assert "nobody is perfect" in answer["error"]["message"]
        client.send("snd/loud", {})
        assert await is_sound(client)
        logged = [each["params"]["message"] for each in client.others if each["method"] == "window/logMessage"]
        assert any("snd/fault" in each and "what" in each for each in logged)
        assert any("snd/loud" in each for each in logged)
        assert await goodbye(process, client) == 0
        assert process.stderr
        said = (await process.stderr.read()).decode()
        assert "snd/fault" in said
        assert "Traceback" in said


async def test_what_is_done_is_traced():
    async with running() as (process, client):
        await client.initialize(capabilities=PULLS, trace="messages")
        client.open("untitled:a", RIGHT)
        await client.request("textDocument/foldingRange", diagnostic("untitled:a"))
        client.send("$/setTrace", {"value": "verbose"})
        await client.request("textDocument/foldingRange", diagnostic("untitled:a"))
        client.send("$/setTrace", {"value": "off"})
        await client.request("textDocument/foldingRange", diagnostic("untitled:a"))
        traced = [each["params"] for each in client.others if each["method"] == "$/logTrace"]
        folding = [each for each in traced if each["message"].startswith("textDocument/foldingRange")]
        assert len(folding) == 2
        assert "verbose" not in folding[0] or folding[0]["verbose"] is None
        assert "untitled:a" in folding[1]["verbose"]
        assert await goodbye(process, client) == 0
