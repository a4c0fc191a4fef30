"""Defaults that depend on each other, or on the length that they are to give (2.5, 2.6.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from snd_analysis.skriptnd.names import Declaration, Resolution, Symbol, bindings, declarations, symbols_in
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind


class Circles(Struct, frozen=True):
    """Attributes whose defaults can never be evaluated."""

    involved: frozenset[Declaration]
    """Declarations in a circle, and declarations that depend on one."""
    reported: Mapping[Declaration, tuple[Declaration, ...]]
    """The first attribute of each circle, with all of it."""


def circular_defaults(definition: nodes.Definition, resolution: Resolution) -> Circles:
    """Return the attributes whose defaults need their own values.

    An attribute that is required, optional or has a constant default is known; so is a length that an input or a known
    attribute binds. A deferred default is known when all that it names is.
    """
    attributes = declarations(definition, BlockKind.ATTRIB)
    pending = [each for each in attributes if each.parameter.default is not None and not each.parameter.optional]
    needs = {each: _needs(resolution, each) for each in pending}
    gives = {each: frozenset(_gives(resolution, each)) for each in attributes}
    provided = {symbol for each in attributes if each not in needs for symbol in gives[each]}
    for declaration in declarations(definition, BlockKind.INPUT):
        provided.update(_gives(resolution, declaration))
    while True:
        open_symbols = {symbol for each in pending for symbol in gives[each]} - provided
        known = [each for each in pending if not needs[each] & open_symbols]
        if not known:
            break
        pending = [each for each in pending if each not in known]
        provided.update(symbol for each in known for symbol in gives[each])
    edges = {each: tuple(other for other in pending if needs[each] & (gives[other] - provided)) for each in pending}
    return Circles(frozenset(pending), _circles(pending, edges))


def _needs(resolution: Resolution, declaration: Declaration) -> frozenset[Symbol]:
    default = declaration.parameter.default
    return frozenset(symbols_in(resolution, default.value)) if default is not None else frozenset()


def _gives(resolution: Resolution, declaration: Declaration) -> Iterable[Symbol]:
    symbol = resolution.targets.get(declaration.parameter.name)
    if isinstance(symbol, Symbol):
        yield symbol
    yield from (binding.symbol for binding in bindings(resolution, declaration) if binding.symbol is not None)


def _circles(
    pending: list[Declaration], edges: Mapping[Declaration, tuple[Declaration, ...]]
) -> dict[Declaration, tuple[Declaration, ...]]:
    """Return the circles, each with the attribute of it that is declared first."""
    found: dict[Declaration, tuple[Declaration, ...]] = {}
    seen: set[Declaration] = set()
    for declaration in pending:
        forward = _reachable(declaration, edges)
        if declaration in seen or declaration not in forward:
            continue
        circle = tuple(each for each in pending if each in forward and declaration in _reachable(each, edges))
        seen.update(circle)
        found[declaration] = circle
    return found


def _reachable(start: Declaration, edges: Mapping[Declaration, tuple[Declaration, ...]]) -> set[Declaration]:
    reached: set[Declaration] = set()
    pending = [start]
    while pending:
        for other in edges[pending.pop()]:
            if other not in reached:
                reached.add(other)
                pending.append(other)
    return reached
