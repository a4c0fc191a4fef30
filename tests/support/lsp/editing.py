"""Actions of an editor on a text: edits, carets, and the edits in answers of a server."""

from __future__ import annotations

import re
from typing import Any

Replacement = tuple[int, int, str]
"""A start, an end, and the text that stands there instead."""

_PLACEHOLDER = re.compile(r"\$\{\d+:([^}]*)\}|\$\d+|\\([$}\\])")


def templates(text: str, encoding: str) -> int:
    """Return the length of a text in the units of a position encoding."""
    if encoding == "utf-32":
        return len(text)
    return len(text.encode("utf-8")) if encoding == "utf-8" else len(text.encode("utf-16-le")) // 2


def place(text: str, offset: int, encoding: str) -> dict[str, int]:
    """Return the position of an offset; lines end at line feeds."""
    start = text.rfind("\n", 0, offset) + 1
    return {"line": text.count("\n", 0, offset), "character": templates(text[start:offset], encoding)}


def offset_of(text: str, position: dict[str, int], encoding: str) -> int:
    """Return the offset of a position."""
    start = 0
    for _ in range(position["line"]):
        start = text.index("\n", start) + 1
    end = start
    while end < len(text) and templates(text[start:end], encoding) < position["character"]:
        end += 1
    return end


def replacements(text: str, edits: list[dict[str, Any]], encoding: str) -> list[Replacement]:
    """Return edits of the protocol, in the order of the text."""
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
    """Return the text after edits that do not touch each other."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def moved(offset: int, edits: list[Replacement]) -> int:
    """Return an offset after edits; behind text that was inserted there."""
    return offset + sum(len(new) - (end - start) for start, end, new in edits if end <= offset)


def edits_of(answer: dict[str, Any], uri: str) -> list[dict[str, Any]]:
    """Return the edits of a document in a workspace edit, which must concern that document alone."""
    if "documentChanges" in answer:
        assert {each["textDocument"]["uri"] for each in answer["documentChanges"]} == {uri}
        return [edit for each in answer["documentChanges"] for edit in each["edits"]]
    assert set(answer["changes"]) == {uri}
    found: list[dict[str, Any]] = answer["changes"][uri]
    return found


def accepted(answer: dict[str, Any], label: str) -> list[dict[str, Any]]:
    """Return the edits that accept a completion, with the placeholders of its snippet as plain text."""
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
