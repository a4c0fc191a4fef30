"""Answers that are asked for together.

After an edit, each answer about a file looks at all that it depends on. Of the answers about many definitions, all but
one mostly hold: a query that has some of them is one look in place of many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")

_TOGETHER = 8
"""Size of a group. For a hundred answers, an edit checks twelve groups, and the members of one."""


def groups(items: Sequence[_Item]) -> Iterator[tuple[_Item, ...]]:
    """Yield all items, some at a time: the same together as long as none comes or goes before them."""
    return (tuple(items[at : at + _TOGETHER]) for at in range(0, len(items), _TOGETHER))
