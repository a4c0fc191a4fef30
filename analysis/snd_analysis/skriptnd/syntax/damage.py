"""Damaged entries of a tree: entries whose intended meaning is unknown."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_SIGNATURE = (BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.OUTPUT)
_WORD = re.compile(r"[A-Za-z_]\w*")


def signature_is_damaged(definition: nodes.Definition) -> bool:
    """Return whether it is a guess which types, attributes, inputs and outputs a definition declares."""
    return any(
        isinstance(block, nodes.ErrorBlock)
        or (block.kind in _SIGNATURE and any(entry.damage is not None for entry in block.entries))
        for block in definition.blocks
    )


def with_damage(document: nodes.Document, problems: Iterable[Problem], text: str) -> nodes.Document:
    """Return a document in which every entry that contains one of ``problems`` is marked as damaged."""
    places = _places(problems)
    if not places:
        return document
    items = (_marked(item, places, text) if isinstance(item, nodes.Definition) else item for item in document.items)
    return nodes.Document(document.start, document.end, tuple(items))


def with_damaged_entries(
    entries: Iterable[nodes.Entry], problems: Iterable[Problem], text: str
) -> tuple[nodes.Entry, ...]:
    """Return the entries; those that contain one of ``problems`` are marked as damaged."""
    places = _places(problems)
    return tuple(_marked_entry(entry, places, text) for entry in entries)


def with_damage_of(entry: nodes.Entry, problems: Iterable[Problem], text: str) -> nodes.Entry:
    """Return the entry, marked as damaged if one of ``problems`` leaves its meaning open."""
    return _damaged(entry, text) if _places(problems) else entry


def _places(problems: Iterable[Problem]) -> list[Span]:
    """Return the sorted places of problems that leave the meaning open; a safe repair settles the meaning."""
    return sorted(item.span for item in problems if item.repair is None or not item.repair.safe)


def _marked(definition: nodes.Definition, places: Sequence[Span], text: str) -> nodes.Definition:
    blocks = tuple(
        nodes.Block(
            block.start, block.end, block.kind, block.keyword,
            nodes.Entries.of(_marked_entry(entry, places, text) for entry in block.entries),
        )
        if isinstance(block, nodes.Block) else block
        for block in definition.blocks
    )  # fmt: skip
    return nodes.Definition(
        definition.start, definition.end, definition.kind, definition.public, definition.name, blocks
    )


def _marked_entry(entry: nodes.Entry, places: Sequence[Span], text: str) -> nodes.Entry:
    if not isinstance(entry.statement, nodes.ErrorEntry) and not _has_place(entry, places):
        return entry
    return _damaged(entry, text)


def _damaged(entry: nodes.Entry, text: str) -> nodes.Entry:
    words = sorted(set(_WORD.findall(text, entry.start, entry.end)))
    return nodes.Entry(entry.start, entry.end, entry.statement, tuple(words))


def _has_place(entry: nodes.Entry, places: Sequence[Span]) -> bool:
    at = bisect_left(places, Span(entry.start, entry.start))
    while at < len(places) and places[at].start <= entry.end:
        if _stands_in(places[at], entry):
            return True
        at += 1
    return False


def _stands_in(place: Span, entry: nodes.Entry) -> bool:
    """Return whether a place belongs to an entry. Missing text between two entries belongs to the first."""
    if place.start == place.end:
        return entry.start < place.start <= entry.end
    return entry.start <= place.start < entry.end
