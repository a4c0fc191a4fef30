"""The dialect of NNEF 1.0 of a text."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from snd_analysis.base import descendants
from snd_analysis.nnef1.syntax import nodes


class Dialect(StrEnum):
    """Dialects of NNEF 1.0."""

    KHRONOS = "khronos"
    """The text of NNEF 1.0, as Khronos' tools read it."""
    TRACT = "tract"
    """The dialect that tract reads and writes, and that torch_to_nnef writes for it."""


_PREFIX = "tract_"
_REMEMBERED = 1 << 14
"""Number of statements with a cached answer: the dialect of a whole file is asked for after each keystroke."""


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
