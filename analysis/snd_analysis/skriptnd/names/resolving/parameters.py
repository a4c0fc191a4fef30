"""Names in declarations, of types, parameters and helper symbols (2.5 to 2.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from snd_analysis import rules
from snd_analysis.base import Problem
from snd_analysis.skriptnd.names.bindings import affine
from snd_analysis.skriptnd.names.resolving.expressions import resolve_expression, resolve_type
from snd_analysis.skriptnd.names.resolving.tables import Tables
from snd_analysis.skriptnd.names.symbols import Scope, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

Entries = list[tuple[int, nodes.Parameter]]

_KINDS = {
    BlockKind.ATTRIB: SymbolKind.ATTRIBUTE,
    BlockKind.INPUT: SymbolKind.INPUT,
    BlockKind.OUTPUT: SymbolKind.OUTPUT,
    BlockKind.CONSTANT: SymbolKind.CONSTANT,
    BlockKind.VARIABLE: SymbolKind.VARIABLE,
}


def declare_types(tables: Tables, scope: Scope, entries: list[tuple[int, nodes.DtypeDeclaration]]) -> None:
    """Declare the generic types of ``@dtype`` (2.13)."""
    for base, entry in entries:
        tables.begin(base, entry)
        tables.declare(scope, entry.name, SymbolKind.DTYPE, entry)


def declare_parameters(tables: Tables, scope: Scope, block: BlockKind, entries: Entries) -> None:
    """Declare the names of attributes, inputs, outputs, constants or variables, without the names in their types."""
    tables.block = block
    for base, entry in entries:
        tables.begin(base, entry)
        tables.declare(scope, entry.name, _KINDS[block], entry)


def declare_extents(
    tables: Tables, scope: Scope, attributes: Entries, inputs: Entries, elsewhere: Callable[[], Set[str]]
) -> None:
    """Declare the extents and lengths that attributes and inputs bind (2.5, 2.6): affine expressions of new names.

    An expression with several unknown names declares none of them: another declaration may. Names in an expression that
    is not affine, which no declaration binds, are reported and declared as well, so that one mistake is one diagnostic.
    Names in ``elsewhere``, which a later block declares, are exempt.
    """
    places = [*_length_places(attributes, BlockKind.ATTRIB), *_input_places(inputs)]
    for base, entry in inputs:
        if entry.rank is not None and entry.rank.text not in scope.names:
            tables.begin(base, entry)
            tables.declare(scope, entry.rank, SymbolKind.LENGTH, entry.rank)
    for base, entry, _, node, expression, kind in places:
        form = affine(expression)
        if form is not None and form.name and form.name not in scope.names:
            tables.begin(base, entry)
            tables.declare(scope, _name_in(expression, form.name), kind, node)
    for base, entry, block, node, expression, kind in places:
        unknown = {name.text: name for name in _names(expression) if name.text not in scope.names}
        if unknown and not _is_single_name(expression) and not unknown.keys() & elsewhere():
            names = " and ".join(f"'{name}'" for name in unknown)
            message = (
                f"{names} {'is' if len(unknown) == 1 else 'are'} declared nowhere, and an extent or length declares a "
                f"name only in an affine expression such as '2 * {next(iter(unknown))} + 1'"
            )
            if not any(isinstance(each, nodes.Bounded) for each in nodes.descendants(expression)):  # reported as such
                tables.problems.append(Problem(rules.NOT_AFFINE, expression.span.shifted(base), message))
            tables.block = block
            tables.begin(base, entry)
            for name in unknown.values():
                tables.declare(scope, name, kind, node)


_ExtentName = tuple[int, nodes.Parameter, BlockKind, nodes.Node, "nodes.Expression | nodes.Tilde", SymbolKind]


def _input_places(entries: Entries) -> Iterator[_ExtentName]:
    for base, entry in entries:
        for extent in entry.shape.extents if entry.shape else ():
            yield base, entry, BlockKind.INPUT, extent, extent.value, SymbolKind.EXTENT
            if extent.expansion is not None and extent.expansion.length is not None:
                yield base, entry, BlockKind.INPUT, extent.expansion, extent.expansion.length, SymbolKind.LENGTH
        yield from _length_places([(base, entry)], BlockKind.INPUT)


def _length_places(entries: Entries, block: BlockKind) -> Iterator[_ExtentName]:
    for base, entry in entries:
        if entry.pack is not None and entry.pack.length is not None:
            yield base, entry, block, entry.pack, entry.pack.length, SymbolKind.LENGTH


def _names(expression: nodes.Node) -> list[nodes.Name]:
    found = []
    pending = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.Qualified):
            if len(node.parts) == 1 and node.parts[0].text:
                found.append(node.parts[0])
        elif isinstance(node, nodes.Call):
            pending.extend(node.arguments)
        else:
            pending.extend(nodes.children(node))
    return sorted(found, key=lambda name: name.start)


def _name_in(expression: nodes.Node, text: str) -> nodes.Name:
    return next(name for name in _names(expression) if name.text == text)


def _is_single_name(expression: nodes.Node) -> bool:
    return isinstance(expression, nodes.Qualified) and len(expression.parts) == 1


def declare_dynamic_extents(tables: Tables, scope: Scope, outputs: Entries) -> None:
    """Declare the symbols of dynamic output extents: a new name with an upper bound (2.6.1)."""
    for base, entry in outputs:
        for extent in entry.shape.extents if entry.shape else ():
            value = extent.value
            if extent.bound is None or not isinstance(value, nodes.Qualified) or len(value.parts) != 1:
                continue
            if value.parts[0].text not in scope.names:
                tables.begin(base, entry)
                tables.declare(scope, value.parts[0], SymbolKind.EXTENT, extent)


def resolve_parameters(
    tables: Tables, scope: Scope, block: BlockKind, entries: Entries, value_scope: Scope | None = None
) -> None:
    """Resolve the names in the types, shapes, lengths and values of declarations.

    ``value_scope``, if given, is the scope of default values.
    """
    tables.block = block
    for base, entry in entries:
        tables.begin(base, entry)
        resolve_type(tables, scope, entry.type)
        if entry.rank is not None and entry.rank not in tables.targets:
            _refer(tables, scope, entry.rank)
        _resolve_shape(tables, scope, entry.shape)
        resolve_declared(tables, scope, entry.pack)
        if entry.default is not None:
            inner = Scope(value_scope or scope)
            _resolve_default(tables, inner, entry.default)


def _resolve_shape(tables: Tables, scope: Scope, shape: nodes.Shape | None) -> None:
    """Resolve a shape. Names that are missing beside a bound that the block does not allow are not reported."""
    for extent in shape.extents if shape else ():
        missing = len(tables.undefined)
        resolve_declared(tables, scope, extent)
        is_stored = tables.block in (BlockKind.CONSTANT, BlockKind.VARIABLE)
        if extent.bound is not None and (is_stored or (tables.block is BlockKind.INPUT and not tables.is_graph)):
            del tables.undefined[missing:]


def _refer(tables: Tables, scope: Scope, name: nodes.Name) -> None:
    symbol = scope.find(name.text)
    if symbol is None:
        tables.missing(name, name.text, scope)
        return
    tables.targets[name] = symbol
    tables.use(name, symbol)


def _resolve_default(tables: Tables, inner: Scope, default: nodes.Default) -> None:
    for bound in default.bounds:
        resolve_expression(tables, inner.outer or inner, bound.bound)
    for bound in default.bounds:
        tables.declare(inner, bound.name, SymbolKind.INDEX, bound)
    resolve_expression(tables, inner, default.value)


def resolve_declared(
    tables: Tables, scope: Scope, node: nodes.Shape | nodes.Extent | nodes.Pack | nodes.Expansion | None
) -> None:
    """Resolve a shape or length, whose names may be the ones that declare a symbol."""
    if node is None:
        return
    pending: list[nodes.Node] = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, nodes.Qualified) and len(current.parts) == 1:
            declared = tables.targets.get(current.parts[0])
            if declared is not None:
                tables.targets[current] = declared
            else:
                resolve_expression(tables, scope, current)
        elif isinstance(current, nodes.Call | nodes.Qualified):
            resolve_expression(tables, scope, current)
        else:
            pending.extend(reversed([each for each in nodes.children(current) if type(each) is not nodes.Literal]))


def resolve_using(tables: Tables, scope: Scope, entries: list[tuple[int, nodes.Using]]) -> None:
    """Resolve ``@using`` in order: a symbol is visible behind its definition only (2.9)."""
    tables.block = BlockKind.USING
    for base, entry in entries:
        tables.begin(base, entry)
        resolve_expression(tables, scope, entry.value)
        for target in _targets(entry.target):
            if target.expansion is not None:
                resolve_expression(tables, scope, target.expansion.length)
        for target in _targets(entry.target):
            for name in target.names:
                tables.declare(scope, name, SymbolKind.USING, target)


def target_names(target: nodes.NameTarget | nodes.ListTarget) -> Iterator[nodes.Name]:
    """Yield the names that the left side of an entry of ``@using`` defines."""
    for item in _targets(target):
        yield from item.names


def _targets(target: nodes.NameTarget | nodes.ListTarget) -> tuple[nodes.NameTarget | nodes.TupleTarget, ...]:
    return target.items if isinstance(target, nodes.ListTarget) else (target,)
