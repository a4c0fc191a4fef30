"""What tract reads of a file: the graph, and the fragments that it invokes. Others are never looked at."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import descendants
from snd_analysis.nnef1.lints.definitions import assignments, definitions
from snd_analysis.nnef1.syntax import nodes


def statements_reached(document: nodes.Document) -> Iterator[tuple[int, nodes.Assignment]]:
    """Yield the statements of the graph and of all fragments that it invokes, each with what its spans count from."""
    fragments: dict[str, nodes.Definition] = {}
    for each in definitions(document, "fragment"):
        fragments.setdefault(each.head.name.text, each)
    pending = [*definitions(document, "graph")]
    while pending:
        for start, statement in assignments(pending.pop()):
            yield start, statement
            for node in descendants(statement.value):
                # The body of a scan is named by a string.
                name = node.function.text if isinstance(node, nodes.Call) else getattr(node, "value", None)
                if isinstance(name, str) and name in fragments:
                    pending.append(fragments.pop(name))


def calls_reached(document: nodes.Document) -> Iterator[tuple[int, nodes.Call]]:
    """Yield the invocations among these."""
    for start, statement in statements_reached(document):
        for node in descendants(statement.value):
            if isinstance(node, nodes.Call):
                yield start, node
