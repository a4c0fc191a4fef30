from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule
from snd_analysis.nnef1.lints.definitions import assignments, definitions
from snd_analysis.nnef1.syntax import nodes

SOURCE_IN_FRAGMENT = Rule("source-in-fragment", section="NNEF 1.0, 3.1")
_SOURCES = frozenset(["external", "variable", "update"])


def check_sources_in_fragments(document: nodes.Document) -> Iterator[Problem]:
    """Yield the inputs and variables that fragments declare."""
    for fragment in definitions(document, "fragment"):
        for start, statement in assignments(fragment):
            value = statement.value
            if isinstance(value, nodes.Call) and value.function.text in _SOURCES:
                message = f"'{value.function.text}' stands in the graph only, not in a fragment"
                yield Problem(SOURCE_IN_FRAGMENT, value.function.span.shifted(start), message)
