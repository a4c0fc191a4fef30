"""Text to tree. It never fails: any text gives a tree and the problems found (invariant 2)."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis.base import Problem
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.automaton import Automaton, read_expression
from snd_analysis.skriptnd.syntax.builder import TreeBuilder
from snd_analysis.skriptnd.syntax.damage import with_damage
from snd_analysis.skriptnd.syntax.recovery import Recovery
from snd_analysis.skriptnd.syntax.tokens import Tokens, tokenize


class Parsed(Struct, frozen=True):
    """A tree, its tokens, and its problems. Spans count from the start of the text."""

    document: nodes.Document
    tokens: Tokens
    problems: tuple[Problem, ...]


def parse(text: str) -> Parsed:
    """Parse a whole text (2.16)."""
    tokens = tokenize(text)
    automaton = Automaton(text, tokens.tokens, "document")
    recovery = Recovery(automaton)
    while not automaton.advance():
        recovery.recover()
    document = automaton.stacks.values[-1]
    assert isinstance(document, nodes.Document)
    problems = automaton.problems(tokens)
    return Parsed(with_damage(document, problems, text), tokens, tuple(problems))


def parse_expression(text: str) -> tuple[nodes.Expression, tuple[Problem, ...]]:
    """Return the single expression in a text (2.16), and its problems. Never fails."""
    builder = TreeBuilder(text, read_expression)
    return read_expression(builder, 0, len(text)), tuple(builder.problems)
