"""The parts of a document, in their order: the version, extensions, fragments, one graph."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Span
from snd_analysis.nnef1.lints.definitions import definitions
from snd_analysis.nnef1.syntax import Dialect, SyntaxTree, nodes
from snd_analysis.skriptnd.lints import DUPLICATE_VERSION, MAIN_WITHOUT_GRAPH, MALFORMED_VERSION, MISPLACED_HEADER

_VERSION = re.compile(r"\d+\.\d+")
_NEWEST = (1, 0)
_ORDER = ("version", "extension", "fragment", "graph")
_MESSAGES = (
    "the version must be the first statement",
    "extensions stand before fragments and the graph",
    "fragments stand before the graph",
)


def check_structure(tree: SyntaxTree, dialect: Dialect) -> Iterator[Problem]:
    """Yield items that are missing, repeated or out of order. tract accepts any version and empty lists."""
    items = tree.document.items
    yield from _versions(items, dialect)
    yield from _order(items)
    graphs = [*definitions(tree.document, "graph")]
    if not graphs and not any(_is_broken(each) for each in items):
        end = len(tree.text.rstrip())
        yield Problem(MAIN_WITHOUT_GRAPH, Span(end, end), "a file in NNEF 1.0 ends with its graph, and there is none")
    if dialect is Dialect.KHRONOS:
        for definition in (*definitions(tree.document, "fragment"), *graphs[:1]):
            yield from _empty(definition)


def _versions(items: tuple[nodes.Item, ...], dialect: Dialect) -> Iterator[Problem]:
    found = [
        (each.item.span.shifted(each.start), each.item.number)
        for each in items
        if isinstance(each, nodes.Placed) and isinstance(each.item, nodes.Version)
    ]
    if not found and not any(_is_broken(each) for each in items):
        yield Problem(MALFORMED_VERSION, Span(0, 0), "a file begins with its version: 'version 1.0;'")
    for span, number in found[:1]:
        if not _VERSION.fullmatch(number):
            message = f"'{number}' is no version: it consists of two integers, as in 'version 1.0;'"
            yield Problem(MALFORMED_VERSION, span, message)
        elif dialect is Dialect.KHRONOS and tuple(map(int, number.split("."))) > _NEWEST:
            yield Problem(MALFORMED_VERSION, span, f"the version is {number}, but NNEF 1.0 is read up to version 1.0")
    for span, _ in found[1:]:
        yield Problem(DUPLICATE_VERSION, span, "a document has one version", (Note(found[0][0], "the first is here"),))


def _order(items: tuple[nodes.Item, ...]) -> Iterator[Problem]:
    latest, has_version = 0, False
    for each in items:
        match each:
            case nodes.Placed(start=start, item=nodes.Version() | nodes.Extension() as item):
                rank, span = int(isinstance(item, nodes.Extension)), item.span.shifted(start)
            case nodes.Definition(start=start, head=head):
                rank, span = _ORDER.index(head.kind), head.name.span.shifted(start)
            case _:
                continue
        if rank == 0 and has_version:
            continue
        has_version = has_version or rank == 0
        if rank < latest:
            yield Problem(MISPLACED_HEADER, span, _MESSAGES[rank])
        latest = max(latest, rank)


def _empty(definition: nodes.Definition) -> Iterator[Problem]:
    head, span = definition.head, definition.head.name.span.shifted(definition.start)
    what = next(
        (name for name, found in (("parameters", head.parameters), ("results", head.results)) if not found),
        "statements" if definition.body == () else None,
    )
    if what is not None:
        message = f"'{head.name.text}' has no {what}: NNEF 1.0 demands one or more"
        yield Problem(rules.SYNTAX_ERROR, span, message)


def _is_broken(item: nodes.Item) -> bool:
    return isinstance(item, nodes.Placed) and isinstance(item.item, nodes.ErrorItem)
