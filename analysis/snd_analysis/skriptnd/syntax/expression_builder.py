"""Productions of expressions to nodes (2.4).

One method per rule of ``grammar.lark``, named after it; it is given the symbols of the production, tokens for
terminals and nodes for rules, with the content of rules whose name begins with ``_`` (and of repetitions) spliced in.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from snd_analysis.base import Problem
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.expressions import Chain
from snd_analysis.skriptnd.syntax.strings import string_parts
from snd_analysis.skriptnd.syntax.tokens import Token

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
