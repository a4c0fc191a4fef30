"""One whole expression that stands somewhere in a text."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.samples.limits import DEEPEST_EXPRESSION
from snd_analysis.skriptnd.syntax import Automaton, Token, TreeBuilder, nodes, read_expression, tokenize


def read_single(text: str, start: int, end: int, problems: list[Problem]) -> nodes.Expression | None:
    """Return the expression that ``text[start:end]`` spells; None, and one more problem, if it is none."""
    tokens = tokenize(text, start, end)
    builder = TreeBuilder(text, read_expression)
    automaton = Automaton(text, tokens.tokens, "_expr", builder, end=end)
    accepted = automaton.advance()
    found = [*tokens.problems, *builder.problems]
    if found:
        problems.append(found[0])
        return None
    if not accepted:
        problems.append(_fault(text, automaton, start, end))
        return None
    value = automaton.stacks.values[-1]
    expression: nodes.Expression = value[0] if isinstance(value, list) else value
    deep = nodes.first_below(expression, DEEPEST_EXPRESSION)
    if deep is not None:
        problems.append(Problem(rules.NESTING_TOO_DEEP, deep.span, "this nests too deeply: split it up"))
        return None
    return expression


def _fault(text: str, automaton: Automaton, start: int, end: int) -> Problem:
    if automaton.too_deep:
        return Problem(rules.NESTING_TOO_DEEP, Span(start, end), rules.syntax.TOO_DEEP)
    token = automaton.token()
    if token.end > token.start:
        message = f"expected one expression, found '{token.spelling(text)}' in or after it"
        return Problem(rules.SAMPLE_SYNTAX, Span(token.start, token.end), message)
    last: Token | None = automaton.tokens[-1] if automaton.tokens else None
    if last is None:
        return Problem(rules.SAMPLE_SYNTAX, Span(start, end), "an expression is missing here")
    return Problem(rules.SAMPLE_SYNTAX, Span(last.start, last.end), "the expression ends too early after this")
