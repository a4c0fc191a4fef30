"""Replays how somebody typed, over the wire, as the editor with these habits would show it to the server.

A recording is a list of events, each an object with one of the keys

- ``type``: letters, typed one after the other at the caret; ``back``: how many are taken back;
- ``caret``: an offset to which the caret goes;
- ``edit``: replacements that are made together, such as those of undoing, pasting or moving lines;
- ``rest``: typing pauses; ``hover``: an offset at which the mouse rests;
- ``complete``, ``rename``, ``action``, ``format``: what the server is asked to do, with ``edits``: what it does;
- ``check``: everything that can be seen is what a fresh server shows.
"""

from __future__ import annotations

import re
import sys
import time
from collections import defaultdict
from typing import Any

from support.benchmarks.wire import Wire
from support.lsp import watched_server
from support.lsp.editing import Replacement, accepted, edits_of, moved, place, replaced, replacements
from support.lsp.habits import Habits
from support.lsp.watched_server import REST

URI = "untitled:typed"
_TRIGGERS = {".": "completion", "@": "completion", "(": "signatureHelp", "{": "signatureHelp", ",": "signatureHelp"}
_WORD = re.compile(r"[A-Za-z_]\w*")
_AT_POSITION = ("hover", "completion", "signatureHelp", "documentHighlight", "prepareRename")
_SHOWN = ("documentSymbol", "foldingRange", "semanticTokens/full", "documentLink", "inlayHint")
_OUTDATED = (-32800, -32801, -32802)
_LINES_SEEN = 50

Event = dict[str, Any]


class Replay:
    """An editor, a document in it, and two servers: one that sees it grow, and one that sees it only when compared.

    ``latencies`` are the seconds from each request to its answer, by method; those of ``keystroke to diagnostics``
    begin with a letter. With ``every`` above 1, only one in so many of the requests that editors make by themselves is
    made.
    """

    def __init__(self, habits: Habits, *, every: int = 1, compares: bool = True) -> None:
        self.text = ""
        self.caret = 0
        self.latencies: defaultdict[str, list[float]] = defaultdict(list)
        self._habits = habits
        self._every = every
        self._count = 0
        self._version = 1
        self._edited: float | None = None
        """Time of the last edit, if no request followed."""
        self._tokens: str | None = None
        self._encoding = "utf-16"
        self._wire = self._begin()
        self._wire.open(URI, "")
        self._fresh = self._begin() if compares else None

    def play(self, event: Event) -> None:
        """Play an event, and assert that the server does the same as when the event was recorded."""
        (kind,) = (key for key in event if key != "edits")
        value = event[kind]
        match kind:
            case "type":
                self.type(value)
            case "back":
                self.back(value)
            case "caret":
                self.caret = value
            case "edit":
                self.edit([(start, end, new) for start, end, new in value])
            case "rest":
                self.rest()
            case "hover":
                self.hover(value)
            case "check":
                self.check()
            case _:
                self.edit(self._served(kind, value, [(start, end, new) for start, end, new in event["edits"]]))

    def close(self) -> None:
        """End the servers, which must have nothing to complain of."""
        told = [each for each in self._wire.notifications if each["method"] == "window/logMessage"]
        assert not told, told
        for each in (self._wire, self._fresh):
            if each is not None:
                each.close()

    def kill(self) -> None:
        """End the servers, even while they work."""
        for each in (self._wire, self._fresh):
            if each is not None:
                each.process.kill()
                each.process.wait()

    # ---- the hands ---------------------------------------------------------------------------------------------------
    def type(self, letters: str) -> None:
        """Type letters at the caret."""
        for letter in letters:
            self.edit([(self.caret, self.caret, letter)])
            self._typed(letter)

    def back(self, count: int) -> None:
        """Take letters back."""
        for _ in range(count):
            self.edit([(self.caret - 1, self.caret, "")])

    def edit(self, edits: list[Replacement]) -> None:
        """Make replacements at once; the caret stays at its place in the text, or behind an insertion there."""
        if not edits:
            return
        self._version += 1
        changes = [
            {"range": self._range(start, end), "text": new} for start, end, new in sorted(edits, reverse=True)
        ]  # each is a change of what the one before left: from behind, nothing moves
        document = {"uri": URI, "version": self._version}
        self._edited = time.perf_counter()
        self._wire.send("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        self.text, self.caret = replaced(self.text, edits), moved(self.caret, edits)

    def hover(self, offset: int) -> None:
        """Rest the mouse."""
        self._ask("hover", offset)

    # ---- requests that editors make by themselves
    # -----------------------------------------------------------------------
    def _typed(self, letter: str) -> None:
        before = self.text[: self.caret]
        words = _WORD.findall(before[before.rfind("\n") + 1 :])
        begins = letter.isalpha() and not (before[-2:-1].isalnum() or before[-2:-1] == "_")
        asks = _TRIGGERS.get(letter)
        if letter.isalpha() and words and (begins or self._habits.every_letter):
            asks = "completion"
        if asks is None or not self._turn():
            return
        if self._count % 9 == 0:  # typing goes on without waiting
            identity = self._send(asks, self.caret)
            self._wire.send("$/cancelRequest", {"id": identity})
            answer = self._wire.answer(identity)
            assert "error" not in answer or answer["error"]["code"] in _OUTDATED, answer
        else:
            self._ask(asks, self.caret)

    def rest(self) -> None:
        """Typing pauses, and the editor looks after everything that it shows."""
        if not self._turn():
            return
        if self._count % 5 == 0:  # all at once, as editors do; to be measured, one at a time
            for identity in [self._send(method, self.caret) for method in self._habits.at_rest]:
                answer = self._wire.answer(identity)
                assert "error" not in answer or answer["error"]["code"] in _OUTDATED, answer
            return
        for method in self._habits.at_rest:
            answer = self._ask(method, self.caret)
            if method.startswith("semanticTokens"):
                self._tokens = answer["resultId"]

    def _turn(self) -> bool:
        self._count += 1
        return self._count % self._every == 0

    # ---- actions of the server
    # -------------------------------------------------------------------------------------------
    def serve(self, kind: str, value: Any) -> list[Replacement]:
        """Return the edits that the server answers with."""
        if kind == "complete":
            return replacements(self.text, accepted(self._ask("completion", self.caret), value), self._encoding)
        if kind == "rename":
            offset, name = value
            assert self._ask("prepareRename", offset) is not None
            answer = self._ask("rename", offset, newName=name)
            return replacements(self.text, edits_of(answer, URI), self._encoding)
        if kind == "action":
            start, end, title = value
            actions = self._ask("codeAction", start, end)
            (action,) = (each for each in actions if each["title"] == title)
            if "edit" not in action:
                action = self._wire.request("codeAction/resolve", action)
            return replacements(self.text, edits_of(action["edit"], URI), self._encoding)
        options = {"tabSize": 4, "insertSpaces": True}
        return replacements(self.text, self._ask("formatting", 0, options=options) or [], self._encoding)

    def _served(self, kind: str, value: Any, recorded: list[Replacement]) -> list[Replacement]:
        if (
            kind == "complete" and self._habits.editor != "visual-studio-code"
        ):  # the insertion depends on the abilities of that editor
            assert value in [each["label"] for each in self._ask("completion", self.caret)["items"]]
        else:
            assert self.serve(kind, value) == recorded, (kind, value)
        return recorded

    # ---- visible state -----------------------------------------------------------------------------------------------
    def check(self) -> None:
        """Check that the visible state of the document equals that of a fresh server with its text."""
        if self._fresh is None:
            return
        self._edited = None
        told = len(self._fresh.notifications)
        self._fresh.open(URI, self.text)
        for method in _SHOWN:
            assert self._shown(self._wire, method) == self._shown(self._fresh, method), method
        offsets = [found.start() for found in _WORD.finditer(self.text)]
        for offset in offsets[:: max(1, len(offsets) // 60)]:
            params = self._params("hover", offset)
            seen = [wire.request("textDocument/hover", params) for wire in (self._wire, self._fresh)]
            assert seen[0] == seen[1], self.text[offset : offset + 30]
        assert self._diagnostics(self._wire, 0) == self._diagnostics(self._fresh, told)
        self._fresh.send("textDocument/didClose", {"textDocument": {"uri": URI}})

    def _shown(self, wire: Wire, method: str) -> Any:
        whole = {"range": self._range(0, len(self.text))} if method == "inlayHint" else {}
        result = wire.request(f"textDocument/{method}", {"textDocument": {"uri": URI}, **whole})
        if isinstance(result, dict):
            result.pop("resultId", None)
        return result

    def _diagnostics(self, wire: Wire, told: int) -> list[Any]:
        """Return the diagnostics of the document.

        Without pulling, these are the ones published last after ``told`` notifications.
        """
        if self._habits.pulls:
            return wire.diagnostics(URI)
        wire.request(REST, None)
        said = [each["params"] for each in wire.notifications[told:] if each["method"].endswith("/publishDiagnostics")]
        return said[-1]["diagnostics"] if said else []

    # ---- the wire ----------------------------------------------------------------------------------------------------
    def _begin(self) -> Wire:
        wire = Wire([sys.executable, watched_server.__file__])
        wire.settings = {
            "evaluation": False
        }  # when values come is a matter of chance, and they have tests of their own
        answer = wire.initialize(self._habits.capabilities)
        self._encoding = answer["capabilities"]["positionEncoding"]
        return wire

    def _ask(self, method: str, start: int, end: int | None = None, **more: Any) -> Any:
        params = self._params(method, start, end, **more)
        started = time.perf_counter()
        result = self._wire.request(f"textDocument/{method}", params)
        ended = time.perf_counter()
        if method == "diagnostic" and self._edited is not None:
            self.latencies["keystroke to diagnostics"].append(ended - self._edited)
        else:
            self.latencies[method].append(ended - started)
        self._edited = None
        return result

    def _send(self, method: str, offset: int) -> int:
        self._edited = None
        return self._wire.ask(f"textDocument/{method}", self._params(method, offset))

    def _params(self, method: str, start: int, end: int | None = None, **more: Any) -> dict[str, Any]:
        params: dict[str, Any] = {"textDocument": {"uri": URI}, **more}
        if method in _AT_POSITION or method == "rename":
            params["position"] = place(self.text, start, self._encoding)
        elif method == "codeAction":
            params |= {"range": self._range(start, start if end is None else end), "context": {"diagnostics": []}}
        elif method == "inlayHint":
            line = place(self.text, start, self._encoding)["line"]
            ends = [max(0, line - _LINES_SEEN), line + _LINES_SEEN]
            params["range"] = {"start": {"line": ends[0], "character": 0}, "end": {"line": ends[1], "character": 0}}
        elif method == "semanticTokens/full/delta":
            params["previousResultId"] = self._tokens or ""
        return params

    def _range(self, start: int, end: int) -> dict[str, Any]:
        return {"start": place(self.text, start, self._encoding), "end": place(self.text, end, self._encoding)}
