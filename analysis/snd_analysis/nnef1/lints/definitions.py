"""The parts of a document that rules look at."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.nnef1.syntax import nodes


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
