"""Productions of formulas, statements and quantizations to nodes (2.10 to 2.12, 2.14)."""

from __future__ import annotations

from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.expression_builder import (
    CallArguments,
    ExpressionBuilder,
    Symbols,
    first_of,
    nodes_of,
)
from snd_analysis.skriptnd.syntax.tokens import Token


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
