"""Checks of a file as a whole: the order of its parts, and the names that its definitions share (2.15, 2.16)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.base.problem import Note, Problem
from snd_analysis.base.text import Span
from snd_analysis.skriptnd.names.modules import is_main
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.chunks import SyntaxTree

_VERSION = re.compile(r"\d+\.\d+")


def check_items(tree: SyntaxTree) -> Iterator[Problem]:
    """The parts of a document and their order: version, extensions, imports, definitions."""
    yield from _check_versions(tree)
    seen, latest, order = False, 0, {nodes.Version: 0, nodes.Extension: 1, nodes.Import: 2, nodes.Definition: 3}
    for placed in tree.chunks:
        for item in placed.chunk.document.items:
            rank = order.get(type(item))
            if rank is None:
                continue
            if rank == 0 and seen:
                continue  # that it is a second one is enough
            seen = seen or rank == 0
            if rank < latest:
                what = {0: "the version stands", 1: "extensions stand", 2: "imports stand"}[rank]
                before = "everything else" if rank == 0 else "imports and definitions" if rank == 1 else "definitions"
                yield Problem(rules.MISPLACED_HEADER, item.span.shifted(placed.start), f"{what} before {before}")
            latest = max(latest, rank)


def _check_versions(tree: SyntaxTree) -> Iterator[Problem]:
    first: Span | None = None
    for placed in tree.chunks:
        for item in placed.chunk.document.items:
            if not isinstance(item, nodes.Version):
                continue
            span = item.span.shifted(placed.start)
            if first is not None:
                yield Problem(
                    rules.DUPLICATE_VERSION, span, "a document has one version", (Note(first, "the first is here"),)
                )
                continue
            first = span
            if not _VERSION.fullmatch(item.number):
                message = f"'{item.number}' is no version: it consists of two integers, as in 'version 2.0;'"
                yield Problem(rules.MALFORMED_VERSION, span, message)


def check_definitions(path: str, tree: SyntaxTree) -> Iterator[Problem]:
    """Two definitions of one name, and a main module without a graph."""
    first: dict[str, tuple[int, nodes.Definition]] = {}
    graphs = 0
    for base, definition in tree.definitions:
        graphs += definition.kind == "graph"
        name = definition.name
        if not name.text:
            continue
        if name.text in first:
            earlier_base, earlier = first[name.text]
            note = Note(earlier.name.span.shifted(earlier_base), f"the {earlier.kind} '{name.text}' is defined here")
            message = f"this module has a definition of the name '{name.text}' already"
            yield Problem(rules.DUPLICATE_OPERATOR, name.span.shifted(base), message, (note,))
        else:
            first[name.text] = (base, definition)
    broken = any(isinstance(item, nodes.ErrorItem) for placed in tree.chunks for item in placed.chunk.document.items)
    if is_main(path) and not graphs and not broken:
        message = "the main module of a model must contain a graph"
        yield Problem(rules.MAIN_WITHOUT_GRAPH, Span(0, 0), message)


_VERSIONED = """\
version 2.0;
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.exp(x); }
}
"""
