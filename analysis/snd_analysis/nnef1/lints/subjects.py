"""The subjects of checks, and the parts of a document that checks look at."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache

from msgspec import Struct

from snd_analysis.base import descendants
from snd_analysis.nnef1.syntax import Nnef1SyntaxTree, nodes

REMEMBERED_STATEMENTS = 1 << 14
"""Number of statements for which each check caches its finding."""


class File(Struct, frozen=True):
    """A file of any dialect: the subject of some checks, as are the classes below."""

    tree: Nnef1SyntaxTree
    operations: Collection[str]
    """Names of the operations of NNEF 1.0."""


class KhronosFile(Struct, frozen=True):
    """A file of the dialect of the specification."""

    document: nodes.Document


class TractFile(Struct, frozen=True):
    """A file of the dialect of tract."""

    document: nodes.Document


class FileWithoutErrors(Struct, frozen=True):
    """A file without errors, with the tensor files of its model."""

    tree: Nnef1SyntaxTree
    files: Collection[str]
    read: Collection[str]
    """Tensor files that the variables of the graph read."""


class FileWithArchives(Struct, frozen=True):
    """A file with the faults of tensor files that hold several tensors; none of their tensors is known."""

    tree: Nnef1SyntaxTree
    faults: Collection[str]


def definitions(document: nodes.Document, kind: str) -> Iterator[nodes.Definition]:
    """Yield the fragments or graphs of a document."""
    return (each for each in document.items if isinstance(each, nodes.Definition) and each.head.kind == kind)


def extensions(document: nodes.Document) -> Iterator[tuple[int, nodes.Extension]]:
    """Yield the extensions of a document, each with the offset that its spans count from."""
    for each in document.items:
        if isinstance(each, nodes.Placed) and isinstance(each.item, nodes.Extension):
            yield each.start, each.item


def assignments(definition: nodes.Definition) -> Iterator[tuple[int, nodes.Assignment]]:
    """Yield the statements of a body, each with the offset that its spans count from."""
    for entry in definition.body or ():
        for statement in entry.statements:
            if isinstance(statement, nodes.Assignment):
                yield entry.start, statement


@lru_cache(maxsize=1)
def statements_reached(document: nodes.Document) -> tuple[tuple[int, nodes.Assignment], ...]:
    """Return the statements that tract reads, each with the offset of its spans.

    These are the statements of the graph and of all invoked fragments; tract ignores other definitions.
    """
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
