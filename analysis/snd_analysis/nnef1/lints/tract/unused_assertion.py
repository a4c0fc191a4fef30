from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.base import Problem, Rule, Severity, Span
from snd_analysis.nnef1.lints.definitions import definitions, extensions
from snd_analysis.nnef1.names import spelled_names
from snd_analysis.nnef1.syntax import nodes

UNUSED_ASSERTION = Rule("unused-assertion", section="tool", severity=Severity.WARNING)
_NAME = re.compile(r"[^\W\d][\w.]*(?:/[^\W\d][\w.]*)*")
_FUNCTIONS = frozenset(["min", "max", "broadcast", "floor"])
_SCENARIO = re.compile(r"\s*[\w.]+\s*:")


def check_assertions(document: nodes.Document) -> Iterator[Problem]:
    """Yield symbols that are declared twice, and assertions about symbols that no extent of the graph mentions."""
    symbols: set[str] = set()
    used: set[str] | None = None
    for start, extension in extensions(document):
        span = Span(extension.at, extension.at + len(extension.text)).shifted(start)
        if extension.name.text == "tract_symbol":
            if extension.text in symbols:
                message = f"'{extension.text}' is declared again: tract makes another symbol of it"
                yield Problem(UNUSED_ASSERTION, span, message)
            symbols.add(extension.text)
        elif extension.name.text == "tract_assert":
            text = _SCENARIO.sub("", extension.text, count=1)
            names = {each for each in _NAME.findall(text) if each not in _FUNCTIONS}
            if used is None:
                used = _names_in_shapes(document)
            if names and not names & used:
                listed = ", ".join(f"'{each}'" for each in sorted(names))
                message = f"no shape of the graph depends on {listed}, so that this assertion says nothing"
                yield Problem(UNUSED_ASSERTION, span, message)


def _names_in_shapes(document: nodes.Document) -> set[str]:
    """Return every name in the graph: names of symbols are among them."""
    found: set[str] = set()
    for graph in definitions(document, "graph"):
        for entry in graph.body or ():
            found |= spelled_names(entry)
    return found
