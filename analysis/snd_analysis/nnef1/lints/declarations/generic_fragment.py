from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from snd_analysis.base import Problem, Rule, descendants
from snd_analysis.nnef1.lints.definitions import definitions
from snd_analysis.nnef1.lints.reached import REMEMBERED_STATEMENTS
from snd_analysis.nnef1.syntax import nodes

GENERIC_FRAGMENT = Rule("generic-fragment", section="NNEF 1.0, 3.1")


def check_generic_fragments(document: nodes.Document) -> Iterator[Problem]:
    """Yield generic types that are used without being declared, or declared without being used."""
    for fragment in definitions(document, "fragment"):
        head, start = fragment.head, fragment.start
        used = next((node for each in (*head.parameters, *head.results) for node in _uses(each)), None)
        if head.generic is None:
            if used is not None:
                message = f"'?' is a type of generic fragments only: write 'fragment {head.name.text}<?>'"
                yield Problem(GENERIC_FRAGMENT, used.span.shifted(start), message)
            for base, node in _uses_in_body(fragment):
                message = f"'{head.name.text}' is not generic, so that '?' stands for no type in it"
                yield Problem(GENERIC_FRAGMENT, node.span.shifted(base), message)
        elif head.generic.default is not None and head.generic.default.text == "?":
            message = "the default of a generic type is 'integer', 'scalar', 'logical' or 'string'"
            yield Problem(GENERIC_FRAGMENT, head.generic.default.span.shifted(start), message)
        elif used is None:
            message = f"'{head.name.text}' is generic, but none of its parameters and results is of the type '?'"
            yield Problem(GENERIC_FRAGMENT, head.generic.span.shifted(start), message)
    for graph in definitions(document, "graph"):
        for base, node in _uses_in_body(graph):
            yield Problem(GENERIC_FRAGMENT, node.span.shifted(base), "'?' stands for a type in generic fragments only")


def _uses(node: nodes.Node) -> Iterator[nodes.Node]:
    return (each for each in descendants(node) if isinstance(each, nodes.PrimitiveType) and each.text == "?")


def _uses_in_body(definition: nodes.Definition) -> Iterator[tuple[int, nodes.Node]]:
    for entry in definition.body or ():
        for statement in entry.statements:
            for node in _uses_in_statement(statement):
                yield entry.start, node


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _uses_in_statement(statement: nodes.Statement) -> tuple[nodes.Node, ...]:
    return tuple(_uses(statement))
