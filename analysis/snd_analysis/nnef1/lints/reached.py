"""What tract reads of a file: the graph, and the fragments that it invokes. Others are never looked at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from snd_analysis.base import descendants
from snd_analysis.nnef1.lints.definitions import assignments, definitions
from snd_analysis.nnef1.syntax import nodes

REMEMBERED_STATEMENTS = 1 << 14
"""Statements of which what checks look for is kept, for each check."""


def statements_reached(document: nodes.Document) -> Iterator[tuple[int, nodes.Assignment]]:
    """Yield the statements of the graph and of all fragments that it invokes, each with what its spans count from."""
    fragments: dict[str, nodes.Definition] = {}
    for each in definitions(document, "fragment"):
        fragments.setdefault(each.head.name.text, each)
    pending = [*definitions(document, "graph")]
    while pending:
        for start, statement in assignments(pending.pop()):
            yield start, statement
            pending += [fragments.pop(name) for name in _names_of_fragments(statement) if name in fragments]


def calls_reached(document: nodes.Document) -> Iterator[tuple[int, nodes.Call]]:
    """Yield the invocations among these."""
    for start, statement in statements_reached(document):
        for call in calls_in(statement):
            yield start, call


# After an edit, all other statements are the same: what they have is known.
@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def calls_in(statement: nodes.Assignment) -> tuple[nodes.Call, ...]:
    """Return the invocations in a statement."""
    return tuple(node for node in descendants(statement.value) if isinstance(node, nodes.Call))


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _names_of_fragments(statement: nodes.Assignment) -> tuple[str, ...]:
    """What may name a fragment: the body of a scan is named by a string."""
    strings = (node.value for node in descendants(statement.value) if isinstance(node, nodes.String))
    return tuple(dict.fromkeys((*(call.function.text for call in calls_in(statement)), *strings)))
