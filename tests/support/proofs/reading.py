"""Operators as data from their text: a parser that shares no code with snd, for the operators of the tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from support.proofs.random_operators import Expr, Formula, Index, Operator, Tensor

_TOKEN = re.compile(r"\s*(?:(\d+)|(\w+)|(>\?=|<\?|>\?|&&|\|\||<=|>=|==|!=|:=|\+=|\*\*|\.\.|->|.))")
_LEVELS = (
    ("||",),
    ("&&",),
    ("<", "<=", ">", ">=", "==", "!="),
    ("<?", ">?"),
    ("+", "-"),
    ("*", "/", "\\", "%"),
    ("**",),
)
_BLOCK = re.compile(r"@(\w+) \{(.*?)\}\n", re.S)


@dataclass
class ReadOperator:
    """An operator, and the offsets of its formulas in its text."""

    operator: Operator
    formulas: list[tuple[int, int]]


def read_operator(text: str) -> ReadOperator:
    """Return an operator of one statement after the other, each ending with ``;``."""
    found = Operator({}, [], [])
    for block in _BLOCK.finditer(text):
        for statement in block[2].split(";")[:-1]:
            _read_statement(found, block[1], statement.strip())
    return ReadOperator(found, [*formula_places(text)])


def formula_places(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the formulas of an operator."""
    for block in _BLOCK.finditer(text):
        start = block.start(2)
        for statement in block[2].split(";")[:-1]:
            end = start + len(statement)
            if block[1] == "lower":
                yield end - len(statement.lstrip()), end
            start = end + 1


def read_condition(text: str) -> Expr:
    """Return an assertion."""
    return _Reader(text, set()).expression()


def _read_statement(found: Operator, block: str, text: str) -> None:
    if block == "attrib":
        name, type_ = text.split(": ")
        found.attributes[name] = type_
    elif block == "using":
        name, value = text.split(" = ", 1)
        found.using.append((name, read_condition(value)))
    elif block == "assert":
        found.assertions.append(read_condition(text))
    elif block in ("input", "output"):
        match = re.fullmatch(r"(\w+): real\[(.*)\](?:\.\.\((\w+)\))?", text)
        assert match
        shape = [read_condition(part) for part in match[2].split(",")]
        (found.inputs if block == "input" else found.outputs).append(Tensor(match[1], shape, match[3]))
    elif block == "lower":
        tensors = {each.name for each in (*found.inputs, *found.outputs)}
        found.formulas.append(_Reader(text, tensors).formula())


class _Reader:
    def __init__(self, text: str, tensors: set[str]) -> None:
        self._tokens = [next(filter(None, match.groups())) for match in _TOKEN.finditer(text)]
        self._at = 0
        self._tensors = tensors

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, *expected: str) -> str:
        token = self._next()
        assert not expected or token in expected, (token, expected, self._tokens)
        self._at += 1
        return token

    def _if(self, token: str) -> bool:
        is_here = self._next() == token
        self._at += is_here
        return is_here

    def formula(self) -> Formula:
        unroll = None
        if self._if("unroll"):
            for token in ("..", "("):
                self._take(token)
            name = self._take()
            self._take("->")
            unroll = name, self.expression()
            self._take(")")
        _, target, item, places = self.operand()
        sign = self._take("=", "+=", ":=", ">?=")
        value = _real(self.expression())
        bounds = []
        while self._if(","):
            name = self._take()
            self._take("<")
            bounds.append((name, self.expression()))
        condition = self.expression() if self._if("|") else None
        return Formula(target, item, places, sign, value, bounds, condition, unroll)

    def expression(self) -> Expr:
        first = self._binary(0)
        if not self._if("?"):
            return first
        second = self.expression()
        self._take(":")
        return ("select", first, second, self.expression())

    def _binary(self, level: int) -> Expr:
        if level == len(_LEVELS):
            return self.operand()
        left = self._binary(level + 1)
        while self._next() in _LEVELS[level]:
            left = (self._take(), left, self._binary(level + 1))
        return left

    def operand(self) -> Expr:
        token = self._take()
        if token == "-":
            return ("-", ("num", 0), self.operand())
        if token == "(":
            inner = self.expression()
            self._take(")")
            return inner
        if token.isdigit():
            return ("num", int(token))
        if token == "real":
            return ("real", self.operand())
        if token not in self._tensors:
            return ("var", token)
        lists = []
        while self._if("["):
            lists.append(self._indices())
        item = lists[0][0].value if len(lists) == 2 else None
        return ("read", token, item, lists[-1])

    def _indices(self) -> list[Index]:
        found = []
        while not self._if("]"):
            is_guarded = self._if("|")
            found.append(Index("skip" if is_guarded else "plain", self.expression()))
            if is_guarded:
                self._take("|")
            self._if(",")
        return found


def _real(value: Expr) -> Expr:
    """Return a value whose selections are of reals."""
    match value:
        case ("select", condition, first, second):
            return ("choose", condition, _real(first), _real(second))
        case ("+" | "*" as sign, first, second):
            return (sign, _real(first), _real(second))
    return value
