"""Productions of declarations, helper symbols and assertions to nodes (2.5 to 2.9, 2.13)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Edit, Problem, Repair, Span
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.expression_builder import ExpressionBuilder, Symbols, first_of, nodes_of
from snd_analysis.skriptnd.syntax.tokens import Token


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
