"""A program typed letter by letter, with mistakes and their undoing, while the editor asks what editors ask.

Invariant 16 of ARCHITECTURE.md.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from support.lsp.raw_client import RawClient, goodbye, running

PROGRAM = """import nn, math;

# One head of attention.
operator attend {
    @attrib { scale: real = 0.5; }
    @input { q: real[b, n, d]; k: real[b, n, d]; v: real[b, n, d]; }
    @output { y: real[b, n, d]; }
    @compose {
        s = linalg.matmul{transposeB=true}(q, k);
        w = nn.softmax{axes=[2]}(math.mul(s, scale));
        y = linalg.matmul(w, v);
    }
}

graph main {
    @input { x: real[1, 8, 16]; }
    @output { y: real[1, 8, 16]; }
    @variable { gain: real[16]; }
    @compose {
        a = attend(x, x, x);
        y = math.add(a, x);
    }
}
"""
URI = "untitled:typed"
CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-32"]},
    "textDocument": {
        "diagnostic": {},
        "hover": {"contentFormat": ["markdown"]},
        "completion": {"completionItem": {"snippetSupport": True}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
    },
}
AT_POSITION = ("hover", "completion", "signatureHelp", "definition", "documentHighlight", "references")
WRONG = ("", "}", "(", "{", ";", "é😀", "\r\n", "@", '"', "#")
OF_DOCUMENT = ("diagnostic", "foldingRange", "documentSymbol", "semanticTokens/full", "documentLink")


def place(text: str, offset: int) -> dict[str, int]:
    return {"line": text.count("\n", 0, offset), "character": offset - (text.rfind("\n", 0, offset) + 1)}


class Typist:
    """Types into a document that stands open."""

    def __init__(self, client: RawClient, seed: int) -> None:
        self.text = ""
        self.asked: list[tuple[str, int]] = []
        self._client = client
        self._version = 1
        self._random = random.Random(seed)

    def replace(self, start: int, end: int, text: str) -> None:
        self._version += 1
        range_ = {"start": place(self.text, start), "end": place(self.text, end)}
        self._client.change(URI, self._version, {"range": range_, "text": text})
        self.text = self.text[:start] + text + self.text[end:]

    async def type(self, program: str) -> None:
        for letter in program:
            await asyncio.sleep(0)  # each letter is sent by itself
            self.replace(len(self.text), len(self.text), letter)
            if self._random.random() < 0.03:
                self._slip()
            if self._random.random() < 0.15:
                self._ask()

    def _slip(self) -> None:
        """Does something wrong anywhere, and undoes it."""
        start = self._random.randrange(len(self.text) + 1)
        end = min(len(self.text), start + self._random.choice([0, 0, 1, 5]))
        before, wrong = (
            self.text[start:end],
            self._random.choice(["", "}", "(", "{", ";", "é😀", "\r\n", "@", '"', "#"]),
        )
        self.replace(start, end, wrong)
        self._ask()
        self.replace(start, start + len(wrong), before)

    def _ask(self) -> None:
        method = self._random.choice([*AT_POSITION, *OF_DOCUMENT])
        params: dict[str, Any] = {"textDocument": {"uri": URI}}
        if method == "references":
            params["context"] = {"includeDeclaration": True}
        if method in AT_POSITION:
            params["position"] = place(self.text, self._random.choice([len(self.text), len(self.text) // 2]))
        self.asked.append((method, self._client.ask(f"textDocument/{method}", params)))


async def state(client: RawClient, uri: str) -> list[Any]:
    """Return the state of a document in the editor."""
    shown = []
    for method in OF_DOCUMENT:
        answer = await client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}})
        result = answer["result"]
        if isinstance(result, dict):
            result.pop("resultId", None)
        shown.append(result)
    return shown


@pytest.mark.parametrize("seed", range(2))
async def test_typed_is_as_opened(seed: int, tmp_path: Path):
    async with running() as (process, client):
        await client.initialize(capabilities=CAPABILITIES)
        client.open(URI, "")
        typist = Typist(client, seed)
        await typist.type(PROGRAM)
        allowed = {-32801, -32802}  # the text has changed meanwhile
        for method, identity in typist.asked:
            answer = await client.answer(identity)
            assert "error" not in answer or answer["error"]["code"] in allowed, (method, answer)
        assert typist.text == PROGRAM
        client.open("untitled:fresh", PROGRAM)
        assert await state(client, URI) == await state(client, "untitled:fresh")
        assert not [each for each in client.others if each["method"] == "window/logMessage"]
        assert await goodbye(process, client) == 0


@pytest.mark.parametrize("commands", [None, ["editor.action.triggerParameterHints"]])
async def test_accepting_an_operator_opens_parameter_hints_for_who_lists_their_command(commands: list[str] | None):
    text = "import nn;\n\ngraph f {\n    @input { x: real[4]; }\n    @compose {\n        y = nn.prel\n    }\n}\n"
    knows: dict[str, Any] = {"textDocument": {"completion": {"completionItem": {"snippetSupport": True}}}}
    async with running() as (_, client):
        await client.initialize(capabilities={**knows, "experimental": {"commands": commands}})
        client.open("untitled:main", text)
        at = {"textDocument": {"uri": "untitled:main"}, "position": {"line": 5, "character": 19}}
        answer = await client.request("textDocument/completion", at)
    item = next(each for each in answer["result"]["items"] if each["label"] == "prelu")
    assert item["textEdit"]["newText"] == "prelu(x, ${1:alpha});$0"
    assert item.get("command", {}).get("command") == (commands[0] if commands else None)
