"""A client that measures a language server: over pipes, one message at a time, as little as possible of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.benchmarks.programs import ROOT

# A session that ends at all has ended by then, however busy the machine is.
_FAR_SECONDS = 300

PULLS: dict[str, Any] = {
    "textDocument": {
        "diagnostic": {},
        "hover": {"contentFormat": ["markdown"]},
        "completion": {"completionItem": {"snippetSupport": True}},
    },
}


class Wire:
    """A running server and its messages."""

    def __init__(self, command: Sequence[str] = (sys.executable, "-m", "snd_server", "lsp")) -> None:
        packages = os.pathsep.join(str(ROOT / room) for room in ("analysis", "runtime", "server"))
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**kept, "PYTHONPATH": packages},
        )
        self.notifications: list[dict[str, Any]] = []
        """Notifications of the server."""
        self.settings: object = None
        """Settings of the client, for requests of the server."""
        self.received: Counter[str] = Counter()
        """Number of messages of the server for each method."""
        self._asked = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._versions: dict[str, int] = {}

    def initialize(self, capabilities: object = PULLS, folder: Path | None = None) -> Any:
        """Begin a session; return the abilities of the server."""
        folders = [] if folder is None else [{"uri": folder.as_uri(), "name": "here"}]
        params = {"processId": None, "rootUri": None, "capabilities": capabilities, "workspaceFolders": folders}
        able = self.request("initialize", params)
        self.send("initialized", {})
        return able

    def open(self, uri: str, text: str) -> None:
        """Open a document."""
        self._versions[uri] = 1
        item = {"uri": uri, "languageId": "skriptnd", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})

    def edit(self, uri: str, line: int, start: int, end: int, text: str) -> None:
        """Replace a part of a line."""
        self._versions[uri] += 1
        ends = [{"line": line, "character": character} for character in (start, end)]
        change = {"range": {"start": ends[0], "end": ends[1]}, "text": text}
        document = {"uri": uri, "version": self._versions[uri]}
        self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def diagnostics(self, uri: str) -> list[Any]:
        """Return the diagnostics of a document, as pulled."""
        found: list[Any] = self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"]
        return found

    def at(self, method: str, uri: str, line: int, character: int) -> Any:
        """Return the answer to a request about a position."""
        position = {"line": line, "character": character}
        return self.request(method, {"textDocument": {"uri": uri}, "position": position})

    def send(self, method: str, params: object) -> None:
        """Send a notification."""
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: object) -> int:
        """Send a request; returns its id."""
        self._asked += 1
        self._write({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        return self._asked

    def request(self, method: str, params: object) -> Any:
        """Send a request and waits for its result."""
        message = self.answer(self.ask(method, params))
        assert "error" not in message, message
        return message["result"]

    def answer(self, identity: int) -> Any:
        """Wait for the answer to a request; answers to others are kept until they are waited for."""
        while identity not in self._answers:
            message = self.receive()
            if "method" not in message:
                self._answers[message["id"]] = message
        return self._answers.pop(identity)

    def notified(self, method: str) -> Any:
        """Wait for a notification."""
        while (message := self.receive()).get("method") != method:
            pass
        return message.get("params")

    def receive(self) -> dict[str, Any]:
        """Wait for a message; all requests except those for settings are answered with null."""
        assert self.process.stdout
        length = 0
        while (header := self.process.stdout.readline()).strip():
            if header.startswith(b"Content-Length"):
                length = int(header.partition(b":")[2])
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        self.received[message.get("method", "")] += 1
        if "method" in message and "id" in message:
            asks_settings = message["method"] == "workspace/configuration"
            result = [self.settings] * len(message["params"]["items"]) if asks_settings else None
            self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif "method" in message:
            self.notifications.append(message)
        return message

    def resident_bytes(self) -> int:
        """Return the memory that the process holds; Linux only."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) * 1024

    def close(self) -> None:
        """End the session."""
        self.request("shutdown", None)
        self.send("exit", None)
        assert self.process.wait(_FAR_SECONDS) == 0
        for stream in (self.process.stdin, self.process.stdout):
            assert stream
            stream.close()

    def _write(self, message: object) -> None:
        body = json.dumps(message).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()
