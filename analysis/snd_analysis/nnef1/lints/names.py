"""Names of tensors that nothing uses, and fragments that are used above their definitions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from snd_analysis import rules
from snd_analysis.base import Note, Problem, descendants
from snd_analysis.nnef1.lints.definitions import assignments, definitions
from snd_analysis.nnef1.lints.reached import REMEMBERED_STATEMENTS, calls_in
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.lints import DEAD_OPERATION, UNUSED_VARIABLE


def check_order(document: nodes.Document) -> Iterator[Problem]:
    """Yield fragments that are used before they are defined."""
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


def check_unused_names(document: nodes.Document) -> Iterator[Problem]:
    """Yield the statements of the graph without effect."""
    for graph in definitions(document, "graph"):
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
