"""A session of the language server, a message per line, whose bytes are anything: it costs these messages only."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from support.lsp.in_process import ServerThread
from support.lsp.protocol_texts import BLOCKS, MAIN, RIGHT
from support.lsp.raw_client import RawClient, framed, goodbye

_URI = "untitled:main.sknd"
_SOUND = "untitled:sound.sknd"
_INTERNAL_ERROR = -32603
_AT = {"textDocument": {"uri": _URI}, "position": {"line": 5, "character": 26}}
_WHOLE = {
    "textDocument": {"uri": _URI},
    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 7, "character": 0}},
}
_OPTIONS = {"options": {"tabSize": 4, "insertSpaces": True}}
_MESSAGES: list[tuple[str, Any]] = [
    *((f"textDocument/{each}", _AT) for each in (
        "hover", "signatureHelp", "completion", "definition", "declaration", "typeDefinition", "implementation",
        "documentHighlight", "prepareRename", "prepareCallHierarchy",
    )),
    *((f"textDocument/{each}", {"textDocument": {"uri": _URI}}) for each in (
        "diagnostic", "documentSymbol", "documentLink", "foldingRange", "codeLens", "semanticTokens/full",
    )),
    ("textDocument/references", {**_AT, "context": {"includeDeclaration": True}}),
    ("textDocument/selectionRange", {"textDocument": {"uri": _URI}, "positions": [_AT["position"]]}),
    ("textDocument/rename", {**_AT, "newName": "other"}),
    ("textDocument/inlayHint", _WHOLE),
    ("textDocument/semanticTokens/range", _WHOLE),
    ("textDocument/semanticTokens/full/delta", {"textDocument": {"uri": _URI}, "previousResultId": "1"}),
    ("textDocument/codeAction", {**_WHOLE, "context": {"diagnostics": []}}),
    ("textDocument/formatting", {"textDocument": {"uri": _URI}, **_OPTIONS}),
    ("textDocument/rangeFormatting", {**_WHOLE, **_OPTIONS}),
    ("textDocument/onTypeFormatting", {**_AT, "ch": "}", **_OPTIONS}),
    ("workspace/symbol", {"query": "ma"}),
    ("workspace/diagnostic", {"previousResultIds": []}),
    ("completionItem/resolve", {"label": "x", "data": {"uri": _URI}}),
    ("codeLens/resolve", {"range": _WHOLE["range"], "data": [_URI, 1]}),
    ("snd/composedGraph", {"textDocument": {"uri": _URI}, "graph": "main", "decompose": True}),
    ("snd/graphView", {"textDocument": {"uri": _URI}, "graph": "main"}),
    ("snd/syntaxTree", {"textDocument": {"uri": _URI}}),
    ("snd/samples", {"textDocument": {"uri": _URI}}),
]  # fmt: skip


def seeds() -> Sequence[bytes]:
    """Sessions in which all is right."""
    program = BLOCKS + MAIN.replace("import blocks;\n", "").replace("blocks.", "")
    item = {"uri": _URI, "languageId": "skriptnd", "version": 1, "text": program}
    opening = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    change = {"range": {"start": {"line": 4, "character": 18}, "end": {"line": 4, "character": 19}}, "text": "z"}
    changing = {
        "jsonrpc": "2.0",
        "method": "textDocument/didChange",
        "params": {"textDocument": {"uri": _URI, "version": 2}, "contentChanges": [change]},
    }
    closing = {"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": _URI}}}
    cancelling = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 2}}
    found = []
    for at in range(0, len(_MESSAGES), 3):
        asked = [
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            for number, (method, params) in enumerate(_MESSAGES[at : at + 3], 1)
        ]
        found.append("\n".join(map(json.dumps, [opening, *asked, changing, cancelling, closing])).encode())
    return found


class _Client(RawClient):
    """Keeps the last answer of each number: what was sent may ask twice with the same one."""

    async def request(self, method: str, params: object = None) -> dict[str, Any]:
        """Send a request and wait for the answer."""
        return await self.answer(_ask(self, method, params))

    def keep(self, message: dict[str, Any]) -> None:
        """Keep the answer to a request, by whatever the request is known."""
        self.answers[json.dumps(message["id"])] = message


class Waits:
    """The longest time for which a request about another document waited for its answer."""

    longest = 0.0


def attack(content: bytes) -> None:
    """Raise AssertionError if the server answers anything twice, with a fault, or does not go on."""
    logging.disable(logging.CRITICAL)
    try:
        asyncio.run(_session(content))
    finally:
        logging.disable(logging.NOTSET)


async def _session(content: bytes) -> None:
    ours, its = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    server, client = ServerThread(its), _Client(reader, writer)
    try:
        await client.initialize(capabilities={"textDocument": {"diagnostic": {}}})
        client.open(_SOUND, RIGHT)
        for line in filter(None, content.splitlines()):  # a message of no bytes ends the session
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(line), line))
        if any(word in content for word in (b"shutdown", b"exit")):  # no word of these is in a seed
            return
        begin = time.monotonic()
        answer = await client.request("textDocument/diagnostic", {"textDocument": {"uri": _SOUND}})
        Waits.longest = max(Waits.longest, time.monotonic() - begin)
        assert answer["result"]["items"] == [], answer
        assert await client.request("textDocument/foldingRange", {"textDocument": {"uri": _SOUND}})
        faults = [each for each in client.answers.values() if each.get("error", {}).get("code") == _INTERNAL_ERROR]
        assert not faults, faults[0]
        assert await goodbye(server, client) == 0  # type: ignore[arg-type]
    finally:
        writer.close()
        with suppress(RuntimeError):  # it has ended
            server.terminate()


def _ask(client: RawClient, method: str, params: object) -> str:
    """Send a request under a name that no message at random has."""
    identity = f"sound {method}"
    client.writer.write(framed({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}))
    return json.dumps(identity)
