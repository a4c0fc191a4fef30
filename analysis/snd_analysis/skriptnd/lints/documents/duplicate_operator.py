"""A module has two definitions of one name (2.15)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Note, Problem, Rule
from snd_analysis.skriptnd.syntax import SyntaxTree, nodes

DUPLICATE_OPERATOR = Rule("duplicate-operator", section="2.15")


def check(tree: SyntaxTree) -> Iterator[Problem]:
    """Report every definition whose name an earlier definition has."""
    first: dict[str, tuple[int, nodes.Definition]] = {}
    for base, definition in tree.definitions:
        name = definition.name
        earlier_base, earlier = first.setdefault(name.text, (base, definition))
        if earlier is not definition and name.text:
            note = Note(earlier.name.span.shifted(earlier_base), f"the {earlier.kind} '{name.text}' is defined here")
            message = f"this module has a definition of the name '{name.text}' already"
            yield Problem(DUPLICATE_OPERATOR, name.span.shifted(base), message, (note,))
