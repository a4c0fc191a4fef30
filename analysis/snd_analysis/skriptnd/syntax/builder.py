"""Productions of the grammar to nodes: documents, definitions and blocks here, the rest in its own modules."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from snd_analysis import rules
from snd_analysis.base import Edit, Problem, Repair, Span
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.expression_builder import (
    CallArguments,
    ExpressionBuilder,
    Symbols,
    first_of,
    nodes_of,
)
from snd_analysis.skriptnd.syntax.table import table
from snd_analysis.skriptnd.syntax.tokens import Token, keywords


# ---- productions of declarations, helper symbols and assertions to nodes (2.5 to 2.9, 2.13) --------------------------
class DeclarationBuilder(ExpressionBuilder):
    """The builder of the entries of declaring blocks."""

    def dtype_declaration(self, symbols: Symbols) -> nodes.DtypeDeclaration:
        default = symbols[3] if len(symbols) > 3 else None
        return nodes.DtypeDeclaration(self.start, self.end, symbols[0], symbols[2], default)

    def default_type(self, symbols: Symbols) -> nodes.TypeName:
        return symbols[1]  # type: ignore[no-any-return]

    def type_name(self, symbols: Symbols) -> nodes.TypeName:
        return self._type_name(symbols[0])

    def parameter(self, symbols: Symbols) -> nodes.Parameter:
        modifiers = nodes_of(symbols, nodes.Modifier)
        self._check_modifiers(modifiers)
        return nodes.Parameter(
            self.start,
            self.end,
            symbols[0],
            modifiers,
            first_of(symbols, nodes.TypeName),
            first_of(symbols[1:], nodes.Name),
            first_of(symbols, nodes.Shape),
            first_of(symbols, nodes.Pack),
            first_of(symbols, nodes.Default),
        )

    def _check_modifiers(self, modifiers: tuple[nodes.Modifier, ...]) -> None:
        for at, modifier in enumerate(modifiers):
            if any(modifier.text == earlier.text for earlier in modifiers[:at]):
                span = modifier.span.shifted(self.base)
                repair = Repair("remove it", (Edit(Span(span.start, span.end + 1), ""),))
                message = f"'{modifier.text}' stands here twice"
                self.problems.append(Problem(rules.SYNTAX_ERROR, span, message, repair=repair))

    def modifier(self, symbols: Symbols) -> nodes.Modifier:
        return nodes.Modifier(self.start, self.end, self._text(symbols[0]))

    def rank_capture(self, symbols: Symbols) -> nodes.Name:
        return symbols[2]  # type: ignore[no-any-return]

    def shape(self, symbols: Symbols) -> nodes.Shape:
        return nodes.Shape(self.start, self.end, nodes_of(symbols, nodes.Extent))

    def extent(self, symbols: Symbols) -> nodes.Extent:
        kinds = {symbol.kind for symbol in symbols if isinstance(symbol, Token)}
        value, *rest = nodes_of(symbols, nodes.Node, _Bound)
        return nodes.Extent(
            self.start, self.end, value, "DOTS" in kinds, "STATIC" in kinds,
            self._bound(rest), first_of(rest, nodes.Expansion),
        )  # fmt: skip

    def bound(self, symbols: Symbols) -> _Bound:
        return _Bound(symbols[1])

    def _bound(self, symbols: Symbols) -> nodes.Expression | None:
        found = first_of(symbols, _Bound)
        return found.value if found else None

    def pack(self, symbols: Symbols) -> nodes.Pack:
        qualifier = next(
            (symbol for symbol in symbols if isinstance(symbol, Token) and symbol.kind in ("STATIC", "DYNAMIC")), None
        )
        return nodes.Pack(
            self.start,
            self.end,
            first_of(symbols, nodes.Node),
            qualifier and self._text(qualifier),
            self._bound(symbols),
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
        return nodes.TupleTarget(
            self.start, self.end, nodes_of(symbols, nodes.Name), first_of(symbols, nodes.Expansion)
        )

    def list_target(self, symbols: Symbols) -> nodes.ListTarget:
        return nodes.ListTarget(self.start, self.end, nodes_of(symbols, nodes.NameTarget, nodes.TupleTarget))

    def assertion(self, symbols: Symbols) -> nodes.Assertion:
        message = first_of(symbols, _Message)
        if message is None:
            return nodes.Assertion(self.start, self.end, symbols[0], None, ())
        return nodes.Assertion(self.start, self.end, symbols[0], message.text, message.printed)

    def message(self, symbols: Symbols) -> _Message:
        return _Message(symbols[1], nodes_of(symbols, nodes.Printed))

    def printed(self, symbols: Symbols) -> nodes.Printed:
        return nodes.Printed(self.start, self.end, symbols[0] if len(symbols) > 1 else None, symbols[-1])


class _Bound:
    def __init__(self, value: nodes.Expression) -> None:
        self.value = value


class _Message:
    def __init__(self, text: nodes.String, printed: tuple[nodes.Printed, ...]) -> None:
        self.text = text
        self.printed = printed


# ---- productions of formulas, statements and quantizations to nodes (2.10 to 2.12, 2.14) -----------------------------
class StatementBuilder(ExpressionBuilder):
    """The builder of the entries of ``@lower``, ``@compose``, ``@update`` and ``@quantize``."""

    def lowering(self, symbols: Symbols) -> nodes.Lowering:
        access = next(at for at, symbol in enumerate(symbols) if isinstance(symbol, nodes.Access))
        head, tail = symbols[:access], symbols[access + 3 :]
        locals_ = first_of(head, _Locals)
        condition = first_of(tail, _Condition)
        return nodes.Lowering(
            self.start, self.end, first_of(head, nodes.Unroll), locals_.items if locals_ else (),
            symbols[access], symbols[access + 1], symbols[access + 2],
            nodes_of(tail, nodes.IndexBound), condition.value if condition else None,
        )  # fmt: skip

    def unroll(self, symbols: Symbols) -> nodes.Unroll:
        return nodes.Unroll(self.start, self.end, symbols[3] if len(symbols) > 5 else None, symbols[-2])

    def locals(self, symbols: Symbols) -> _Locals:
        return _Locals(nodes_of(symbols, nodes.Local))

    def local(self, symbols: Symbols) -> nodes.Local:
        return nodes.Local(self.start, self.end, symbols[0], symbols[2])

    def access(self, symbols: Symbols) -> nodes.Access:
        return nodes.Access(self.start, self.end, symbols[0], tuple(symbols[1:]))

    def lowering_operator(self, symbols: Symbols) -> nodes.Operator:
        return self._operator(symbols[0])

    def condition(self, symbols: Symbols) -> _Condition:
        return _Condition(symbols[1])

    def component(self, symbols: Symbols) -> nodes.Component:
        results = nodes_of(symbols[:-1], nodes.Result, nodes.ResultList)
        return nodes.Component(self.start, self.end, results, symbols[-1])

    def result(self, symbols: Symbols) -> nodes.Result:
        return nodes.Result(
            self.start, self.end, symbols[0], first_of(symbols, nodes.ResultType), first_of(symbols, nodes.Pack)
        )

    def result_list(self, symbols: Symbols) -> nodes.ResultList:
        return nodes.ResultList(self.start, self.end, nodes_of(symbols, nodes.Result, nodes.ResultTuple))

    def result_tuple(self, symbols: Symbols) -> nodes.ResultTuple:
        names: list[nodes.Name] = []
        types: list[nodes.ResultType | None] = []
        for symbol in symbols:
            if isinstance(symbol, nodes.Name):
                names.append(symbol)
                types.append(None)
            elif isinstance(symbol, nodes.ResultType):
                types[-1] = symbol
        return nodes.ResultTuple(self.start, self.end, tuple(names), tuple(types), first_of(symbols, nodes.Pack))

    def result_type(self, symbols: Symbols) -> nodes.ResultType:
        return nodes.ResultType(self.start, self.end, symbols[1], symbols[2])

    def branch(self, symbols: Symbols) -> nodes.Branch:
        parts = nodes_of(symbols, nodes.Node)
        keywords = nodes_of(symbols, Token)
        cases = tuple(
            nodes.Case(keywords[2 * at].start - self.base, parts[2 * at + 1].end, parts[2 * at], parts[2 * at + 1])
            for at in range(len(parts) // 2)
        )
        return nodes.Branch(self.start, self.end, cases, parts[-1])

    def loop(self, symbols: Symbols) -> nodes.Loop:
        keyword_at = next(at for at, symbol in enumerate(symbols) if isinstance(symbol, Token))
        head, tail = symbols[:keyword_at], symbols[keyword_at + 1 :]
        carries, scans = first_of(head, _Carries), first_of(head, _Scans)
        before = tuple(symbol for symbol in head if isinstance(symbol, nodes.While))
        after = tuple(
            nodes.While(symbol.start, symbol.end, symbol.condition, True)
            for symbol in tail if isinstance(symbol, nodes.While)
        )  # fmt: skip
        body = next(symbol for symbol in tail if not isinstance(symbol, nodes.While | nodes.Iteration))
        return nodes.Loop(
            self.start, self.end, carries.items if carries else (), scans.items if scans else (), before + after,
            self._operator(symbols[keyword_at]), first_of(tail, nodes.Iteration), body,
        )  # fmt: skip

    def carries(self, symbols: Symbols) -> _Carries:
        return _Carries(nodes_of(symbols, nodes.Carry))

    def carry(self, symbols: Symbols) -> nodes.Carry:
        return nodes.Carry(self.start, self.end, symbols[0], first_of(symbols, nodes.ResultType), symbols[-1])

    def scans(self, symbols: Symbols) -> _Scans:
        return _Scans(nodes_of(symbols, nodes.Scan))

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
        return nodes.Region(self.start, self.end, nodes_of(symbols, nodes.Node))

    def yield_(self, symbols: Symbols) -> nodes.Yield:
        return nodes.Yield(self.start, self.end, nodes_of(symbols, nodes.Node))

    def quantization(self, symbols: Symbols) -> nodes.Quantization:
        arguments = first_of(symbols, CallArguments)
        return nodes.Quantization(
            self.start, self.end, symbols[0], symbols[2], first_of(symbols, nodes.Generics),
            first_of(symbols, nodes.Attributes), arguments.place if arguments else None,
        )  # fmt: skip


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


# ---- productions of the grammar to nodes -----------------------------------------------------------------------------
_WORD = re.compile(r"[A-Za-z_]\w*")
_MISPLACED = re.compile(r"\b(?:operator|graph)\s+([A-Za-z_]\w*)\s*\{|\bimport\s+([\w\s.,]+);")


class TreeBuilder(DeclarationBuilder, StatementBuilder):
    """The builder of the nodes of every production."""

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
        return nodes.Import(self.start, self.end, nodes_of(symbols, nodes.Qualified))

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
        kind, entries = nodes.BlockKind(self._text(keyword)[1:]), nodes.Entries.of(symbols[2])
        return nodes.Block(self.start, self.end, kind, span, entries)

    def error_block(self, symbols: Symbols) -> nodes.ErrorBlock:
        text = self.text[self.start + self.base : self.end + self.base]
        names = (name for found in _MISPLACED.findall(text) for name in _WORD.findall("".join(found)))
        return nodes.ErrorBlock(self.start, self.end, tuple(dict.fromkeys(names)))

    def error_statement(self, symbols: Symbols) -> nodes.ErrorEntry:
        found = _WORD.match(self.text, self.start + self.base, self.end + self.base)
        name = found.group() if found and found.group() not in keywords() else ""
        return nodes.ErrorEntry(self.start, self.end, name)


@cache
def methods() -> tuple[Callable[[TreeBuilder, Symbols], Any] | None, ...]:
    """Return the method for each production of the table; None for productions that build nothing."""
    return tuple(getattr(TreeBuilder, production.builder, None) for production in table().productions)


# Values that a production passes up and that are not nodes of the tree.
class Blocks(list["nodes.Block | nodes.ErrorBlock"]):
    """The blocks of a definition while it is being read."""


class Entries(list["nodes.Entry"]):
    """The entries of a block while it is being read."""
