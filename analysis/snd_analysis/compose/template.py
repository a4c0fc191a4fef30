"""A definition in the form for composing: its statements by block, with their symbols and affine forms."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Span
from snd_analysis.model import Place
from snd_analysis.skriptnd.names import (
    OperatorName,
    Resolution,
    Symbol,
    affine,
    binding_order,
    bindings,
    bound_symbol,
    declarations,
    is_library,
    symbols_in,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.symbolic.integers import Integer

# ---- generic types whose values an operator compares with each other (2.13): strings compare with strings only -------
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


def compared_types(resolution: Resolution, statements: Iterable[nodes.Node]) -> Iterator[tuple[str, str]]:
    """Yield the names of two different generic types wherever an expression compares their values."""
    for statement in statements:
        for node in nodes.descendants(statement):
            if isinstance(node, nodes.Binary) and node.operator.text in _COMPARISONS:
                sides = [_generic_type(resolution, side) for side in (node.left, node.right)]
                if None not in sides and sides[0] != sides[1]:
                    yield str(sides[0]), str(sides[1])


def _generic_type(resolution: Resolution, node: nodes.Node) -> str | None:
    """Return the name of the generic type of an expression; None for other types."""
    match node:
        case nodes.Parenthesized(inner=part) | nodes.Subscript(target=part) | nodes.Substitution(target=part):
            return _generic_type(resolution, part)
        case nodes.Unary(operand=part) | nodes.Select(consequent=part) | nodes.Coalesce(value=part):
            return _generic_type(resolution, part)
        case nodes.Call(function=name):
            symbol = resolution.targets.get(name)
            is_cast = isinstance(symbol, Symbol) and isinstance(symbol.node, nodes.DtypeDeclaration)
            return name.parts[-1].text if is_cast else None
        case nodes.Qualified():
            symbol = resolution.targets.get(node) or resolution.targets.get(node.parts[0])
            return None if not isinstance(symbol, Symbol) else _declared_type(resolution, symbol.node)
    return None


def _declared_type(resolution: Resolution, declaration: nodes.Node) -> str | None:
    match declaration:
        case nodes.Local(value=value):
            return _generic_type(resolution, value)
        case nodes.Parameter(type=name):
            generic = resolution.symbol(name.text)
            is_generic = generic is not None and isinstance(generic.node, nodes.DtypeDeclaration)
            return name.text if is_generic else None
    return None


_Statement = TypeVar("_Statement", bound=nodes.Node)


class AffineForm(Struct, frozen=True):
    """An expression ``factor * symbol + offset`` that binds an extent or a length (2.6)."""

    symbol: Symbol
    factor: int
    offset: int


class Member(Struct, frozen=True):
    """A declared attribute, input, output, constant or variable."""

    base: int
    node: nodes.Parameter
    symbol: Symbol
    name: str

    @property
    def extents(self) -> tuple[nodes.Extent, ...]:
        """The components of the shape; none if it is left out."""
        return self.node.shape.extents if self.node.shape is not None else ()


class Origin(Struct, frozen=True):
    """An invocation that a statement is a part of: its place, and the note about it."""

    span: Span
    message: str


class Template:
    """One definition. ``errors`` are the spans of the mistakes in its own text; nothing is built on them.

    ``original`` is its name in the library, if it is copied from there, as when the library is read as files.
    ``origins`` are the invocations that were replaced by statements, the innermost first. ``extents`` are extents in
    inputs and attributes of a graph about which more than the name is known.
    """

    def __init__(
        self,
        name: OperatorName,
        definition: nodes.Definition,
        resolution: Resolution,
        errors: Sequence[Span],
        original: OperatorName | None = None,
        origins: Mapping[nodes.Node, tuple[Origin, ...]] | None = None,
        extents: Mapping[str, Integer] | None = None,
    ) -> None:
        self.name = name
        self.definition = definition
        self.resolution = resolution
        self.errors = tuple(errors)
        self.original = original
        self.origins = origins or {}
        self.extents = extents or {}
        self.in_library = is_library(name.path)
        self._forms: dict[nodes.Node, AffineForm | None] = {}
        self._symbols: dict[nodes.Node, frozenset[Symbol]] = {}

    def __repr__(self) -> str:
        return f"Template({self.shown})"

    def without(self, span: Span) -> Template:
        """Return the same definition, marked as broken at a span, so that nothing is built on that part."""
        errors = (*self.errors, span)
        return Template(self.name, self.definition, self.resolution, errors, self.original, self.origins, self.extents)

    @property
    def is_graph(self) -> bool:
        """Return whether this is a graph."""
        return self.definition.kind == "graph"

    @property
    def shown(self) -> str:
        """The name for messages: with its module, if it is the library's."""
        module = self.name.path.rpartition(":")[2]
        return f"{module}.{self.name.name}" if self.in_library else self.name.shown

    @property
    def invoked(self) -> tuple[OperatorName, ...]:
        """The operators and graphs that are invoked, each once."""
        return self.resolution.invoked

    # ---- places ------------------------------------------------------------------------------------------------------
    def place(self, base: int, node: nodes.Node | Span) -> Place:
        """Return the place of a node of an entry whose spans count from ``base``."""
        span = node if isinstance(node, Span) else node.span
        return Place(self.name.path, self.name.name, span.shifted(base))

    def declared(self, symbol: Symbol) -> Place:
        """Return the place of the declaration of a symbol."""
        start = self.resolution.starts[symbol.statement]
        span = symbol.local_span.shifted(start)
        return Place(self.name.path, self.name.name, span, symbol.statement, start)

    def start_of(self, place: Place) -> int | None:
        """Return where the statement of a place starts in this version of the definition; None if it is not in it."""
        statement = place.statement
        return self.resolution.starts.get(statement) if isinstance(statement, nodes.Node) else None

    def moved(self, place: Place) -> Place:
        """Return the current place for a place of an earlier version of this definition; other places are unchanged."""
        start = self.start_of(place)
        if start is None or start == place.start:
            return place
        return replace(place, span=place.span.shifted(start - place.start), start=start)

    def is_wrong(self, base: int, node: nodes.Node) -> bool:
        """Return whether something inside a node of an entry is reported already."""
        return self.is_wrong_between(node.start + base, node.end + base)

    def is_wrong_between(self, start: int, end: int) -> bool:
        """Return whether something at a place is reported already."""
        starts, ends = self._errors_by_start
        before = bisect_right(starts, end)
        return before > 0 and start <= ends[before - 1]

    @cached_property
    def _errors_by_start(self) -> tuple[list[int], list[int]]:
        """Return the start offsets of the mistakes, in order, and for each the greatest end offset so far."""
        spans = sorted(self.errors)
        return [span.start for span in spans], [*accumulate((span.end for span in spans), max)]

    @cached_property
    def wrong_groups(self) -> Set[nodes.Group]:
        """The groups of entries of long blocks in which something is reported already."""
        blocks = [block for block in self.definition.blocks if isinstance(block, nodes.Block) and block.entries.is_long]
        if not self.errors:
            return frozenset()
        return {
            group
            for block in blocks
            for start, group in block.entries.groups
            if self.is_wrong_between(start, start + group.entries[-1].end)
        }

    # ---- statements --------------------------------------------------------------------------------------------------
    def member(self, node: nodes.Parameter) -> Member | None:
        """Return a declaration as a member; None if its name is broken."""
        symbol = self.resolution.targets.get(node.name)
        return (
            Member(self.resolution.starts[node], node, symbol, node.name.text) if isinstance(symbol, Symbol) else None
        )

    def _members(self, block: BlockKind) -> tuple[Member, ...]:
        found = (self.member(node) for _, node in entries_of(self.definition, block, nodes.Parameter))
        return tuple(member for member in found if member is not None)

    def _entries(self, block: BlockKind, kind: type[_Statement]) -> tuple[tuple[int, _Statement], ...]:
        return tuple(entries_of(self.definition, block, kind))

    @cached_property
    def generics(self) -> tuple[nodes.DtypeDeclaration, ...]:
        """The generic types, in order."""
        return tuple(node for _, node in self._entries(BlockKind.DTYPE, nodes.DtypeDeclaration))

    @cached_property
    def attributes(self) -> tuple[Member, ...]:
        """The attributes, in order."""
        return self._members(BlockKind.ATTRIB)

    @cached_property
    def inputs(self) -> tuple[Member, ...]:
        """The inputs, in order of declaration."""
        return self._members(BlockKind.INPUT)

    @cached_property
    def binding_order(self) -> tuple[int, ...]:
        """The inputs by their positions, in the order of 2.6.2."""
        order = binding_order(self.definition, self.resolution).inputs
        positions = {member.node: at for at, member in enumerate(self.inputs)}
        return tuple(positions[node] for node in order if node in positions)

    @cached_property
    def outputs(self) -> tuple[Member, ...]:
        """The outputs, in order."""
        return self._members(BlockKind.OUTPUT)

    @cached_property
    def constants(self) -> tuple[Member, ...]:
        """The constants, in order."""
        return self._members(BlockKind.CONSTANT)

    @cached_property
    def variables(self) -> tuple[Member, ...]:
        """The variables, in order."""
        return self._members(BlockKind.VARIABLE)

    @cached_property
    def using(self) -> tuple[tuple[int, nodes.Using], ...]:
        """The definitions of helper symbols, in order."""
        return self._entries(BlockKind.USING, nodes.Using)

    @cached_property
    def assertions(self) -> tuple[tuple[int, nodes.Assertion], ...]:
        """The assertions, in order."""
        return self._entries(BlockKind.ASSERT, nodes.Assertion)

    @cached_property
    def formulas(self) -> tuple[tuple[int, nodes.Lowering], ...]:
        """The formulas of ``@lower``, in order."""
        return self._entries(BlockKind.LOWER, nodes.Lowering)

    @cached_property
    def compared_types(self) -> frozenset[tuple[str, str]]:
        """The pairs of different generic types whose values are compared."""
        if len(self.generics) < 2:
            return frozenset()
        statements = (each for _, each in (*self.using, *self.assertions, *self.formulas))
        return frozenset(compared_types(self.resolution, statements))

    @cached_property
    def components(self) -> tuple[tuple[int, nodes.Component], ...]:
        """The statements of ``@compose``, in order."""
        return self._entries(BlockKind.COMPOSE, nodes.Component)

    @cached_property
    def updates(self) -> tuple[tuple[int, nodes.Component], ...]:
        """The statements of ``@update``, in order."""
        return self._entries(BlockKind.UPDATE, nodes.Component)

    @cached_property
    def quantizations(self) -> tuple[tuple[int, nodes.Quantization], ...]:
        """The entries of ``@quantize``, in order."""
        return self._entries(BlockKind.QUANTIZE, nodes.Quantization)

    @cached_property
    def length(self) -> int:
        """The number of statements of ``@compose`` and ``@update``."""
        rows = (*self.resolution.rows[BlockKind.COMPOSE], *self.resolution.rows[BlockKind.UPDATE])
        return sum(len(row.single) for row in rows)

    @cached_property
    def is_composite(self) -> bool:
        """Return whether there is a ``@compose`` block with anything in it."""
        return bool(self.resolution.rows[BlockKind.COMPOSE])

    @cached_property
    def has_unreadable_declarations(self) -> bool:
        """Return whether a declaration, or more, could not be read: then anything else may be wrong for that reason."""
        for block in self.definition.blocks:
            if isinstance(block, nodes.ErrorBlock):
                return True
            if block.kind not in (BlockKind.COMPOSE, BlockKind.UPDATE, BlockKind.LOWER, BlockKind.QUANTIZE) and any(
                not group.is_read for _, group in block.entries.groups
            ):
                return True
        return False

    @cached_property
    def signature_is_wrong(self) -> bool:
        """Return whether a part that invocations rely on has reported problems."""
        if not self.errors:
            return False
        if self.has_unreadable_declarations:
            return True
        return (
            self._wrong_block(BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.USING, BlockKind.OUTPUT)
            is not None
        )

    @cached_property
    def wrong_body(self) -> nodes.Block | None:
        """A block that computes something and has reported problems: its results mean nothing."""
        return (
            self._wrong_block(
                BlockKind.CONSTANT, BlockKind.VARIABLE, BlockKind.LOWER, BlockKind.COMPOSE, BlockKind.UPDATE
            )
            if self.errors
            else None
        )

    def _wrong_block(self, *kinds: BlockKind) -> nodes.Block | None:
        for block in self.definition.blocks:
            if isinstance(block, nodes.Block) and block.kind in kinds and self.is_wrong(0, block):
                return block
        return None

    @cached_property
    def signature_symbols(self) -> frozenset[Symbol]:
        """The extents and lengths that attributes and inputs bind."""
        found: set[Symbol] = set()
        for block in (BlockKind.ATTRIB, BlockKind.INPUT):
            for declaration in declarations(self.definition, block):
                found.update(each.symbol for each in bindings(self.resolution, declaration) if each.symbol is not None)
        return frozenset(found)

    def bound_by(self, member: Member) -> frozenset[Symbol]:
        """Return the extents and lengths that the shape of one input binds."""
        found: set[Symbol] = set()
        for extent in member.extents:
            for node in (extent.value, extent.expansion.length if extent.expansion is not None else None):
                form = None if node is None else self.form(node)
                if form is not None:
                    found.add(form.symbol)
        return frozenset(found)

    # ---- expressions -------------------------------------------------------------------------------------------------
    def form(self, expression: nodes.Expression | nodes.Tilde) -> AffineForm | None:
        """Return the extent or length that an expression binds, if it is affine in one."""
        if expression not in self._forms:
            symbol = bound_symbol(self.resolution, expression)
            form = affine(expression)
            self._forms[expression] = (
                None if symbol is None or form is None else AffineForm(symbol, form.factor, form.offset)
            )
        return self._forms[expression]

    def symbols(self, expression: nodes.Node) -> frozenset[Symbol]:
        """Return the symbols that an expression names; for a member of a shape, its tensor."""
        known = self._symbols.get(expression)
        if known is None:
            known = self._symbols[expression] = frozenset(symbols_in(self.resolution, expression))
        return known
