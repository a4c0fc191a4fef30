"""Snippets of VS Code as the text that they insert when every place is left unchanged."""

from __future__ import annotations

import re

_PLACE = re.compile(r"\$(?:(?P<plain>\d+)|\{(?P<number>\d+)(?P<kind>[}:|]))")
_ESCAPED = re.compile(r"\\([\\$}])")


def expanded(body: str) -> str:
    """Return the text with the default of each placeholder, at all places of its number.

    Raise ValueError if unclosed.
    """
    defaults: dict[str, str] = {}
    text, end = _text(body, 0, defaults, inside=False)
    assert end == len(body)
    return text


def _text(body: str, at: int, defaults: dict[str, str], inside: bool) -> tuple[str, int]:
    parts: list[str] = []
    while at < len(body):
        if inside and body[at] == "}":
            return "".join(parts), at + 1
        escaped, place = _ESCAPED.match(body, at), _PLACE.match(body, at)
        if escaped:
            parts.append(escaped[1])
            at = escaped.end()
        elif place:
            default, at = _default(body, place, defaults)
            parts.append(defaults.setdefault(place["plain"] or place["number"], default))
        else:
            parts.append(body[at])
            at += 1
    if inside:
        raise ValueError(f"a place is not closed: {body}")
    return "".join(parts), at


def _default(body: str, place: re.Match[str], defaults: dict[str, str]) -> tuple[str, int]:
    match place["kind"]:
        case ":":
            return _text(body, place.end(), defaults, inside=True)
        case "|":
            end = body.index("|}", place.end())
            return body[place.end() : end].split(",")[0], end + 2
    number = place["plain"] or place["number"]
    return defaults.get(number, ""), place.end()
