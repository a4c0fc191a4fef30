"""Flat chains of operands and operators to trees, by precedence (2.4 names the operators, the levels are LANGUAGE's).

A chain is a list of prefix operators (tokens), operands (nodes), binary operators (tokens) and folds (an operator token
followed by a dots token).
"""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.limits import LONGEST_CHAIN
from snd_analysis.skriptnd.syntax.tokens import Token

LEVELS = {
    "=>": 1,
    "&&": 2, "||": 2, "^": 2,
    "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 3, "!=": 3, "is": 3, "in": 3, ":=": 3,
    "<?": 4, ">?": 4,
    "+": 5, "-": 5,
    "*": 6, "/": 6, "\\": 6, "%": 6,
    "**": 7,
}  # fmt: skip
_POWER = LEVELS["**"]


class Chain:
    """One pass over the parts of a chain."""

    def __init__(self, parts: Sequence[Token | nodes.Node], text: str, base: int, problems: list[Problem]) -> None:
        self._parts = parts
        self._text = text
        self._base = base
        self._problems = problems
        self._at = 0

    def tree(self) -> nodes.Expression:
        """Return the expression that the chain spells."""
        if len(self._parts) == 1:
            return self._parts[0]  # type: ignore[return-value]
        if len(self._parts) > 2 * LONGEST_CHAIN:
            return self._too_long()
        return self._climb(1)

    def _too_long(self) -> nodes.Expression:
        first, last = self._parts[0], self._parts[-1]
        start = first.start - (self._base if isinstance(first, Token) else 0)
        end = last.end - (self._base if isinstance(last, Token) else 0)
        message = f"this expression has more than {LONGEST_CHAIN} operators in a row: split it up"
        self._problems.append(Problem(rules.NESTING_TOO_DEEP, Span(start + self._base, end + self._base), message))
        return nodes.ErrorExpression(start, end)

    def _climb(self, lowest: int) -> nodes.Expression:
        left = self._operand()
        parts = self._parts
        while self._at < len(parts):
            token = parts[self._at]
            assert isinstance(token, Token)
            level = LEVELS[token.spelling(self._text)]
            if level < lowest:
                break
            operator = self._operator(token)
            follower = parts[self._at + 1]
            if isinstance(follower, Token) and follower.kind in ("DOTS", "ELLIPSIS"):
                self._at += 2
                end = follower.end - self._base
                left = nodes.Fold(left.start, end, left, operator, follower.kind == "ELLIPSIS")
                continue
            self._at += 1
            right = self._climb(level + 1)
            left = nodes.Binary(left.start, right.end, left, operator, right)
        return left

    def _operand(self) -> nodes.Expression:
        part = self._parts[self._at]
        self._at += 1
        if not isinstance(part, Token):
            return part  # type: ignore[return-value]
        operator = self._operator(part)
        # A sign takes a following power: -k ** 2 is -(k ** 2).
        operand = self._climb(_POWER)
        return nodes.Unary(operator.start, operand.end, operator, operand)

    def _operator(self, token: Token) -> nodes.Operator:
        return nodes.Operator(token.start - self._base, token.end - self._base, token.spelling(self._text))
