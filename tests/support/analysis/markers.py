"""Fixtures that say where names lead, in comments below the lines they are about, which are taken out before.

    y = add(x, x);
    #       ^ is x, from x

Carets mark a span of the line above; behind them stand claims, separated by commas:

- ``is NAME``: this place is the declaration NAME, or whatever else others lead to
- ``from NAME``: what stands here is declared at NAME; NAME may be ``nothing``, a module (``snd:math``) or a name in one
  of the library (``snd:math.add``)
- ``type NAME``: its type, or what it comes from, is at NAME
- ``does NAME``: what it does is at NAME
- ``becomes WORD``: it can be called WORD
- ``never becomes WORD: REASON``: it can't, and the message holds REASON
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from snd_analysis.base import Location, Span

_MARKER = re.compile(r"^[ \t]*#[ \t]*(?P<carets>\^+)[ \t]+(?P<claims>.+?)[ \t]*$")
_CLAIM = re.compile(
    r"(?P<verb>is|from|type|does|becomes|never becomes) (?P<name>[^:,]+(?::[\w.]+)?)(?:: (?P<reason>.+))?"
)


@dataclass(frozen=True)
class Claim:
    """The claim of a fixture about a place."""

    place: Location
    verb: str
    name: str
    reason: str = ""


def without_claims(files: Mapping[str, str]) -> tuple[dict[str, str], list[Claim]]:
    """Return the files of a fixture without their claims, and all claims, in order."""
    texts: dict[str, str] = {}
    claims: list[Claim] = []
    for path, text in files.items():
        kept: list[str] = []
        for line in text.splitlines(keepends=True):
            marker = _MARKER.match(line.rstrip("\n"))
            if marker is None:
                kept.append(line)
                continue
            start = sum(map(len, kept[:-1]))
            span = Span(start + marker.start("carets"), start + marker.end("carets"))
            claims += _claims(Location(path, span), marker["claims"])
        texts[path] = "".join(kept)
    return texts, claims


def _claims(place: Location, text: str) -> Iterator[Claim]:
    for part in re.split(r", (?=(?:is|from|type|does|becomes|never becomes) )", text):
        claim = _CLAIM.fullmatch(part)
        assert claim is not None, f"{place.path}: {part!r} says nothing"
        yield Claim(place, claim["verb"], claim["name"], claim["reason"] or "")
