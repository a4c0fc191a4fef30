"""The definitions that tract reads: the graph, and the fragments that it invokes. tract ignores other definitions."""

from __future__ import annotations

from functools import lru_cache

from snd_analysis.base import descendants
from snd_analysis.nnef1.lints.definitions import assignments, definitions
from snd_analysis.nnef1.syntax import nodes

REMEMBERED_STATEMENTS = 1 << 14
"""Number of statements for which each check caches its finding."""


@lru_cache(maxsize=1)
def statements_reached(document: nodes.Document) -> tuple[tuple[int, nodes.Assignment], ...]:
    """Return the statements of the graph and of all invoked fragments, each with the offset of its spans."""
    fragments: dict[str, nodes.Definition] = {}
    for each in definitions(document, "fragment"):
        fragments.setdefault(each.head.name.text, each)
    pending, found = [*definitions(document, "graph")], list[tuple[int, nodes.Assignment]]()
    while pending:
        reached = [*assignments(pending.pop())]
        found += reached
        if fragments:
            names = [name for _, statement in reached for name in _names_of_fragments(statement)]
            pending += [fragments.pop(name) for name in names if name in fragments]
    return tuple(found)


# After an edit, all other statements are the same objects, so their results are cached.
@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def calls_in(statement: nodes.Assignment) -> tuple[nodes.Call, ...]:
    """Return the invocations in a statement."""
    return tuple(node for node in descendants(statement.value) if isinstance(node, nodes.Call))


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _names_of_fragments(statement: nodes.Assignment) -> tuple[str, ...]:
    """Return the names that may be fragments: invoked names and strings, since a string names the body of a scan."""
    strings = (node.value for node in descendants(statement.value) if isinstance(node, nodes.String))
    return tuple(dict.fromkeys((*(call.function.text for call in calls_in(statement)), *strings)))
