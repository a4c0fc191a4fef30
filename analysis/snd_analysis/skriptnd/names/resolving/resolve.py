"""All names of a definition, by the visibility rules of 2.2 and 2.5 to 2.14.

Blocks may stand in any order; they are read in the order in which the draft evaluates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter

from msgspec.structs import replace

from snd_analysis.base import Note, Problem, Span
from snd_analysis.skriptnd.limits import MOST_FURTHER_USES
from snd_analysis.skriptnd.names.module_scope import ModuleScope
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.names.resolving import parameters
from snd_analysis.skriptnd.names.resolving.compose import ComposeNames
from snd_analysis.skriptnd.names.resolving.expressions import resolve_expression, resolve_type
from snd_analysis.skriptnd.names.resolving.members import resolve_operator
from snd_analysis.skriptnd.names.resolving.tables import Tables, damaged_places, lost_names
from snd_analysis.skriptnd.names.symbols import AttributeName, Missed, Role, Scope, SymbolKind
from snd_analysis.skriptnd.names.undefined import module_problems, undefined_problems
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of


def resolve(
    definition: nodes.Definition,
    module_scope: ModuleScope,
    before: Resolution | None = None,
    same_module_scope: bool = True,
    missed: Missed | None = None,
) -> Resolution:
    """Resolve every name of ``definition``, seen from its file.

    ``before`` is the resolution of an earlier version; the result is the same without it. ``missed`` is called for
    undefined names.
    """
    tables = Tables(definition, module_scope, before, same_module_scope)
    scope = Scope()
    scope.missed = missed
    _resolve_parameters(tables, scope, definition)
    outputs = _resolve_outputs(tables, scope, definition)
    _resolve_formulas(tables, scope, outputs, definition)
    _resolve_compositions(tables, scope, outputs, definition)
    tables.block = BlockKind.QUANTIZE
    for base, quantization in entries_of(definition, BlockKind.QUANTIZE, nodes.Quantization):
        tables.begin(base, quantization)
        _resolve_quantization(tables, scope, definition, quantization)
    return _resolution(tables, definition)


def _resolution(tables: Tables, definition: nodes.Definition) -> Resolution:
    """Return the resolution from the tables. Problems of statements that damage makes unclear are left out."""
    unclear = (*damaged_places(definition), *tables.unclear, *_values_of_variables(definition))
    resolution = Resolution(
        definition, tuple(tables.symbols), tables.all_targets, tables.use_groups(), tuple(tables.problems),
        frozenset(tables.ambiguous), frozenset(tables.outside), unclear, tables.starts, tables.parts, tables.rows,
    )  # fmt: skip
    undefined = [item for item in tables.undefined if resolution.is_clear(item.span)]
    unknown_modules = [item for item in tables.unknown_modules if resolution.is_clear(item.span)]
    lost = lost_names(definition, resolution.rows) if undefined else ()
    return replace(
        resolution,
        problems=(
            *tables.unclear.values(),
            *_together(problem for problem in tables.problems if resolution.is_clear(problem.span)),
            *undefined_problems((item for item in undefined if item.name not in lost), resolution),
            *module_problems(unknown_modules, tables.module_scope),
        ),
    )


def _values_of_variables(definition: nodes.Definition) -> Iterator[Span]:
    """Yield the places of the values that variables are given: the mistake is that they have values."""
    for base, entry in entries_of(definition, BlockKind.VARIABLE, nodes.Parameter):
        if entry.default is not None:
            yield entry.default.value.span.shifted(base)


# ---- declarations ----------------------------------------------------------------------------------------------------
def _resolve_parameters(tables: Tables, scope: Scope, definition: nodes.Definition) -> None:
    """Resolve the parameters of an invocation, and their consequences: helper symbols, constants and variables."""
    types = entries_of(definition, BlockKind.DTYPE, nodes.DtypeDeclaration)
    attributes = entries_of(definition, BlockKind.ATTRIB, nodes.Parameter)
    inputs = entries_of(definition, BlockKind.INPUT, nodes.Parameter)
    using = entries_of(definition, BlockKind.USING, nodes.Using)
    stored = BlockKind.CONSTANT, BlockKind.VARIABLE
    parameters.declare_types(tables, scope, types)
    for _, declaration in types:
        for name in (declaration.base, declaration.default):
            if name is not None and not name.is_keyword:
                resolve_type(tables, scope, name)
    parameters.declare_parameters(tables, scope, BlockKind.ATTRIB, attributes)
    parameters.declare_parameters(tables, scope, BlockKind.INPUT, inputs)

    def declared_later() -> set[str]:
        blocks = (BlockKind.OUTPUT, *stored)
        names = {name.text for _, item in using for name in parameters.target_names(item.target)}
        return names.union(
            item.name.text for each in blocks for _, item in entries_of(definition, each, nodes.Parameter)
        )

    parameters.declare_extents(tables, scope, attributes, inputs, declared_later)
    parameters.resolve_parameters(tables, scope, BlockKind.ATTRIB, attributes)
    parameters.resolve_parameters(tables, scope, BlockKind.INPUT, inputs)
    parameters.resolve_using(tables, scope, using)
    for block in stored:
        _declare_stored(tables, scope, block)


def _resolve_outputs(tables: Tables, scope: Scope, definition: nodes.Definition) -> Scope:
    """Resolve the declarations of outputs; return the scope that has the outputs alone."""
    declared = entries_of(definition, BlockKind.OUTPUT, nodes.Parameter)
    outputs = Scope()
    tables.block = BlockKind.OUTPUT
    parameters.declare_dynamic_extents(tables, scope, declared)
    parameters.resolve_parameters(tables, scope, BlockKind.OUTPUT, declared)
    _declare_outputs(tables, scope, outputs, declared)
    return outputs


def _declare_stored(tables: Tables, scope: Scope, block: BlockKind) -> None:
    """Declare constants or variables: none of them is visible in the declarations of the others."""

    def resolve_one(entry: nodes.Parameter) -> None:
        parameters.resolve_parameters(tables, scope, block, [(tables.base, entry)])

    def declare(entry: nodes.Parameter) -> None:
        parameters.declare_parameters(tables, scope, block, [(tables.base, entry)])

    tables.resolve_rows(block, block, nodes.Parameter, (scope,), resolve_one)
    tables.resolve_rows(f"{block} names", block, nodes.Parameter, (scope,), declare, attrgetter("name"))


def _declare_outputs(tables: Tables, scope: Scope, outputs: Scope, entries: parameters.Entries) -> None:
    """Declare outputs: they share the names of a definition, but become visible only where they are assigned."""
    for base, entry in entries:
        tables.begin(base, entry)
        earlier = scope.names.get(entry.name.text)
        symbol = tables.declare(outputs, entry.name, SymbolKind.OUTPUT, entry)
        if earlier is not None and entry.name.text:
            tables.report_duplicate(symbol, earlier)


# ---- bodies ----------------------------------------------------------------------------------------------------------
def _resolve_formulas(tables: Tables, scope: Scope, outputs: Scope, definition: nodes.Definition) -> None:
    """Resolve assertions and formulas, which see all outputs."""
    with_outputs = Scope(scope)
    with_outputs.names.update(outputs.names)
    tables.block = BlockKind.ASSERT
    for base, assertion in entries_of(definition, BlockKind.ASSERT, nodes.Assertion):
        tables.begin(base, assertion)
        resolve_expression(tables, with_outputs, assertion)
    tables.block = BlockKind.LOWER
    for base, formula in entries_of(definition, BlockKind.LOWER, nodes.Lowering):
        tables.begin(base, formula)
        _resolve_lowering(tables, with_outputs, formula)


def _resolve_compositions(tables: Tables, scope: Scope, outputs: Scope, definition: nodes.Definition) -> None:
    """Resolve the statements that compose outputs and update variables."""
    stored = [(name, symbol) for name, symbol in scope.names.items() if symbol.kind is SymbolKind.VARIABLE]
    compose = ComposeNames(tables, scope, outputs)
    tables.block = BlockKind.COMPOSE
    compose.entries(BlockKind.COMPOSE)
    if not tables.rows[BlockKind.COMPOSE]:
        scope.names.update(outputs.names)  # formulas compute them before '@update'
    variables = Scope()
    if entries_of(definition, BlockKind.UPDATE, nodes.Component):
        variables.names.update(stored)
    update = ComposeNames(tables, scope, variables)
    tables.block = BlockKind.UPDATE
    update.entries(BlockKind.UPDATE)


def _resolve_lowering(tables: Tables, scope: Scope, formula: nodes.Lowering) -> None:
    outer = Scope(scope)
    if formula.unroll is not None:
        resolve_expression(tables, scope, formula.unroll.count)
        if formula.unroll.name is not None:
            tables.declare(outer, formula.unroll.name, SymbolKind.INDEX, formula.unroll)
    inner = Scope(outer)
    for bound in formula.bounds:
        # A bound may depend on the indices before it: the items of a pack may differ in an extent.
        resolve_expression(tables, inner, bound.bound)
        tables.declare(inner, bound.name, SymbolKind.INDEX, bound)
    for local in formula.locals:
        resolve_expression(tables, inner, local.value)
        tables.declare(inner, local.name, SymbolKind.LOCAL, local)
    target = formula.target
    symbol = inner.find(target.name.text)
    if symbol is None:
        tables.missing(target.name, target.name.text, inner, "output")
    else:
        tables.targets[target.name] = symbol
        tables.use(target.name, symbol, Role.WRITE)
    for index in target.indices:
        resolve_expression(tables, inner, index)
    resolve_expression(tables, inner, formula.value)
    resolve_expression(tables, inner, formula.condition)


def _resolve_quantization(
    tables: Tables, scope: Scope, definition: nodes.Definition, entry: nodes.Quantization
) -> None:
    _resolve_scoped(tables, scope, definition, entry.target)
    operator = resolve_operator(tables, entry.algorithm)
    for type_name in entry.generics.items if entry.generics else ():
        resolve_type(tables, scope, type_name)
    for attribute in entry.attributes.items if entry.attributes else ():
        if operator is not None:
            tables.use(attribute.name, AttributeName(operator, attribute.name.text))
        resolve_expression(tables, scope, attribute.value)


def _resolve_scoped(tables: Tables, scope: Scope, definition: nodes.Definition, name: nodes.Qualified) -> None:
    """Resolve the part of a scoped name (2.10) that belongs to this definition.

    It is a tensor, or the label that leads further. The name of the graph may precede it. The types report parts that
    do not exist.
    """
    parts = name.parts
    if len(parts) > 1 and parts[0].text == definition.name.text and scope.find(parts[0].text) is None:
        parts = parts[1:]
    first = parts[0]
    labels = (symbol for symbol in tables.symbols if symbol.kind is SymbolKind.LABEL and symbol.name == first.text)
    symbol = next(labels, None) if len(parts) > 1 else None
    symbol = symbol or scope.find(first.text)
    if symbol is not None:
        tables.use(first, symbol)


_ONCE = {
    "assigned-twice": "and assigned again here",
    "illegal-assignment": "and assigned again here",
    "reserved-name": "and used here, too",
}
"""Names of rules that report a name once, with the note for each further place. Rules are loaded when reported."""


def _together(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yield problems; the same mistake with the same name is one, with a note for each further place."""
    found: dict[Problem | tuple[str, tuple[Note, ...]], list[Problem]] = {}
    for each in problems:
        found.setdefault((each.message, each.notes) if each.rule.name in _ONCE else each, []).append(each)
    for first, *others in found.values():
        more = others[:MOST_FURTHER_USES]
        yield replace(first, notes=(*first.notes, *(Note(each.span, _ONCE[each.rule.name]) for each in more)))
