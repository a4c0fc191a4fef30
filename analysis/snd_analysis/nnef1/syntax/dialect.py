"""Which dialect of NNEF 1.0 a text is written in."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from snd_analysis.base import descendants
from snd_analysis.nnef1.syntax import nodes


class Dialect(StrEnum):
    """What a text is written for."""

    KHRONOS = "khronos"
    """The text of NNEF 1.0, as Khronos' tools read it."""
    TRACT = "tract"
    """What tract reads and writes, and what torch_to_nnef writes for it."""


_PREFIX = "tract_"
_REMEMBERED = 1 << 14
"""Statements of which it is known: the question is asked of a whole file after each keystroke."""


def dialect_of(document: nodes.Document) -> Dialect:
    """Return the dialect of a text: tract's if it uses anything that only tract has."""
    return Dialect.TRACT if any(map(_is_of_tract, document.items)) else Dialect.KHRONOS


def _is_of_tract(item: nodes.Item) -> bool:
    if isinstance(item, nodes.Placed):
        return isinstance(item.item, nodes.Extension) and item.item.name.text.startswith(_PREFIX)
    if item.head.name.text.startswith(_PREFIX) or any(each.name.extended for each in item.head.parameters):
        return True
    return any(_has_name_of_tract(entry.statements) for entry in item.body or ())


@lru_cache(maxsize=_REMEMBERED)
def _has_name_of_tract(statements: tuple[nodes.Statement, ...]) -> bool:
    return any(
        isinstance(node, nodes.Identifier) and (node.extended or node.text.startswith(_PREFIX))
        for statement in statements
        for node in descendants(statement)
    )
