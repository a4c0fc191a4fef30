"""Checks of a file as a whole: the order of its parts, and the names that its definitions share (2.15, 2.16)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.base.problem import Note, Problem
from snd_analysis.base.text import Span
from snd_analysis.skriptnd.lints.rule import Rule
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
                yield Problem("misplaced-header", item.span.shifted(placed.start), f"{what} before {before}")
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
                    "duplicate-version", span, "a document has one version", (Note(first, "the first is here"),)
                )
                continue
            first = span
            if not _VERSION.fullmatch(item.number):
                message = f"'{item.number}' is no version: it consists of two integers, as in 'version 2.0;'"
                yield Problem("malformed-version", span, message)


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
            yield Problem("duplicate-operator", name.span.shifted(base), message, (note,))
        else:
            first[name.text] = (base, definition)
    broken = any(isinstance(item, nodes.ErrorItem) for placed in tree.chunks for item in placed.chunk.document.items)
    if is_main(path) and not graphs and not broken:
        message = "the main module of a model must contain a graph"
        yield Problem("main-without-graph", Span(0, 0), message)


_VERSIONED = """\
version 2.0;
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.exp(x); }
}
"""

MALFORMED_VERSION = Rule(
    name="malformed-version",
    summary="The version of a document is not two integers with a point between them.",
    why="It names an edition of the language, such as 2.0: it is no real number, though it looks like one.",
    bad=_VERSIONED.replace("2.0", "2"),
    good=_VERSIONED,
    section="2.16",
)

DUPLICATE_VERSION = Rule(
    name="duplicate-version",
    summary="A document has two version statements.",
    why="The version says how the whole document is to be read, so there can be but one.",
    bad=_VERSIONED.replace("version 2.0;", "version 2.0;\nversion 2.1;"),
    good=_VERSIONED,
    section="2.16",
)

MISPLACED_HEADER = Rule(
    name="misplaced-header",
    summary="A version, extension or import statement stands below something that it has to stand above.",
    why=(
        "A file begins with its version, followed by extensions, imports and definitions, in this order: whoever reads "
        "it knows from its first lines what it needs."
    ),
    bad="""\
graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.exp(x); }
}

import math;
""",
    good="""\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.exp(x); }
}
""",
    section="2.16",
)


MAIN_WITHOUT_GRAPH = Rule(
    name="main-without-graph",
    summary="A file named `main.sknd` contains no graph.",
    why=(
        "The main module is what a model consists of, and its graph is what gets executed. A module of operators "
        "needs another name."
    ),
    bad="""\
# file: main.sknd
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}
""",
    good="""\
# file: main.sknd
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = double(x); }
}
""",
    section="2.15",
)


DUPLICATE_OPERATOR = Rule(
    name="duplicate-operator",
    summary="A module has two definitions of one name.",
    why=(
        "Operators and graphs of a module share one space of names, and there is no overloading: where types differ, "
        "declare a generic one in `@dtype`. Invocations mean the first of the two."
    ),
    bad="""\
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}

operator double {
    @input { x: int[n]; }
    @output { y: int[n]; }
    @lower { y[i,] = 2 * x[i,], i < n; }
}
""",
    good="""\
operator double {
    @dtype { T: num; }
    @input { x: T[n]; }
    @output { y: T[n]; }
    @lower { y[i,] = T(2) * x[i,], i < n; }
}
""",
    section="2.15",
)
