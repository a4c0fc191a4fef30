"""The order in which the shapes of inputs are bound to their symbols (2.6.2)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from snd_analysis.skriptnd.names.bindings import BOUND_KINDS, Declaration, bindings, declarations, symbols_in
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.names.symbols import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind


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
