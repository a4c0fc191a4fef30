"""The state of the typing of one definition: facts about its symbols, and problems.

The order is that of the flow in section 2.2: declarations first (``declarations.py`` gives every attribute, input,
extent, length, helper symbol, constant, variable and output its type), then assertions, ``@lower`` (``lowering.py``),
``@compose`` and ``@update`` (``compose.py``), ``@quantize``. Expressions are typed by ``expressions.py`` wherever they
stand.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Set
from contextlib import contextmanager
from enum import StrEnum

from msgspec.structs import replace

from snd_analysis.base import Layers, Note, Problem, Repair, Rule, Span
from snd_analysis.skriptnd.names import OperatorName, Resolution, Symbol, SymbolKind, Target
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.signature import Others, Signature
from snd_analysis.skriptnd.types.type import ABSTRACT, CONCRETE, UNTYPED, Dtype, Extents, Typed

_DERIVED = frozenset({SymbolKind.USING, SymbolKind.LOCAL})
_NULL_WITH_OTHERS = _DERIVED | {SymbolKind.EXTENT, SymbolKind.LENGTH}


class Stage(StrEnum):
    """The position of an expression, which decides its allowed forms."""

    COMPILE_TIME = "compile-time"
    """Declarations, helper symbols, assertions, attributes: no tensor is read."""
    COMPOSE = "compose"
    """Right sides and arguments in ``@compose``: tensors are chosen, collected and passed on, not computed with."""
    LOWER = "lower"
    """Formulas: tensors are accessed by index."""


class Context:
    """The state that all parts of the typing of a definition share."""

    def __init__(self, definition: nodes.Definition, resolution: Resolution, others: Others) -> None:
        self.definition = definition
        self.resolution = resolution
        self.others = others
        self.problems: list[Problem] = []
        self.symbols: Layers[Symbol, Typed] = Layers()
        self.expressions: dict[nodes.Node, Typed] = {}
        """Types and values of every expression, for hovers."""
        self.extents: Layers[Symbol, Extents | None] = Layers()
        """Extents of tensors, as far as they are computed."""
        self.base = 0
        """Offset that the spans of the current entry count from; set it before going on to another entry."""
        self.stage = Stage.COMPILE_TIME
        self.writing = False
        """True if the expression is written by a formula, not an index, a local value or a condition."""
        self._promoted: frozenset[Symbol] = frozenset()
        self._doubted: set[Symbol] = set()
        self._presumed: set[Symbol] = set()

    def target(self, node: nodes.Node) -> Target | None:
        """Return the target of a name; None for an undefined name, which is reported already."""
        return self.resolution.targets.get(node)

    def invoked_signature(self, name: OperatorName) -> Signature | None:
        """Return the signature that an invocation is checked against.

        None for an invocation of the definition itself, which never ends and is reported. The definition is recognized
        by its name: the signature may come from an earlier version.
        """
        if name.name == self.definition.name.text and name == self.others.own(self.definition):
            return None
        return self.others.signature(name)

    def symbol(self, node: nodes.Node) -> Symbol | None:
        """Return the symbol that a name refers to; None if it refers to none."""
        target = self.target(node)
        return target if isinstance(target, Symbol) else None

    def typed(self, symbol: Symbol) -> Typed:
        """Return the facts about a symbol here; not optional where a null test promotes it (2.4, 2.10.1)."""
        if symbol in self.resolution.ambiguous or symbol in self._doubted:
            return UNTYPED
        known: Typed = self.symbols.get(symbol, UNTYPED)
        if (symbol in self._promoted or symbol in self._presumed) and known.type is not None and known.type.optional:
            return Typed(known.type.required(), known.value, known.items, known.accesses)
        return known

    @contextmanager
    def promoting(self, symbols: frozenset[Symbol]) -> Iterator[None]:
        """Treat the symbols as not null within."""
        before = self._promoted
        self._promoted = before | symbols
        try:
            yield
        finally:
            self._promoted = before

    def doubt(self, *places: nodes.Node) -> None:
        """Make a helper symbol or local value with a reported type or length untyped from now on.

        Its type was inferred, not declared: the mistake lies in its definition, and is one mistake however often the
        symbol is used (invariant 8).
        """
        for node in places:
            while isinstance(node, nodes.Parenthesized):
                node = node.inner
            symbol = self.symbol(node)
            if symbol is not None and symbol.kind in _DERIVED:
                self._doubted.add(symbol)

    def doubt_packs(self, node: nodes.Node) -> None:
        """Make helper symbols untyped after a pack was reported where a single value must stand.

        They are the packs in ``node``, the packs that these are computed from, and all that is computed from them: one
        parameter that should not be a pack makes packs of all.
        """
        pending, found = [node], set[Symbol]()
        while pending:
            for symbol in {self.symbol(each) for each in nodes.descendants(pending.pop())} - found:
                type_ = None if symbol is None or symbol.kind not in _DERIVED else self.typed(symbol).type
                if symbol is not None and type_ is not None and type_.packed:
                    found.add(symbol)
                    pending.extend(self._definitions(symbol))
        for _, entry in entries_of(self.definition, BlockKind.USING, nodes.Using):
            if any(self.symbol(each) in found for each in nodes.descendants(entry.value)):
                targets = (self.symbol(each) for each in nodes.descendants(entry.target))
                found.update(symbol for symbol in targets if symbol is not None)
        self._doubted |= found

    def presume(self, node: nodes.Node) -> None:
        """Treat helper symbols and extents in ``node`` as not null, after a null value was reported there."""
        pending = [node]
        while pending:
            named = {self.symbol(each) for each in nodes.descendants(pending.pop())}
            for symbol in named - self._presumed:
                if symbol is not None and symbol.kind in _NULL_WITH_OTHERS:
                    self._presumed.add(symbol)
                    pending.extend(self._definitions(symbol))

    def presume_given(self, symbol: Symbol | None) -> None:
        """Treat a parameter as not null, whose declaration is reported to be optional by mistake."""
        if symbol is not None:
            self._presumed.add(symbol)

    def is_presumed(self, node: nodes.Node) -> bool:
        """Return whether something in ``node`` is treated as not null, though it may be, since that is reported."""
        return any(self.symbol(each) in self._presumed for each in nodes.descendants(node))

    def _definitions(self, symbol: Symbol) -> Iterator[nodes.Node]:
        """Yield the values given to a helper symbol, which may be the reason that it is null."""
        for _, entry in entries_of(self.definition, BlockKind.USING, nodes.Using):
            if any(self.symbol(each) is symbol for each in nodes.descendants(entry.target)):
                yield entry.value

    def distrust(self, symbol: Symbol | None) -> None:
        """Let a symbol whose declaration contradicts itself, which is reported, have no type from now on."""
        if symbol is not None:
            self._doubted.add(symbol)

    def given(self) -> Mapping[Hashable, object]:
        """Return the facts about everything that statements may name, except additions of other statements."""
        symbols, operators = self.resolution.symbols_outside, self.resolution.invoked
        return {
            **{symbol: (self.typed(symbol), self.extents.get(symbol)) for symbol in symbols},
            **{name: self.invoked_signature(name) for name in operators},
        }

    @property
    def unsure(self) -> Set[Symbol]:
        """Return the symbols whose inferred value must not be used, since a problem with it was reported."""
        return self._doubted | self._presumed

    def amount_said(self) -> tuple[int, int, int]:
        """Return the numbers of problems and suppressions: they stay the same as long as no problem is found."""
        return len(self.problems), len(self._doubted), len(self._presumed)

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Report nothing within, and remember no mistakes."""
        reported, doubted, presumed = len(self.problems), set(self._doubted), set(self._presumed)
        try:
            yield
        finally:
            del self.problems[reported:]
            self._doubted, self._presumed = doubted, presumed

    @contextmanager
    def at(self, stage: Stage) -> Iterator[None]:
        """Type expressions within for ``stage``."""
        before, self.stage = self.stage, stage
        try:
            yield
        finally:
            self.stage = before

    @contextmanager
    def written(self, writing: bool) -> Iterator[None]:
        """Set ``writing`` inside the context: True for expressions whose values are written, False for conditions."""
        before, self.writing = self.writing, writing
        try:
            yield
        finally:
            self.writing = before

    def span(self, node: nodes.Node) -> Span:
        """Return the span of a node of the current entry in the chunk."""
        return node.span.shifted(self.base)

    def note(self, node: nodes.Node, message: str) -> Note:
        """Return a note at a node of the current entry."""
        return Note(self.span(node), message)

    def declared(self, symbol: Symbol) -> Note:
        """Return a note at the declaration of a symbol."""
        return Note(self.resolution.span(symbol), f"the {symbol.kind} '{symbol.name}' is declared here")

    def report(
        self,
        rule: Rule,
        node: nodes.Node,
        message: str,
        notes: tuple[Note, ...] = (),
        repair: Repair | None = None,
    ) -> None:
        """Report a broken rule at a node of the current entry."""
        self.problems.append(Problem(rule, self.span(node), message, notes, repair))

    def report_once(self, rule: Rule, node: nodes.Node, message: str, again: str) -> None:
        """Report a broken rule once for the current entry: further places of the same are notes of the first."""
        for at, problem in enumerate(self.problems):
            if problem.rule == rule and problem.message == message and problem.span.start >= self.base:
                self.problems[at] = replace(problem, notes=(*problem.notes, Note(self.span(node), again)))
                return
        self.report(rule, node, message)


# ---- element types by the names of types (2.3, 2.13) -----------------------------------------------------------------
def dtype_of(context: Context, name: nodes.TypeName) -> Dtype | None:
    """Return the element type of a type name: concrete, abstract (with an empty base), or generic."""
    if name.is_keyword:
        return CONCRETE.get(name.text) or Dtype(name.text)
    symbol = context.symbol(name)
    return None if symbol is None else generic_dtype(symbol)


def generic_dtype(symbol: Symbol) -> Dtype | None:
    """Return the type of a declared generic type."""
    if not isinstance(symbol.node, nodes.DtypeDeclaration):
        return None
    base = symbol.node.base.text
    # A wrong base is reported where the type is declared: with 'num', most uses of the type are right.
    return Dtype(symbol.name, base if base in ABSTRACT else "num")
