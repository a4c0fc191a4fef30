"""Inputs and outputs: required and forbidden parts, and the binding of inputs (2.6)."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.base import Note
from snd_analysis.skriptnd.names import (
    BOUND_KINDS,
    Declaration,
    Obstacle,
    Symbol,
    binding_order,
    bindings,
    declarations,
    symbols_in,
)
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.context import Context, dtype_of
from snd_analysis.skriptnd.types.declarations.attributes import (
    check_element_type,
    check_length,
    check_no_bounds,
    check_rank_capture,
    report_optional_default,
    type_note,
)
from snd_analysis.skriptnd.types.declarations.shape_rules import check_shape
from snd_analysis.skriptnd.types.expressions.extents import length_value, peek, tensor_shape
from snd_analysis.skriptnd.types.expressions.functions import check_int_width, expect
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.type import ABSTRACT, INT, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


# ---- demands on the inputs of a main graph, since no invocation gives their shapes (2.6.1) ---------------------------
def is_main(context: Context) -> bool:
    """Return whether the definition is a graph that could be processed for itself: one that no other invokes."""
    return context.definition.kind == "graph" and context.others.is_main_graph(context.definition)


def check_main_graph(context: Context, inputs: Sequence[Declaration]) -> None:
    """Check that every input of a main graph has a shape of known rank, whose dynamic extents have upper bounds."""
    if not is_main(context):
        return
    unbounded = _unbounded(context, inputs)
    for declaration in inputs:
        context.base = declaration.base
        if declaration.parameter.shape is None and declaration.parameter.type.text:
            name = declaration.parameter.type
            message = f"the input '{declaration.name}' of the main graph needs a shape: no invocation determines it"
            context.report(rules.MISSING_SHAPE, name, message)
        for extent in declaration.extents:
            _check_extent(context, declaration, extent, unbounded)


def _unbounded(context: Context, inputs: Sequence[Declaration]) -> set[Symbol]:
    """Return the symbols that the inputs declare and that have an upper bound nowhere."""
    found = [binding for each in inputs for binding in bindings(context.resolution, each)]
    bounded = {
        binding.symbol for binding in found if isinstance(binding.node, nodes.Extent) and binding.node.bound is not None
    }
    return {
        binding.symbol
        for binding in found
        if isinstance(binding.node, nodes.Extent) and binding.symbol is not None and binding.symbol not in bounded
    }


def _check_extent(context: Context, declaration: Declaration, extent: nodes.Extent, unbounded: set[Symbol]) -> None:
    if extent.expansion is not None and _is_of_unknown_length(context, extent, extent.expansion):
        text = written(extent)
        message = f"'{text}' may have any number of dimensions, but the rank of a main graph's input must be known"
        context.report(rules.UNBOUNDED_EXTENT, extent, message)
        return
    if extent.bound is not None:
        return
    if isinstance(extent.value, nodes.Tilde):
        message = f"a dynamic extent of '{declaration.name}' needs an upper bound in the main graph, as in '~|100'"
        context.report(rules.UNBOUNDED_EXTENT, extent, message)
        return
    missing = [symbol for symbol in symbols_in(context.resolution, extent.value) if symbol in unbounded]
    if not missing:
        return
    unbounded.difference_update(missing)
    name = missing[0].name
    message = f"the extent '{name}' of the main graph is not known: write a number or a bound, as in '{name}|100'"
    context.report(rules.UNBOUNDED_EXTENT, extent, message)


def _is_of_unknown_length(context: Context, extent: nodes.Extent, expansion: nodes.Expansion) -> bool:
    if expansion.length is not None:
        return any(symbol.kind in BOUND_KINDS for symbol in symbols_in(context.resolution, expansion.length))
    packs = symbols_in(context.resolution, extent.value)
    if not packs:
        return isinstance(extent.value, nodes.Tilde)
    return any(symbol.kind in BOUND_KINDS and symbol.node is extent for symbol in packs)


# ---- inputs and outputs ----------------------------------------------------------------------------------------------
def check_inputs(context: Context, inputs: Sequence[Declaration]) -> None:
    """Check the types, shapes and defaults of all inputs, and the order in which their shapes are bound."""
    counterexamples = set()
    _check_captured_ranks(context, inputs)
    for declaration in inputs:
        context.base = declaration.base
        reported = len(context.problems)
        check_element_type(context, declaration.parameter.type)
        if declaration.parameter.shape is None and context.definition.kind == "operator":
            _report_missing_shape(context, declaration, "an input of an operator")
        check_shape(context, declaration)
        check_no_bounds(context, declaration)
        if declaration.parameter.default is not None:
            _check_default(context, declaration, declaration.parameter.default)
        if len(context.problems) > reported or _names_unknown(context, declaration):
            counterexamples.add(declaration)
    if not is_main(context):
        for obstacle in binding_order(context.definition, context.resolution).obstacles:
            if obstacle.declaration not in counterexamples:
                context.base = obstacle.declaration.base
                _report_obstacle(context, obstacle)


def _check_captured_ranks(context: Context, inputs: Sequence[Declaration]) -> None:
    """Demand that one ``^(r)`` always captures the same rank (2.6), as far as declared shapes determine ranks."""
    first: dict[Symbol, tuple[Declaration, Integer]] = {}
    for declaration in inputs:
        name = declaration.parameter.rank
        symbol = None if name is None else context.symbol(name)
        if name is None or symbol is None or declaration.parameter.shape is None:
            continue
        context.base = declaration.base
        rank, captured = tensor_shape(context, declaration).rank, context.typed(symbol).value
        earlier = first.setdefault(symbol, (declaration, rank))
        other = earlier[1] if earlier[0] is not declaration else captured
        if other is None or shapes.decide_equal(rank, other) is not EqualityVerdict.DIFFERENT:
            continue
        shape = f"the shape '[{written(declaration.parameter.shape)}]' of '{declaration.name}' has rank {rank}"
        if earlier[0] is declaration:
            context.report(rules.CAPTURED_RANKS_DIFFER, name, f"'{symbol.name}' can't be this rank: {shape}")
            continue
        message = f"'{symbol.name}' is {other}, the rank of '{earlier[0].name}', but {shape}"
        assert earlier[0].parameter.rank is not None
        note = Note(earlier[0].parameter.rank.span.shifted(earlier[0].base), "captured here")
        context.report(rules.CAPTURED_RANKS_DIFFER, name, message, (note,))


def _names_unknown(context: Context, declaration: Declaration) -> bool:
    """Return whether the shape names something that could not be typed."""
    named = symbols_in(context.resolution, declaration.parameter.shape)
    return any(context.typed(symbol).type is None for symbol in named)


def _report_missing_shape(context: Context, declaration: Declaration, what: str) -> None:
    type_ = declaration.parameter.type
    if type_.text:
        message = f"{what} needs a shape: write '{declaration.name}: {type_.text}[]' for a single value"
        context.report(rules.MISSING_SHAPE, type_, message)
        context.distrust(context.symbol(declaration.parameter.name))


def _check_default(context: Context, declaration: Declaration, default: nodes.Default) -> None:
    parameter = declaration.parameter
    if parameter.optional:
        report_optional_default(context, declaration)
        return
    if isinstance(default.value, nodes.Qualified) and context.target(default.value) is None:
        return  # an undefined name, such as 'null'
    own = _own_symbols(context, declaration, default)
    if own:
        names = " and ".join(f"'{symbol.name}'" for symbol in own)
        message = (
            f"'{declaration.name}' can't have a default: a default needs a known shape, "
            f"and no other required parameter determines {names}"
        )
        context.report(rules.ILLEGAL_DEFAULT, default.value, message, tuple(context.declared(symbol) for symbol in own))
        return
    dtype = dtype_of(context, parameter.type)
    if dtype is None or dtype.name in ABSTRACT:
        infer(context, default.value)
        return
    what = f"the default of '{declaration.name}'"
    # A single value is repeated for all elements of a known shape (the draft's LSTM starts from such states).
    notes = (type_note(context, declaration),)
    typed = expect(context, default.value, dtype, what, packed=parameter.pack is not None, notes=notes)
    check_length(context, declaration, default, typed)
    check_int_width(context, default.value)


def _own_symbols(context: Context, declaration: Declaration, default: nodes.Default) -> tuple[Symbol, ...]:
    """Return extents of an input, and lengths in its default, that nothing else determines in every invocation."""
    others = [
        each
        for block in (BlockKind.ATTRIB, BlockKind.INPUT)
        for each in declarations(context.definition, block)
        if each != declaration and not each.parameter.optional and each.parameter.default is None
    ]
    bound = {binding.symbol for other in others for binding in bindings(context.resolution, other)}
    lengths = symbols_in(context.resolution, declaration.parameter.pack)
    in_value = (symbol for symbol in symbols_in(context.resolution, default.value) if symbol in lengths)
    named = dict.fromkeys((*symbols_in(context.resolution, declaration.parameter.shape), *in_value))
    return tuple(symbol for symbol in named if symbol.kind in BOUND_KINDS and symbol not in bound)


def _report_obstacle(context: Context, obstacle: Obstacle) -> None:
    name = obstacle.declaration.name
    if obstacle.packs:
        packs = " and ".join(f"'{written(extent)}'" for extent in obstacle.packs)
        message = (
            f"nothing determines how the dimensions of '{name}' are split between {packs}: "
            "all but one need a length that an int attribute or another input determines"
        )
        notes = tuple(context.note(extent, "a pack of unknown length") for extent in obstacle.packs)
        context.report(rules.AMBIGUOUS_SHAPE, obstacle.packs[-1], message, notes)
        for extent in obstacle.packs:
            context.distrust(context.symbol(extent.value))
        return
    unknown = " and ".join(f"'{symbol.name}'" for symbol in obstacle.unknown)
    message = f"the shape of '{name}' can't be bound: nothing that is certain to be given determines {unknown} before"
    notes = tuple(context.declared(symbol) for symbol in obstacle.unknown)
    parameter = obstacle.declaration.parameter
    context.report(rules.AMBIGUOUS_SHAPE, parameter.shape or parameter.name, message, notes)


def declare_output_extents(context: Context, outputs: Sequence[Declaration]) -> None:
    """Type the symbols that outputs give to dynamic extents: ``s|k`` (2.6.1)."""
    for declaration in outputs:
        context.base = declaration.base
        for extent in declaration.extents:
            symbol = context.symbol(extent.value)
            if symbol is None or symbol.node is not extent or symbol in context.symbols:
                continue
            if extent.expansion is None:
                context.symbols[symbol] = Typed(Type(INT), shapes.variable(symbol, symbol.name))
                continue
            length = extent.expansion.length
            unknown = shapes.variable((symbol, "length"), f"|{symbol.name}|")
            count = unknown if length is None else length_value(context, length)
            context.symbols[symbol] = Typed(Type(INT, length=count))


def check_outputs(context: Context, outputs: Sequence[Declaration], inputs: Sequence[Declaration]) -> None:
    """Check type and shapes of all outputs, and the bounds of dynamic extents, inputs included."""
    for declaration in outputs:
        context.base = declaration.base
        parameter = declaration.parameter
        check_element_type(context, declaration.parameter.type)
        check_rank_capture(context, declaration)
        if parameter.optional:
            modifier = next(each for each in parameter.modifiers if each.text == "optional")
            message = f"the output '{declaration.name}' can't be optional: every invocation computes it"
            context.report(rules.ILLEGAL_OPTIONAL, modifier, message)
        if parameter.shape is None and context.definition.kind == "operator":
            _report_missing_shape(context, declaration, "an output of an operator")
        check_shape(context, declaration)
        _check_determined(context, declaration)
        if parameter.default is not None:
            message = f"the output '{declaration.name}' can't have a default: it is computed"
            context.report(rules.ILLEGAL_DEFAULT, parameter.default, message)
    _check_agreement(context, (*inputs, *outputs))


def _check_determined(context: Context, declaration: Declaration) -> None:
    """Report a packed output whose length its declaration leaves open: invocations must know it."""
    pack = declaration.parameter.pack
    if pack is None or pack.length is not None or context.definition.kind != "operator":
        return
    if any(extent.spread for extent in declaration.extents):
        return  # as many as the pack of extents has items
    message = f"nothing says how many tensors the output '{declaration.name}' has: write it after the type: '..(n)'"
    context.report(rules.MISSING_LENGTH, pack, message)
    context.distrust(context.symbol(declaration.parameter.name))


def _differ(first: Integer, second: Integer) -> bool:
    """Return whether two bounds differ: for all values, or for all positive ones of a single symbol, as n and 2 * n."""
    difference = first - second
    if shapes.decide_equal(difference, 0) is EqualityVerdict.DIFFERENT:
        return True
    keys = {leaf.key for leaf in difference.leaves}
    form = shapes.as_affine(difference, keys.pop()) if len(keys) == 1 else None
    same = None if form is None else shapes.solve_affine(*form, 0)
    return form is not None and (same is None or same.value is None or same.value <= 0)


def _check_agreement(context: Context, declared: Sequence[Declaration]) -> None:
    """Check that a dynamic symbol has one upper bound (2.6.1)."""
    first: dict[Symbol, tuple[Declaration, nodes.Expression]] = {}
    for declaration in declared:
        for extent in declaration.extents:
            symbol = context.symbol(extent.value)
            if symbol is None or extent.bound is None:
                continue
            if symbol not in first:
                first[symbol] = declaration, extent.bound
                continue
            earlier, bound = first[symbol]
            context.base = declaration.base
            before, here = peek(context, bound).value, peek(context, extent.bound).value
            if before is None or here is None or not _differ(before, here):
                continue
            note = Note(bound.span.shifted(earlier.base), "the first bound is here")
            message = (
                f"the upper bound of '{symbol.name}' is '{written(extent.bound)}' here, but '{written(bound)}' before"
            )
            context.report(rules.BOUNDS_DIFFER, extent.bound, message, (note,))
