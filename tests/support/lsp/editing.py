"""What an editor does with a text: edits, carets, and the edits that a server answers with."""

from __future__ import annotations

import re
from typing import Any

Replacement = tuple[int, int, str]
"""A start, an end, and the text that stands there instead."""

_PLACEHOLDER = re.compile(r"\$\{\d+:([^}]*)\}|\$\d+|\\([$}\\])")


def templates(text: str, encoding: str) -> int:
    """The length of a text in the units of a position encoding."""
    if encoding == "utf-32":
        return len(text)
    return len(text.encode("utf-8")) if encoding == "utf-8" else len(text.encode("utf-16-le")) // 2


def place(text: str, offset: int, encoding: str) -> dict[str, int]:
    """The position of an offset; lines end at line feeds."""
    start = text.rfind("\n", 0, offset) + 1
    return {"line": text.count("\n", 0, offset), "character": templates(text[start:offset], encoding)}


def offset_of(text: str, position: dict[str, int], encoding: str) -> int:
    """The offset of a position."""
    start = 0
    for _ in range(position["line"]):
        start = text.index("\n", start) + 1
    end = start
    while end < len(text) and templates(text[start:end], encoding) < position["character"]:
        end += 1
    return end


def replacements(text: str, edits: list[dict[str, Any]], encoding: str) -> list[Replacement]:
    """Edits of the protocol, in the order in which they stand in the text."""
    found = [
        (
            offset_of(text, each["range"]["start"], encoding),
            offset_of(text, each["range"]["end"], encoding),
            each["newText"],
        )
        for each in edits
    ]
    return sorted(found)


def replaced(text: str, edits: list[Replacement]) -> str:
    """The text after edits, none of which touches another."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def moved(offset: int, edits: list[Replacement]) -> int:
    """Where an offset is after edits; behind what was put there."""
    return offset + sum(len(new) - (end - start) for start, end, new in edits if end <= offset)


def edits_of(answer: dict[str, Any], uri: str) -> list[dict[str, Any]]:
    """The edits of a document in a workspace edit, which must be about that document alone."""
    if "documentChanges" in answer:
        assert {each["textDocument"]["uri"] for each in answer["documentChanges"]} == {uri}
        return [edit for each in answer["documentChanges"] for edit in each["edits"]]
    assert set(answer["changes"]) == {uri}
    found: list[dict[str, Any]] = answer["changes"][uri]
    return found


def accepted(answer: dict[str, Any], label: str) -> list[dict[str, Any]]:
    """The edits by which a completion is accepted, with the placeholders of its snippet as they stand there."""
    items = {each["label"]: each for each in reversed(answer["items"])}
    assert label in items, f"{label} is not among {[*items]}"
    item = items[label]
    edit = item.get("textEdit") or {
        "range": answer["itemDefaults"]["editRange"],
        "newText": item.get("textEditText", item["label"]),
    }
    new = edit["newText"]
    if item.get("insertTextFormat") == 2:
        new = _PLACEHOLDER.sub(lambda found: found[1] or found[2] or "", new)
    return [{"range": edit.get("range") or edit["insert"], "newText": new}, *item.get("additionalTextEdits", ())]
