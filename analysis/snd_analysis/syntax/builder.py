"""Productions of the grammar to nodes.

One method per rule of ``grammar.lark``, named after it; it is given the symbols of the production, tokens for
terminals and nodes for rules, with the content of rules whose name begins with ``_`` (and of repetitions) spliced in.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from snd_analysis.source import Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.expressions import Chain
from snd_analysis.syntax.problem import Problem
from snd_analysis.syntax.strings import string_parts
from snd_analysis.syntax.table import table
from snd_analysis.syntax.tokens import Token

Symbols: TypeAlias = list[Any]
ReadExpression: TypeAlias = Callable[["TreeBuilder", int, int], nodes.Expression]


def _nodes_of(symbols: Symbols, *kinds: type) -> tuple[Any, ...]:
    return tuple([symbol for symbol in symbols if isinstance(symbol, kinds)])


def _first(symbols: Symbols, *kinds: type) -> Any:
    for symbol in symbols:
        if isinstance(symbol, kinds):
            return symbol
    return None


_NODE = nodes.Node


class TreeBuilder:
    """Makes nodes. The driver sets ``base`` (what spans count from), ``start`` and ``end`` before each call."""

    def __init__(self, text: str, read_expression: ReadExpression) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self.base = 0
        self.start = 0
        self.end = 0
        self._read_expression = read_expression

    # ---- the document ------------------------------------------------------------------------------------------------
    def document(self, symbols: Symbols) -> nodes.Document:
        return nodes.Document(self.start, self.end, tuple(symbols))

    def error_item(self, symbols: Symbols) -> nodes.ErrorItem:
        return nodes.ErrorItem(self.start, self.end)

    def version(self, symbols: Symbols) -> nodes.Version:
        return nodes.Version(self.start, self.end, self._text(symbols[1]))

    def extension(self, symbols: Symbols) -> nodes.Extension:
        names = tuple(self._name(symbol) for symbol in symbols if symbol.kind == "ID")
        return nodes.Extension(self.start, self.end, names)

    def import_(self, symbols: Symbols) -> nodes.Import:
        return nodes.Import(self.start, self.end, _nodes_of(symbols, nodes.Qualified))

    def definition(self, symbols: Symbols) -> nodes.Definition:
        public = symbols[0].kind == "PUBLIC"
        keyword, name = symbols[public], symbols[public + 1]
        blocks = next(symbol for symbol in symbols if isinstance(symbol, Blocks))
        return nodes.Definition(self.start, self.end, self._text(keyword), public, self._name(name), tuple(blocks))

    def blocks_start(self, symbols: Symbols) -> Blocks:
        return Blocks()

    def blocks(self, symbols: Symbols) -> Blocks:
        symbols[0].append(symbols[1])
        return symbols[0]  # type: ignore[no-any-return]

    def block(self, symbols: Symbols) -> nodes.Block:
        keyword = symbols[0]
        span = Span(keyword.start - self.base, keyword.end - self.base)
        return nodes.Block(self.start, self.end, self._text(keyword)[1:], span, tuple(symbols[2]))

    def error_block(self, symbols: Symbols) -> nodes.ErrorBlock:
        return nodes.ErrorBlock(self.start, self.end)

    def error_statement(self, symbols: Symbols) -> nodes.ErrorEntry:
        return nodes.ErrorEntry(self.start, self.end)

    # ---- declarations ------------------------------------------------------------------------------------------------
    def dtype_declaration(self, symbols: Symbols) -> nodes.DtypeDeclaration:
        default = symbols[3] if len(symbols) > 3 else None
        return nodes.DtypeDeclaration(self.start, self.end, symbols[0], symbols[2], default)

    def default_type(self, symbols: Symbols) -> nodes.TypeName:
        return symbols[1]  # type: ignore[no-any-return]

    def type_name(self, symbols: Symbols) -> nodes.TypeName:
        return self._type_name(symbols[0])

    def parameter(self, symbols: Symbols) -> nodes.Parameter:
        return nodes.Parameter(
            self.start,
            self.end,
            symbols[0],
            _nodes_of(symbols, nodes.Modifier),
            _first(symbols, nodes.TypeName),
            _first(symbols[1:], nodes.Name),
            _first(symbols, nodes.Shape),
            _first(symbols, nodes.Pack),
            _first(symbols, nodes.Default),
        )

    def modifier(self, symbols: Symbols) -> nodes.Modifier:
        return nodes.Modifier(self.start, self.end, self._text(symbols[0]))

    def rank_capture(self, symbols: Symbols) -> nodes.Name:
        return symbols[2]  # type: ignore[no-any-return]

    def shape(self, symbols: Symbols) -> nodes.Shape:
        return nodes.Shape(self.start, self.end, _nodes_of(symbols, nodes.Extent))

    def extent(self, symbols: Symbols) -> nodes.Extent:
        kinds = {symbol.kind for symbol in symbols if isinstance(symbol, Token)}
        value, *rest = _nodes_of(symbols, _NODE, _Bound)
        return nodes.Extent(
            self.start, self.end, value, "DOTS" in kinds, "STATIC" in kinds,
            self._bound(rest), _first(rest, nodes.Expansion),
        )  # fmt: skip

    def bound(self, symbols: Symbols) -> _Bound:
        return _Bound(symbols[1])

    def _bound(self, symbols: Symbols) -> nodes.Expression | None:
        found = _first(symbols, _Bound)
        return found.value if found else None

    def pack(self, symbols: Symbols) -> nodes.Pack:
        qualifier = next(
            (symbol for symbol in symbols if isinstance(symbol, Token) and symbol.kind in ("STATIC", "DYNAMIC")), None
        )
        return nodes.Pack(
            self.start, self.end, _first(symbols, _NODE), qualifier and self._text(qualifier), self._bound(symbols)
        )

    def default(self, symbols: Symbols) -> nodes.Default:
        return nodes.Default(self.start, self.end, symbols[1], tuple(symbols[2:]))

    def index_bound(self, symbols: Symbols) -> nodes.IndexBound:
        return nodes.IndexBound(symbols[1].start, self.end, symbols[1], symbols[3])

    def using(self, symbols: Symbols) -> nodes.Using:
        return nodes.Using(self.start, self.end, symbols[0], symbols[2])

    def name_target(self, symbols: Symbols) -> nodes.NameTarget:
        return nodes.NameTarget(self.start, self.end, symbols[0], symbols[1] if len(symbols) > 1 else None)

    def tuple_target(self, symbols: Symbols) -> nodes.TupleTarget:
        return nodes.TupleTarget(self.start, self.end, _nodes_of(symbols, nodes.Name), _first(symbols, nodes.Expansion))

    def list_target(self, symbols: Symbols) -> nodes.ListTarget:
        return nodes.ListTarget(self.start, self.end, _nodes_of(symbols, nodes.NameTarget, nodes.TupleTarget))

    def assertion(self, symbols: Symbols) -> nodes.Assertion:
        message = _first(symbols, _Message)
        if message is None:
            return nodes.Assertion(self.start, self.end, symbols[0], None, ())
        return nodes.Assertion(self.start, self.end, symbols[0], message.text, message.printed)

    def message(self, symbols: Symbols) -> _Message:
        return _Message(symbols[1], _nodes_of(symbols, nodes.Printed))

    def printed(self, symbols: Symbols) -> nodes.Printed:
        return nodes.Printed(self.start, self.end, symbols[0] if len(symbols) > 1 else None, symbols[-1])

    # ---- @lower ------------------------------------------------------------------------------------------------------
    def lowering(self, symbols: Symbols) -> nodes.Lowering:
        access = next(at for at, symbol in enumerate(symbols) if isinstance(symbol, nodes.Access))
        head, tail = symbols[:access], symbols[access + 3 :]
        locals_ = _first(head, _Locals)
        condition = _first(tail, _Condition)
        return nodes.Lowering(
            self.start, self.end, _first(head, nodes.Unroll), locals_.items if locals_ else (),
            symbols[access], symbols[access + 1], symbols[access + 2],
            _nodes_of(tail, nodes.IndexBound), condition.value if condition else None,
        )  # fmt: skip

    def unroll(self, symbols: Symbols) -> nodes.Unroll:
        return nodes.Unroll(self.start, self.end, symbols[3], symbols[5])

    def locals(self, symbols: Symbols) -> _Locals:
        return _Locals(_nodes_of(symbols, nodes.Local))

    def local(self, symbols: Symbols) -> nodes.Local:
        return nodes.Local(self.start, self.end, symbols[0], symbols[2])

    def access(self, symbols: Symbols) -> nodes.Access:
        return nodes.Access(self.start, self.end, symbols[0], tuple(symbols[1:]))

    def lowering_operator(self, symbols: Symbols) -> nodes.Operator:
        return self._operator(symbols[0])

    def condition(self, symbols: Symbols) -> _Condition:
        return _Condition(symbols[1])

    # ---- @compose ----------------------------------------------------------------------------------------------------
    def component(self, symbols: Symbols) -> nodes.Component:
        results = _nodes_of(symbols[:-1], nodes.Result, nodes.ResultList)
        return nodes.Component(self.start, self.end, results, symbols[-1])

    def result(self, symbols: Symbols) -> nodes.Result:
        return nodes.Result(
            self.start, self.end, symbols[0], _first(symbols, nodes.ResultType), _first(symbols, nodes.Pack)
        )

    def result_list(self, symbols: Symbols) -> nodes.ResultList:
        return nodes.ResultList(self.start, self.end, _nodes_of(symbols, nodes.Result, nodes.ResultTuple))

    def result_tuple(self, symbols: Symbols) -> nodes.ResultTuple:
        names: list[nodes.Name] = []
        types: list[nodes.ResultType | None] = []
        for symbol in symbols:
            if isinstance(symbol, nodes.Name):
                names.append(symbol)
                types.append(None)
            elif isinstance(symbol, nodes.ResultType):
                types[-1] = symbol
        return nodes.ResultTuple(self.start, self.end, tuple(names), tuple(types), _first(symbols, nodes.Pack))

    def result_type(self, symbols: Symbols) -> nodes.ResultType:
        return nodes.ResultType(self.start, self.end, symbols[1], symbols[2])

    def branch(self, symbols: Symbols) -> nodes.Branch:
        parts = _nodes_of(symbols, _NODE)
        keywords = _nodes_of(symbols, Token)
        cases = tuple(
            nodes.Case(keywords[2 * at].start - self.base, parts[2 * at + 1].end, parts[2 * at], parts[2 * at + 1])
            for at in range(len(parts) // 2)
        )
        return nodes.Branch(self.start, self.end, cases, parts[-1])

    def loop(self, symbols: Symbols) -> nodes.Loop:
        keyword_at = next(at for at, symbol in enumerate(symbols) if isinstance(symbol, Token))
        head, tail = symbols[:keyword_at], symbols[keyword_at + 1 :]
        carries, scans = _first(head, _Carries), _first(head, _Scans)
        before = tuple(symbol for symbol in head if isinstance(symbol, nodes.While))
        after = tuple(
            nodes.While(symbol.start, symbol.end, symbol.condition, True)
            for symbol in tail if isinstance(symbol, nodes.While)
        )  # fmt: skip
        body = next(symbol for symbol in tail if not isinstance(symbol, nodes.While | nodes.Iteration))
        return nodes.Loop(
            self.start, self.end, carries.items if carries else (), scans.items if scans else (), before + after,
            self._operator(symbols[keyword_at]), _first(tail, nodes.Iteration), body,
        )  # fmt: skip

    def carries(self, symbols: Symbols) -> _Carries:
        return _Carries(_nodes_of(symbols, nodes.Carry))

    def carry(self, symbols: Symbols) -> nodes.Carry:
        return nodes.Carry(self.start, self.end, symbols[0], _first(symbols, nodes.ResultType), symbols[-1])

    def scans(self, symbols: Symbols) -> _Scans:
        return _Scans(_nodes_of(symbols, nodes.Scan))

    def scan(self, symbols: Symbols) -> nodes.Scan:
        return nodes.Scan(self.start, self.end, symbols[0], symbols[2])

    def while_(self, symbols: Symbols) -> nodes.While:
        return nodes.While(self.start, self.end, symbols[1], False)

    def iteration(self, symbols: Symbols) -> nodes.Iteration:
        inner = symbols[2:-1]
        if len(inner) == 1:
            return nodes.Iteration(self.start, self.end, None, inner[0])
        return nodes.Iteration(self.start, self.end, inner[0], inner[2] if len(inner) > 2 else None)

    def labelled(self, symbols: Symbols) -> nodes.Labelled:
        return nodes.Labelled(self.start, self.end, symbols[0], symbols[2])

    def region(self, symbols: Symbols) -> nodes.Region:
        return nodes.Region(self.start, self.end, _nodes_of(symbols, _NODE))

    def yield_(self, symbols: Symbols) -> nodes.Yield:
        return nodes.Yield(self.start, self.end, _nodes_of(symbols, _NODE))

    def quantization(self, symbols: Symbols) -> nodes.Quantization:
        arguments = _first(symbols, _Arguments)
        return nodes.Quantization(
            self.start, self.end, symbols[0], symbols[2], _first(symbols, nodes.Generics),
            _first(symbols, nodes.Attributes), arguments.place if arguments else None,
        )  # fmt: skip

    # ---- expressions -------------------------------------------------------------------------------------------------
    def chain(self, symbols: Symbols) -> nodes.Expression:
        return Chain(symbols, self.text, self.base, self.problems).tree()

    substituting_chain = chain

    def select(self, symbols: Symbols) -> nodes.Select:
        alternative = symbols[4] if len(symbols) > 3 else None
        return nodes.Select(self.start, self.end, symbols[0], symbols[2], alternative)

    def coalesce(self, symbols: Symbols) -> nodes.Coalesce:
        return nodes.Coalesce(self.start, self.end, symbols[0], symbols[2])

    def bounded(self, symbols: Symbols) -> nodes.Bounded:
        values = _nodes_of(symbols, _NODE)
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
            self.start, self.end, symbols[0], _first(symbols, nodes.Generics), _first(symbols, nodes.Attributes),
            _first(symbols, _Arguments).items,
        )  # fmt: skip

    def arguments(self, symbols: Symbols) -> _Arguments:
        return _Arguments(_nodes_of(symbols, _NODE), nodes.Operator(self.start, self.end, "()"))

    def generics(self, symbols: Symbols) -> nodes.Generics:
        return nodes.Generics(self.start, self.end, _nodes_of(symbols, nodes.TypeName))

    def attributes(self, symbols: Symbols) -> nodes.Attributes:
        return nodes.Attributes(self.start, self.end, _nodes_of(symbols, nodes.Attribute))

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
        return nodes.List(self.start, self.end, _nodes_of(symbols, _NODE))

    def expanded(self, symbols: Symbols) -> nodes.Expanded:
        return nodes.Expanded(self.start, self.end, symbols[0], symbols[1])

    def expansion(self, symbols: Symbols) -> nodes.Expansion:
        return nodes.Expansion(self.start, self.end, symbols[2] if len(symbols) > 1 else None)

    def zip(self, symbols: Symbols) -> nodes.Zip:
        return nodes.Zip(self.start, self.end, _nodes_of(symbols, _NODE))

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
        return nodes.Index(self.start, self.end, _nodes_of(symbols, _NODE), trailing)

    # ---- terminals ---------------------------------------------------------------------------------------------------
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


@cache
def methods() -> tuple[Callable[[TreeBuilder, Symbols], Any] | None, ...]:
    """The method for each production of the table; None where the driver needs none."""
    return tuple(getattr(TreeBuilder, production.builder, None) for production in table().productions)


# What a production passes up that is not a node of the tree.
class Blocks(list["nodes.Block | nodes.ErrorBlock"]):
    """The blocks of a definition while it is being read."""


class Entries(list["nodes.Entry"]):
    """The entries of a block while it is being read."""


class _Bound:
    def __init__(self, value: nodes.Expression) -> None:
        self.value = value


class _Message:
    def __init__(self, text: nodes.String, printed: tuple[nodes.Printed, ...]) -> None:
        self.text = text
        self.printed = printed


class _Locals:
    def __init__(self, items: tuple[nodes.Local, ...]) -> None:
        self.items = items


class _Condition:
    def __init__(self, value: nodes.Expression) -> None:
        self.value = value


class _Carries:
    def __init__(self, items: tuple[nodes.Carry, ...]) -> None:
        self.items = items


class _Scans:
    def __init__(self, items: tuple[nodes.Scan, ...]) -> None:
        self.items = items


class _Arguments:
    def __init__(self, items: tuple[Any, ...], place: nodes.Operator) -> None:
        self.items = items
        self.place = place
