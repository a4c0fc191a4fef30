"""An operator has both ``@lower`` and ``@compose`` (2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Note, Problem, Rule
from snd_analysis.skriptnd.lints.blocks import first_blocks
from snd_analysis.skriptnd.syntax import nodes

LOWER_AND_COMPOSE = Rule("lower-and-compose", section="2.2")


def check(definition: nodes.Definition) -> Iterator[Problem]:
    """Report a definition that says twice how it is computed."""
    blocks = first_blocks(definition)
    if "lower" in blocks and "compose" in blocks:
        message = f"'{definition.name.text}' has both '@lower' and '@compose': one of them says how it is computed"
        notes = tuple(Note(blocks[kind].keyword, f"'@{kind}' is here") for kind in ("lower", "compose"))
        yield Problem(LOWER_AND_COMPOSE, definition.name.span, message, notes)
