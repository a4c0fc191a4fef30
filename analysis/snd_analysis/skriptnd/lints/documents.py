"""Rules about a file as a whole: the order of its parts, and the names of its definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from snd_analysis.base import Edit, Note, Problem, Repair, Rule, Severity, Span
from snd_analysis.rules import check_of
from snd_analysis.skriptnd.names import is_main
from snd_analysis.skriptnd.syntax import Chunk, SyntaxTree, nodes, string_parts, tokenize

DUPLICATE_OPERATOR = Rule("duplicate-operator", section="2.15")
DUPLICATE_VERSION = Rule("duplicate-version", section="2.16")
MAIN_WITHOUT_GRAPH = Rule("main-without-graph", section="2.15")
MALFORMED_VERSION = Rule("malformed-version", section="2.16")
MISPLACED_HEADER = Rule("misplaced-header", section="2.16")
MISSING_SPACE = Rule("missing-space", section="2.4", severity=Severity.HINT)


class Module(Struct, frozen=True):
    """The definitions of a file, taken together."""

    path: str
    tree: SyntaxTree


_VERSION = re.compile(r"\d+\.\d+")
_ORDER = {nodes.Version: 0, nodes.Extension: 1, nodes.Import: 2, nodes.Definition: 3}
_MISPLACED = (
    "the version must be the first statement",
    "extensions stand before imports and definitions",
    "imports must stand above all definitions",
)
_TOUCHING = re.compile(r"\d\.\.\s*\(")


@check_of(SyntaxTree)
def _versions(tree: SyntaxTree) -> Iterator[Problem]:
    """Report the version of a document unless it is two integers, and all further versions."""
    spans = []
    for placed in tree.chunks:
        for item in placed.chunk.document.items:
            if isinstance(item, nodes.Version):
                spans.append(item.span.shifted(placed.start))
                if len(spans) == 1 and not _VERSION.fullmatch(item.number):
                    message = f"'{item.number}' is no version: it consists of two integers, as in 'version 2.0;'"
                    yield Problem(MALFORMED_VERSION, spans[0], message)
    for span in spans[1:]:
        yield Problem(DUPLICATE_VERSION, span, "a document has one version", (Note(spans[0], "the first is here"),))


@check_of(SyntaxTree)
def _misplaced_header(tree: SyntaxTree) -> Iterator[Problem]:
    """Report every statement that stands below a part that comes later. A second version breaks another rule."""
    has_version, latest = False, 0
    for placed in tree.chunks:
        for item in placed.chunk.document.items:
            rank = _ORDER.get(type(item))
            if rank is None or (rank == 0 and has_version):
                continue
            has_version = has_version or rank == 0
            if rank < latest:
                yield Problem(MISPLACED_HEADER, item.span.shifted(placed.start), _MISPLACED[rank])
            latest = max(latest, rank)


@check_of(Module)
def _duplicate_operator(module: Module) -> Iterator[Problem]:
    """Report every definition whose name an earlier definition has."""
    first: dict[str, tuple[int, nodes.Definition]] = {}
    for base, definition in module.tree.definitions:
        name = definition.name
        earlier_base, earlier = first.setdefault(name.text, (base, definition))
        if earlier is not definition and name.text:
            note = Note(earlier.name.span.shifted(earlier_base), f"the {earlier.kind} '{name.text}' is defined here")
            message = f"this module has a definition of the name '{name.text}' already"
            yield Problem(DUPLICATE_OPERATOR, name.span.shifted(base), message, (note,))


@check_of(Module)
def _main_without_graph(module: Module) -> Iterator[Problem]:
    """Report a main module without a graph, unless unparsed text may be one."""
    if not is_main(module.path) or any(definition.kind == "graph" for _, definition in module.tree.definitions):
        return
    items = (item for placed in module.tree.chunks for item in placed.chunk.document.items)
    if not any(isinstance(item, nodes.ErrorItem) for item in items):
        yield Problem(MAIN_WITHOUT_GRAPH, Span(0, 0), "the main module of a model must contain a graph")


@check_of(Chunk)
def _missing_space(chunk: Chunk) -> Iterator[Problem]:
    """Report integers that touch the dots of a repetition, as in ``1..(n)``. Spans count from the chunk."""
    text = chunk.text
    if _TOUCHING.search(text) is None or chunk.problems:
        return
    for span, written in _touching(text, 0):
        message = f"write a space between an integer and '..', as in '{written} ..(n)': '{written}.' is a real number"
        end = span.start + len(written)
        repair = Repair("insert the space", (Edit(Span(end, end), " "),))
        yield Problem(MISSING_SPACE, span, message, repair=repair)


def _touching(text: str, start: int) -> Iterator[tuple[Span, str]]:
    """Yield the places of integers with the dots after them, and the integers, in a part that begins at ``start``."""
    tokens = tokenize(text).tokens
    for number, dots in pairwise(tokens):
        if number.kind == "INT" and number.end == dots.start and _TOUCHING.match(text, number.end - 1):
            yield Span(number.start + start, dots.end + start), number.spelling(text)
    for token in tokens:
        if token.kind == "STRING":
            for span in _fields(text, token.start, token.end):
                yield from _touching(text[span.start : span.end], start + span.start)


def _fields(text: str, start: int, end: int) -> list[Span]:
    """Return the places of the expressions in a string literal."""
    found: list[Span] = []

    def read(start: int, end: int) -> nodes.Expression:
        found.append(Span(start, end))
        return nodes.ErrorExpression(start, end)

    string_parts(text, start, end, 0, [], read)
    return found
