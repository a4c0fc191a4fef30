"""Names that are declared twice: of fragments, of their parameters and results, and the graph itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Span
from snd_analysis.nnef1.lints.definitions import definitions
from snd_analysis.nnef1.syntax import nodes


def check_duplicates(document: nodes.Document, operations: Collection[str]) -> Iterator[Problem]:
    """Yield repeated declarations: fragments, also of the names of ``operations``, parameters, results, graphs."""
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
