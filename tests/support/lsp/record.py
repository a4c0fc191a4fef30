r"""Recording of typing from a description that a reader can follow.

A description is the text of a program in the order of typing, line by line, with other actions in between:

- ``⟨wrong⟩`` in a line: typed, and taken back by as many backspaces;
- ``% caret SNIPPET``: the caret goes behind the last place of a snippet; ``% caret`` alone: to the end of the text;
- ``% type TEXT``: typed without ending the line; ``\n`` ends one;
- ``% delete SNIPPET``, ``% replace SNIPPET => TEXT``: the last place of a snippet is selected, and replaced by typing;
- ``% paste`` up to ``% pasted``: the lines between come at once, at the caret;
- ``% cut SNIPPET => SNIPPET``: from the one up to before the other; ``% paste cut`` puts it where the caret is;
- ``% undo N``, ``% redo N``: the last changes, a word at a time;
- ``% hover SNIPPET``, ``% complete LABEL``, ``% rename SNIPPET => NAME``, ``% action SNIPPET => TITLE``, ``% format``:
  requests to the server, whose answers are applied;
- ``% check``: the visible state must equal that of a fresh server.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from support.lsp.editing import replaced
from support.lsp.habits import CODE
from support.lsp.replay import Event, Replay

_WRONG = re.compile(r"⟨([^⟩]*)⟩")
_GROUP = re.compile(r"\S+|\s+")
_RESTS = 0.1
"""Share of words behind which typing pauses, if they do not end their line."""


def record(description: str) -> tuple[list[Event], str]:
    """Return the events of a description, and the program that results from them; this asks a server of its own."""
    recorder = _Recorder()
    try:
        recorder.follow(description)
    except BaseException:
        recorder.replay.kill()
        raise
    recorder.replay.close()
    return recorder.events, recorder.replay.text


class _Recorder:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.replay = Replay(CODE, every=1_000_000, compares=False)
        self._random = random.Random(6)
        self._done: list[tuple[str, str]] = []
        self._undone: list[tuple[str, str]] = []
        self._clipboard = ""

    def follow(self, description: str) -> None:
        """Follow the steps of a description."""
        lines = iter(description.splitlines())
        for line in lines:
            if not line.startswith("% "):
                self._type(line + "\n")
                self._add({"rest": True})
                continue
            command, _, rest = line[2:].partition(" ")
            before = self.replay.text
            if line == "% paste":
                pasted = "".join(f"{each}\n" for each in iter(lambda: next(lines), "% pasted"))
                self._edit(self.replay.caret, self.replay.caret, pasted)
            else:
                getattr(self, f"_{command}")(rest)
            if command not in ("undo", "redo", "type") and self.replay.text != before:
                self._done.append((before, self.replay.text))
                self._undone.clear()
            self._add({"rest": True})

    # ---- commands ----------------------------------------------------------------------------------------------------
    def _type(self, text: str) -> None:
        for at, piece in enumerate(_WRONG.split(text.replace("\\n", "\n"))):
            for group in _GROUP.findall(piece):
                before = self.replay.text
                self._add({"type": group})
                if at % 2 == 0:
                    self._done.append((before, self.replay.text))
                if self._random.random() < _RESTS:
                    self._add({"rest": True})
            if at % 2:
                self._add({"rest": True})
                self._add({"back": len(piece)})
        self._undone.clear()

    def _caret(self, snippet: str) -> None:
        self._add({"caret": self._find(snippet) + len(snippet) if snippet else len(self.replay.text)})

    def _delete(self, snippet: str) -> None:
        start = self._find(snippet)
        self._edit(start, start + len(snippet.replace("\\n", "\n")), "")

    def _replace(self, rest: str) -> None:
        snippet, new = self._pair(rest)
        self._delete(snippet)
        self._type(new)

    def _cut(self, rest: str) -> None:
        first, behind = self._pair(rest)
        start = self._find(first)
        end = self.replay.text.index(behind, start) if behind else len(self.replay.text)
        self._clipboard = self.replay.text[start:end]
        self._edit(start, end, "")

    def _paste(self, rest: str) -> None:
        assert rest == "cut"
        self._edit(self.replay.caret, self.replay.caret, self._clipboard)

    def _undo(self, count: str) -> None:
        for _ in range(int(count)):
            before, after = self._done.pop()
            self._undone.append((before, after))
            self._become(before)

    def _redo(self, count: str) -> None:
        for _ in range(int(count)):
            before, after = self._undone.pop()
            self._done.append((before, after))
            self._become(after)

    def _hover(self, snippet: str) -> None:
        self._add({"hover": self._find(snippet) + 1})

    def _complete(self, label: str) -> None:
        self._serve("complete", label)

    def _rename(self, rest: str) -> None:
        snippet, name = self._pair(rest)
        self._serve("rename", [self._find(snippet) + 1, name])

    def _action(self, rest: str) -> None:
        snippet, title = self._pair(rest)
        start = self._find(snippet)
        self._serve("action", [start, start + len(snippet), title])

    def _format(self, rest: str) -> None:
        self._serve("format", True)

    def _check(self, rest: str) -> None:
        self._add({"check": True})

    # ---- events ------------------------------------------------------------------------------------------------------
    def _serve(self, kind: str, value: Any) -> None:
        edits = self.replay.serve(kind, value)
        assert edits, f"the server does nothing: {kind} {value}"
        self.replay.edit(edits)
        self.events.append({kind: value, "edits": edits})

    def _edit(self, start: int, end: int, text: str) -> None:
        self._add({"caret": end})
        self._add({"edit": [(start, end, text)]})

    def _become(self, text: str) -> None:
        """Go to another text by the one replacement that makes it of this one."""
        now, start = self.replay.text, 0
        while start < min(len(now), len(text)) and now[start] == text[start]:
            start += 1
        end = 0
        while end < min(len(now), len(text)) - start and now[-1 - end] == text[-1 - end]:
            end += 1
        edit = (start, len(now) - end, text[start : len(text) - end])
        assert replaced(now, [edit]) == text
        self._edit(*edit)

    def _add(self, event: Event) -> None:
        self.replay.play(event)
        last = self.events[-1] if self.events else {}
        if "type" in event and "type" in last:
            last["type"] += event["type"]
        elif not ("rest" in event and "rest" in last):
            self.events.append(dict(event))

    def _find(self, snippet: str) -> int:
        snippet = snippet.replace("\\n", "\n")
        found = self.replay.text.rfind(snippet)
        assert found >= 0, f"'{snippet}' is nowhere in\n{self.replay.text}"
        return found

    @staticmethod
    def _pair(rest: str) -> tuple[str, str]:
        first, _, second = rest.partition(" =>")
        return first, second.removeprefix(" ")


def lines_of(events: list[Event]) -> Iterator[str]:
    """Return a recording in its stored form: an event on each line."""
    return (json.dumps(each, ensure_ascii=False) + "\n" for each in events)
