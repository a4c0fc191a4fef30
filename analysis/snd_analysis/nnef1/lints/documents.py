"""Rules about the items of a document, their names and their order: version, extensions, fragments, one graph."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Span, descendants
from snd_analysis.nnef1.lints.subjects import (
    REMEMBERED_STATEMENTS,
    File,
    FileWithoutErrors,
    KhronosFile,
    assignments,
    calls_in,
    definitions,
)
from snd_analysis.nnef1.syntax import Dialect, nodes
from snd_analysis.rules import check_of
from snd_analysis.skriptnd.lints import (
    DEAD_OPERATION,
    DUPLICATE_VERSION,
    MAIN_WITHOUT_GRAPH,
    MALFORMED_VERSION,
    MISPLACED_HEADER,
    UNUSED_VARIABLE,
)

_VERSION = re.compile(r"\d+\.\d+")
_NEWEST = (1, 0)
_ORDER = ("version", "extension", "fragment", "graph")
_MISPLACED = (
    "the version must be the first statement",
    "extensions stand before fragments and the graph",
    "fragments stand before the graph",
)


@check_of(File)
def _structure(file: File) -> Iterator[Problem]:
    """Yield items that are missing, repeated or out of order. tract accepts any version and empty lists."""
    tree, dialect = file.tree, file.tree.dialect
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
            yield Problem(MISPLACED_HEADER, span, _MISPLACED[rank])
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


@check_of(File)
def _duplicates(file: File) -> Iterator[Problem]:
    """Yield repeated declarations: fragments, also of the names of operations, parameters, results, graphs."""
    document = file.tree.document
    operations = file.operations if file.tree.dialect is Dialect.KHRONOS else ()
    known: dict[str, Span] = {}
    for fragment in definitions(document, "fragment"):
        name, span = fragment.head.name.text, fragment.head.name.span.shifted(fragment.start)
        if name in operations:
            yield Problem(rules.DUPLICATE_DEFINITION, span, f"'{name}' is an operation of NNEF 1.0 already")
        elif name in known:
            note = Note(known[name], f"the fragment '{name}' is defined here")
            yield Problem(rules.DUPLICATE_DEFINITION, span, f"there is a fragment '{name}' already", (note,))
        known.setdefault(name, span)
        yield from _declared_twice(fragment, (*fragment.head.parameters, *fragment.head.results))
    graphs = [*definitions(document, "graph")]
    for graph in graphs[1:]:
        span = graph.head.name.span.shifted(graph.start)
        note = Note(graphs[0].head.name.span.shifted(graphs[0].start), "this is the graph")
        yield Problem(rules.DUPLICATE_DEFINITION, span, "a file has one graph, and this is another", (note,))
    for graph in graphs:
        yield from _declared_twice(graph, graph.head.parameters)
        yield from _declared_twice(graph, graph.head.results)


def _declared_twice(
    definition: nodes.Definition, declared: Collection[nodes.Parameter | nodes.Result]
) -> Iterator[Problem]:
    names: set[str] = set()
    for each in declared:
        if each.name.text in names:
            span = each.name.span.shifted(definition.start)
            yield Problem(rules.DUPLICATE_DEFINITION, span, f"'{each.name.text}' is declared already")
        names.add(each.name.text)


@check_of(KhronosFile)
def _order_of_fragments(file: KhronosFile) -> Iterator[Problem]:
    """Yield fragments that are used before they are defined."""
    document = file.document
    places = {
        each.head.name.text: each.head.name.span.shifted(each.start)
        for each in reversed([*definitions(document, "fragment")])
    }
    for fragment in definitions(document, "fragment"):
        end = fragment.start + fragment.head.name.end
        for start, statement in assignments(fragment):
            for name in (call.function for call in calls_in(statement)):
                place = places.get(name.text)
                if place is not None and place.start > end:
                    note = Note(place, f"'{name.text}' is defined here")
                    message = f"the fragment '{name.text}' is defined further down only"
                    yield Problem(rules.USED_BEFORE_DEFINITION, name.span.shifted(start), message, (note,))


@check_of(FileWithoutErrors)
def _unused_names(file: FileWithoutErrors) -> Iterator[Problem]:
    """Yield the statements of the graph without effect. Exporters to tract leave such statements."""
    for graph in definitions(file.tree.document, "graph") if file.tree.dialect is Dialect.KHRONOS else ():
        yield from _unused(graph)


def _unused(graph: nodes.Definition) -> Iterator[Problem]:
    """Yield the statements of a graph whose results are all unused. An update has an effect by itself."""
    used = {each.name.text for declared in (graph.head.parameters, graph.head.results) for each in declared}
    found = [*assignments(graph)]
    used = used.union(*(_read_in(statement) for _, statement in found))
    for start, statement in found:
        names = _assigned_in(statement)
        if not names or any(each.text in used for each in names):
            continue
        function = statement.value.function.text if isinstance(statement.value, nodes.Call) else ""
        if function != "update":
            rule = UNUSED_VARIABLE if function == "variable" else DEAD_OPERATION
            yield Problem(rule, names[0].span.shifted(start), f"'{names[0].text}' is never used")


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _read_in(statement: nodes.Assignment) -> frozenset[str]:
    return frozenset(node.text for node in descendants(statement.value) if isinstance(node, nodes.Identifier))


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _assigned_in(statement: nodes.Assignment) -> tuple[nodes.Identifier, ...]:
    return tuple(node for node in descendants(statement.target) if isinstance(node, nodes.Identifier))
