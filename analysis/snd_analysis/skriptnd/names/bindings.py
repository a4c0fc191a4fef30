"""The declarations of a definition, and the places where they bind extents and lengths (2.5, 2.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.names.symbols import ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of


# ---- affine expressions of one identifier, by their syntax (2.6): ``a * x + b`` with literals ``a`` and ``b`` --------
class Affine(Struct, frozen=True):
    """``factor * name + offset``; ``name`` is None for a constant."""

    name: str | None
    factor: int
    offset: int


def affine(expression: nodes.Expression | nodes.Tilde, constants: frozenset[str] = frozenset()) -> Affine | None:
    """Return the affine form of an expression of literals and at most one identifier; None if it has none.

    Identifiers in ``constants`` have known values and so make no affine form.
    """
    match expression:
        case nodes.Literal(type="int", value=value):
            return Affine(None, 0, int(value))
        case nodes.Qualified(parts=(name,)):
            return None if name.text in constants else Affine(name.text, 1, 0)
        case nodes.Parenthesized(inner=inner):
            return affine(inner, constants)
        case nodes.Unary(operator=operator, operand=operand) if operator.text in "+-":
            inner_form = affine(operand, constants)
            return inner_form and _scaled(inner_form, -1 if operator.text == "-" else 1)
        case nodes.Binary(left=left, operator=operator, right=right) if operator.text in ("+", "-", "*"):
            first, second = affine(left, constants), affine(right, constants)
            return None if first is None or second is None else _combined(first, operator.text, second)
    return None


def _scaled(form: Affine, by: int) -> Affine:
    return Affine(form.name if by else None, form.factor * by, form.offset * by)


def _combined(first: Affine, operator: str, second: Affine) -> Affine | None:
    if operator == "*":
        if first.name is not None and second.name is not None:
            return None
        return _scaled(first, second.offset) if second.name is None else _scaled(second, first.offset)
    second = _scaled(second, -1) if operator == "-" else second
    if first.name is not None and second.name is not None and first.name != second.name:
        return None
    name = first.name or second.name
    factor = first.factor + second.factor
    return Affine(name if factor else None, factor, first.offset + second.offset)


# ---- the declarations of a definition, and the places where they bind extents and lengths (2.5, 2.6) -----------------
BOUND_KINDS = frozenset({SymbolKind.EXTENT, SymbolKind.LENGTH})
"""The kinds of symbols that get their values by binding, not by being given."""


class Declaration(Struct, frozen=True):
    """An attribute, input, output, constant or variable at its place."""

    block: BlockKind
    base: int
    """Offset that the spans inside ``parameter`` count from."""
    parameter: nodes.Parameter

    @property
    def name(self) -> str:
        """The declared name."""
        return self.parameter.name.text

    @property
    def extents(self) -> tuple[nodes.Extent, ...]:
        """The components of the shape; none if it is left out."""
        return self.parameter.shape.extents if self.parameter.shape is not None else ()


def declarations(definition: nodes.Definition, block: BlockKind) -> list[Declaration]:
    """Return the declarations of one block, in order."""
    return [Declaration(block, base, entry) for base, entry in entries_of(definition, block, nodes.Parameter)]


class Binding(Struct, frozen=True):
    """A place in a declaration where an extent or length is bound or prescribed."""

    declaration: Declaration
    node: nodes.Extent | nodes.Expansion | nodes.Pack | nodes.Name
    """The node that the expression belongs to; the name itself where a rank is captured."""
    expression: nodes.Node
    symbol: Symbol | None
    """The extent or length that the expression is affine in: binding it gives the value of that symbol."""


def bindings(resolution: Resolution, declaration: Declaration) -> Iterator[Binding]:
    """Yield the places of one attribute or input: its extents, their lengths, its rank, its own length."""
    parameter = declaration.parameter
    if parameter.rank is not None:
        target = resolution.targets.get(parameter.rank)
        symbol = target if isinstance(target, Symbol) and target.kind in BOUND_KINDS else None
        yield Binding(declaration, parameter.rank, parameter.rank, symbol)
    for extent in declaration.extents:
        yield Binding(declaration, extent, extent.value, bound_symbol(resolution, extent.value))
        if extent.expansion is not None and extent.expansion.length is not None:
            length = extent.expansion.length
            yield Binding(declaration, extent.expansion, length, bound_symbol(resolution, length))
    if parameter.pack is not None and parameter.pack.length is not None:
        length_of_pack = parameter.pack.length
        yield Binding(declaration, parameter.pack, length_of_pack, bound_symbol(resolution, length_of_pack))


def bound_symbol(resolution: Resolution, expression: nodes.Expression | nodes.Tilde) -> Symbol | None:
    """Return the extent or length in which an expression is affine, if it is."""
    form = affine(expression)
    if form is None or form.name is None:
        return None
    found = next((symbol for symbol in symbols_in(resolution, expression) if symbol.name == form.name), None)
    return found if found is not None and found.kind in BOUND_KINDS else None


def symbols_in(resolution: Resolution, expression: nodes.Node | None) -> dict[Symbol, None]:
    """Return the symbols that an expression names, in order; a tensor where it names its shape."""
    if expression is None:
        return {}
    found: dict[Symbol, None] = {}
    for node in nodes.descendants(expression):
        target = resolution.targets.get(node)
        if isinstance(target, ShapeMember):
            target = target.tensor
        if isinstance(target, Symbol):
            found[target] = None
    return found


# ---- the order in which the shapes of inputs are bound to their symbols (2.6.2) --------------------------------------
class Obstacle(Struct, frozen=True):
    """Why an input can't be bound: several packs of unknown length, or symbols that nothing determines before."""

    declaration: Declaration
    packs: tuple[nodes.Extent, ...]
    unknown: tuple[Symbol, ...]


class BindingOrder(Struct, frozen=True):
    """The inputs in binding order, and the obstacles that some of them meet."""

    inputs: tuple[nodes.Parameter, ...]
    obstacles: tuple[Obstacle, ...]


def binding_order(definition: nodes.Definition, resolution: Resolution) -> BindingOrder:
    """Return the binding order of 2.6.2.

    An input that can't be bound counts as bound for the inputs after it: an input that only waits for it is right.
    """
    known, by_attributes = _known_before(definition, resolution)
    inputs = declarations(definition, BlockKind.INPUT)

    def obstacle(declaration: Declaration) -> Obstacle | None:
        return _obstacle(resolution, declaration, known, by_attributes)

    order: list[Declaration] = []
    obstacles: list[Obstacle] = []
    pending = [declaration for declaration in inputs if not declaration.parameter.optional]
    while pending:
        bindable = next((each for each in pending if obstacle(each) is None), None)
        if bindable is None:
            bindable = pending[0]
            found = obstacle(bindable)
            assert found is not None
            obstacles.append(found)
        pending.remove(bindable)
        order.append(bindable)
        known |= _bound_by(resolution, bindable) | _own(resolution, bindable)
    for declaration in inputs:
        if declaration.parameter.optional:
            order.append(declaration)
            found = obstacle(declaration)
            if found is not None:
                obstacles.append(found)
    return BindingOrder(tuple(declaration.parameter for declaration in order), tuple(obstacles))


def is_constant(resolution: Resolution, expression: nodes.Node) -> bool:
    """Return whether a default is known from its own text: it names no symbol but generic types (2.5)."""
    return all(symbol.kind is SymbolKind.DTYPE for symbol in symbols_in(resolution, expression))


def _known_before(definition: nodes.Definition, resolution: Resolution) -> tuple[set[Symbol], set[Symbol]]:
    """Return the symbols known before any input is bound, and the lengths that attributes may bind.

    Known are some attributes, and symbols that are wrong anyway. Attributes may bind lengths before or after the
    inputs.
    """
    known = set()
    by_attributes = set()
    for declaration in declarations(definition, BlockKind.ATTRIB):
        parameter = declaration.parameter
        given = parameter.default is None or is_constant(resolution, parameter.default.value)
        if parameter.pack is None and not parameter.optional and given:
            known |= _own(resolution, declaration)
        by_attributes |= _bound_by(resolution, declaration)
    bound = by_attributes.union(*(_bound_by(resolution, each) for each in declarations(definition, BlockKind.INPUT)))
    # A symbol that no affine expression binds is reported at its use.
    wrong = {symbol for symbol in resolution.symbols_outside if symbol.kind in BOUND_KINDS and symbol not in bound}
    return known | wrong, by_attributes


def _own(resolution: Resolution, declaration: Declaration) -> set[Symbol]:
    symbol = resolution.targets.get(declaration.parameter.name)
    return {symbol} if isinstance(symbol, Symbol) else set()


def _bound_by(resolution: Resolution, declaration: Declaration) -> set[Symbol]:
    return {binding.symbol for binding in bindings(resolution, declaration) if binding.symbol is not None}


def _obstacle(
    resolution: Resolution, declaration: Declaration, known: set[Symbol], by_attributes: set[Symbol]
) -> Obstacle | None:
    # The rank of the tensor at hand is known, whether it is captured or read as `x.rank`.
    rank = declaration.parameter.rank
    captured = resolution.targets.get(rank) if rank is not None else None
    own = _own(resolution, declaration) | ({captured} if isinstance(captured, Symbol) else set())

    def is_evaluable(symbol: Symbol) -> bool:  # a union of the sets would be made anew for each declaration
        return symbol in known or symbol in own

    packs = tuple(extent for extent in declaration.extents if _is_flexible(resolution, extent, is_evaluable))
    if len(packs) > 1:
        return Obstacle(declaration, packs, ())
    bound = _bound_by(resolution, declaration)
    unknown = {
        symbol: None
        for binding in bindings(resolution, declaration)
        for symbol in symbols_in(resolution, binding.expression)
        if symbol.kind in BOUND_KINDS and not (is_evaluable(symbol) or symbol in by_attributes or symbol in bound)
    }
    return Obstacle(declaration, (), tuple(unknown)) if unknown else None


def _is_flexible(resolution: Resolution, extent: nodes.Extent, is_known: Callable[[Symbol], bool]) -> bool:
    """Return whether an extent is a pack whose length is not known."""
    if extent.expansion is None:
        return False
    length = extent.expansion.length
    if length is not None and all(map(is_known, symbols_in(resolution, length))):
        return False
    pack = symbols_in(resolution, extent.value)
    return not pack or not all(map(is_known, pack))
