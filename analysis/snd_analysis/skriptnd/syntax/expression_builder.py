"""Productions of expressions to nodes (2.4).

One method per rule of ``grammar.lark``, named after it; it is given the symbols of the production, tokens for
terminals and nodes for rules, with the content of rules whose name begins with ``_`` (and of repetitions) spliced in.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.limits import LONGEST_CHAIN
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.strings import string_parts
from snd_analysis.skriptnd.syntax.tokens import Token

# Flat chains of operands and operators to trees, by precedence (2.4 names the operators, the levels are LANGUAGE's).
# A chain is a list of prefix operators (tokens), operands (nodes), binary operators (tokens) and folds (an operator
# token followed by a dots token).

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


# ---- productions of expressions to nodes (2.4) -----------------------------------------------------------------------
Symbols: TypeAlias = list[Any]
ReadExpression: TypeAlias = Callable[["ExpressionBuilder", int, int], nodes.Expression]


def nodes_of(symbols: Symbols, *kinds: type) -> tuple[Any, ...]:
    """Return the symbols of these classes."""
    return tuple([symbol for symbol in symbols if isinstance(symbol, kinds)])


def first_of(symbols: Symbols, *kinds: type) -> Any:
    """Return the first symbol of these classes; None if there is none."""
    for symbol in symbols:
        if isinstance(symbol, kinds):
            return symbol
    return None


class ExpressionBuilder:
    """Builder of nodes.

    The driver sets ``base`` (the offset that spans count from), ``start`` and ``end`` before each call.
    """

    def __init__(self, text: str, read_expression: ReadExpression) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self.base = 0
        self.start = 0
        self.end = 0
        self._read_expression = read_expression

    def chain(self, symbols: Symbols) -> nodes.Expression:
        return Chain(symbols, self.text, self.base, self.problems).tree()

    substituting_chain = chain

    def select(self, symbols: Symbols) -> nodes.Select:
        alternative = symbols[4] if len(symbols) > 3 else None
        return nodes.Select(self.start, self.end, symbols[0], symbols[2], alternative)

    def coalesce(self, symbols: Symbols) -> nodes.Coalesce:
        return nodes.Coalesce(self.start, self.end, symbols[0], symbols[2])

    def bounded(self, symbols: Symbols) -> nodes.Bounded:
        values = nodes_of(symbols, nodes.Node)
        if len(values) == 1:
            return nodes.Bounded(self.start, self.end, values[0], None, None, False)
        below, above = (values[1], values[2]) if len(values) == 3 else (None, values[1])
        return nodes.Bounded(self.start, self.end, values[0], below, above, len(values) == 2)

    def subscript(self, symbols: Symbols) -> nodes.Subscript:
        return nodes.Subscript(self.start, self.end, symbols[0], symbols[1])

    def substitution(self, symbols: Symbols) -> nodes.Substitution:
        return nodes.Substitution(self.start, self.end, symbols[0], symbols[1], symbols[3])

    def literal(self, symbols: Symbols) -> nodes.Literal:
        token = symbols[0]
        match token.kind:
            case "INT":
                return nodes.Literal(self.start, self.end, "int", self._integer(token))
            case "REAL":
                return nodes.Literal(self.start, self.end, "real", self._real(token))
            case "INF":
                return nodes.Literal(self.start, self.end, "real", math.inf)
            case "PI":
                return nodes.Literal(self.start, self.end, "real", math.pi)
        return nodes.Literal(self.start, self.end, "bool", token.kind == "TRUE")

    def _integer(self, token: Token) -> int:
        try:
            return int(self._text(token))
        except ValueError:  # the tokens report it
            return 0

    def _real(self, token: Token) -> float:
        try:
            return float(self._text(token))
        except ValueError:  # the tokens report it
            return 0.0

    def parenthesized(self, symbols: Symbols) -> nodes.Parenthesized:
        return nodes.Parenthesized(self.start, self.end, symbols[1])

    def cast(self, symbols: Symbols) -> nodes.Cast:
        value = symbols[2] if len(symbols) > 3 else None
        return nodes.Cast(self.start, self.end, self._type_name(symbols[0]), value)

    def string(self, symbols: Symbols) -> nodes.String:
        start, end, base = self.start, self.end, self.base
        parts: list[nodes.Text | nodes.Field] = []
        for token in symbols:
            parts += string_parts(
                self.text, token.start, token.end, base, self.problems,
                lambda first, last: self._read_expression(self, first, last),
            )  # fmt: skip
        return nodes.String(start, end, tuple(parts))

    def call(self, symbols: Symbols) -> nodes.Call:
        return nodes.Call(
            self.start, self.end, symbols[0], first_of(symbols, nodes.Generics), first_of(symbols, nodes.Attributes),
            first_of(symbols, CallArguments).items,
        )  # fmt: skip

    def arguments(self, symbols: Symbols) -> CallArguments:
        return CallArguments(nodes_of(symbols, nodes.Node), nodes.Operator(self.start, self.end, "()"))

    def generics(self, symbols: Symbols) -> nodes.Generics:
        return nodes.Generics(self.start, self.end, nodes_of(symbols, nodes.TypeName))

    def attributes(self, symbols: Symbols) -> nodes.Attributes:
        return nodes.Attributes(self.start, self.end, nodes_of(symbols, nodes.Attribute))

    def attribute(self, symbols: Symbols) -> nodes.Attribute:
        return nodes.Attribute(self.start, self.end, symbols[0], symbols[2], symbols[1].kind == "COLON")

    def qualified(self, symbols: Symbols) -> nodes.Qualified:
        if len(symbols) == 1:
            return nodes.Qualified(self.start, self.end, (self._name(symbols[0]),))
        parts = tuple([self._name(symbol) for symbol in symbols if symbol.kind == "ID"])
        return nodes.Qualified(self.start, self.end, parts)

    def name(self, symbols: Symbols) -> nodes.Name:
        return self._name(symbols[0])

    def tilde(self, symbols: Symbols) -> nodes.Tilde:
        return nodes.Tilde(self.start, self.end)

    def list(self, symbols: Symbols) -> nodes.List:
        return nodes.List(self.start, self.end, nodes_of(symbols, nodes.Node))

    def expanded(self, symbols: Symbols) -> nodes.Expanded:
        return nodes.Expanded(self.start, self.end, symbols[0], symbols[1])

    def expansion(self, symbols: Symbols) -> nodes.Expansion:
        return nodes.Expansion(self.start, self.end, symbols[2] if len(symbols) > 1 else None)

    def zip(self, symbols: Symbols) -> nodes.Zip:
        return nodes.Zip(self.start, self.end, nodes_of(symbols, nodes.Node))

    def range(self, symbols: Symbols) -> nodes.Range:
        bounds: list[nodes.Expression | None] = [None, None, None]
        at = 0
        for symbol in symbols:
            if isinstance(symbol, Token):
                at += 1
            else:
                bounds[at] = symbol
        return nodes.Range(self.start, self.end, *bounds)

    def index(self, symbols: Symbols) -> nodes.Index:
        last = symbols[-2]
        trailing = isinstance(last, Token) and last.kind == "COMMA"
        return nodes.Index(self.start, self.end, nodes_of(symbols, nodes.Node), trailing)

    def _text(self, token: Token) -> str:
        return token.spelling(self.text)

    def _name(self, token: Token) -> nodes.Name:
        _, start, end, instead = token
        text = self.text[start:end] if instead is None else instead
        return nodes.Name(start - self.base, end - self.base, sys.intern(text))

    def _type_name(self, token: Token) -> nodes.TypeName:
        word = sys.intern(self._text(token))
        return nodes.TypeName(token.start - self.base, token.end - self.base, word, token.kind == "TYPE")

    def _operator(self, token: Token) -> nodes.Operator:
        return nodes.Operator(token.start - self.base, token.end - self.base, self._text(token))


class CallArguments:
    """The arguments of a call, and where they stand, until the call is made."""

    def __init__(self, items: tuple[Any, ...], place: nodes.Operator) -> None:
        self.items = items
        self.place = place
