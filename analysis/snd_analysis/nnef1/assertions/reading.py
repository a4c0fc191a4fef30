"""The lines ``extension tract_assert`` of a file, read: comparisons of sums of symbols."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.nnef1.assertions.limits import DEEPEST_ASSERTION
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import DivisionByZero, Integer, Relation, Truth

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<name>[^\W\d][\w.]*(?:/[^\W\d][\w.]*)*)|(?P<sign>==|<=|>=|[-+*/()<>,#]))", re.ASCII
)
_SCENARIO = re.compile(r"\s*(?P<name>[\w.]+)\s*:")
_RELATIONS: Mapping[str, Relation] = {"==": "==", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}


class AssertionLine(Struct, frozen=True):
    """One line. ``condition`` is None if it cannot be read; it holds in a scenario only, if one is named."""

    span: Span
    text: str
    scenario: str | None
    condition: Truth | None


class _Unreadable(Exception):  # noqa: N818
    """A text that is no assertion."""


def assertions_of(items: Sequence[nodes.Item]) -> tuple[AssertionLine, ...]:
    """Return the assertions of a file, in order."""
    found = []
    for each in items:
        if isinstance(each, nodes.Placed) and isinstance(each.item, nodes.Extension):
            extension = each.item
            if extension.name.text == "tract_assert" and extension.text:
                span = Span(extension.at, extension.at + len(extension.text)).shifted(each.start)
                found.append(_assertion(span, extension.text))
    return tuple(found)


def _assertion(span: Span, text: str) -> AssertionLine:
    scenario = _SCENARIO.match(text)
    rest = text if scenario is None else text[scenario.end() :]
    try:
        condition = _Reader(rest).comparison()
    except (_Unreadable, DivisionByZero):
        condition = None
    return AssertionLine(span, text, None if scenario is None else scenario["name"], condition)


class _Reader:
    """The reading of one comparison over plain unknowns."""

    def __init__(self, text: str) -> None:
        self._tokens: list[re.Match[str]] = []
        at, text = 0, text.rstrip()
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                raise _Unreadable
            self._tokens.append(token)
            at = token.end()
        self._at = 0
        self._depth = 0

    def comparison(self) -> Truth:
        left, sign, right = self._sum(), self._take(), self._sum()
        if sign not in _RELATIONS or self._at < len(self._tokens):
            raise _Unreadable
        return integers.compare(_RELATIONS[sign], left, right)

    def _sum(self) -> Integer:
        found = self._product()
        while self._next() in ("+", "-"):
            found = found + self._product() if self._take() == "+" else found - self._product()
        return found

    def _product(self) -> Integer:
        found = self._factor()
        while self._next() in ("*", "/", "#"):
            match self._take():
                case "*":
                    found = found * self._factor()
                case "/":
                    found = integers.floor_divide(found, self._factor())
                case _:
                    found = integers.opaque("broadcast", origin=("broadcast", found, self._factor()))
        return found

    def _factor(self) -> Integer:
        self._depth += 1
        if self._depth > DEEPEST_ASSERTION:
            raise _Unreadable
        found = self._operand()
        self._depth -= 1
        return found

    def _operand(self) -> Integer:
        token = self._take()
        if token == "-":
            return -self._factor()
        if token == "(":
            found = self._sum()
            self._demand(")")
            return found
        if token[0].isdigit():
            return integers.constant(int(token)) if len(token) < 20 else self._unreadable()
        if self._tokens[self._at - 1]["name"] is None:
            return self._unreadable()
        return self._call(token) if self._next() == "(" else integers.plain_unknown(token)

    def _call(self, function: str) -> Integer:
        self._demand("(")
        arguments = [self._sum()]
        while self._next() == ",":
            self._take()
            arguments.append(self._sum())
        self._demand(")")
        match function, arguments:
            case "floor", [only]:
                return only
            case "min", _:
                return integers.minimum(*arguments)
            case "max", _:
                return integers.maximum(*arguments)
            case "broadcast", _:
                return integers.opaque("broadcast", origin=("broadcast", *arguments))
        return self._unreadable()

    def _unreadable(self) -> Integer:
        raise _Unreadable

    def _next(self) -> str | None:
        if self._at == len(self._tokens):
            return None
        token = self._tokens[self._at]
        return token[token.lastgroup or 0]

    def _take(self) -> str:
        token = self._next()
        if token is None:
            raise _Unreadable
        self._at += 1
        return token

    def _demand(self, token: str) -> None:
        if self._take() != token:
            raise _Unreadable
