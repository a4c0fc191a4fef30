"""Types of everything that a definition declares, and the rules of sections 2.5 to 2.9 and 2.13 about them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from snd_analysis.skriptnd.names import Declaration, PassFold, Symbol, declarations, symbols_in
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context, dtype_of
from snd_analysis.skriptnd.types.declarations.attributes import check_attributes, check_generics
from snd_analysis.skriptnd.types.declarations.constants import check_constants, check_variables
from snd_analysis.skriptnd.types.declarations.tensors import (
    check_inputs,
    check_main_graph,
    check_outputs,
    declare_output_extents,
)
from snd_analysis.skriptnd.types.declarations.using import define_using
from snd_analysis.skriptnd.types.deferred import TypingOfDeclarations
from snd_analysis.skriptnd.types.expressions.extents import (
    Task,
    extent_tasks,
    pack_length,
    run_in_order,
    tensor_shape,
)
from snd_analysis.skriptnd.types.expressions.functions import expect, scalars
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.type import ABSTRACT, BOOL, INT, UNTYPED, Type, Typed
from snd_analysis.symbolic import integers as shapes


# ---- assertions: conditions, messages and printed values (2.8) -------------------------------------------------------
def check_assertions(context: Context) -> None:
    """Check assertions: conditions are bool, single or packed, and may be null.

    Printed values are known when composing.
    """
    for base, entry in entries_of(context.definition, BlockKind.ASSERT, nodes.Assertion):
        context.base = base
        expect(context, entry.condition, BOOL, "the condition of an assertion", optional=True)
        if entry.message is not None:
            infer(context, entry.message)
        for printed in entry.printed:
            if printed.label is not None:
                infer(context, printed.label)
            scalars(context, printed.value, infer(context, printed.value))


# ---- types of everything that a definition declares, and the rules of sections 2.5 to 2.9 and 2.13 about them --------
STORED = {BlockKind.CONSTANT: check_constants, BlockKind.VARIABLE: check_variables}
"""The blocks of stored tensors, neither given nor computed, with their checks."""


def declare(context: Context, fold: PassFold) -> None:
    """Give every declared symbol its type in ``context.symbols``, and report problems of the declarations.

    Constants and variables that ``fold`` knows are not checked again.
    """
    declare_symbols(context, fold)
    check_assertions(context)
    context.base = 0


def declare_symbols(context: Context, fold: PassFold) -> None:
    """Do the same as ``declare``, except for assertions, which declare nothing.

    In the order of 2.2: generic types, attributes and inputs with the extents and lengths that they bind, helper
    symbols, constants, variables, outputs.
    """
    definition = context.definition
    attributes, inputs = declarations(definition, BlockKind.ATTRIB), declarations(definition, BlockKind.INPUT)
    check_generics(context)
    tasks = extent_tasks(context, [*attributes, *inputs])
    tasks += [task for each in (*attributes, *inputs) for task in _parameter_task(context, each)]
    run_in_order(tasks)
    check_attributes(context, attributes)
    check_inputs(context, inputs)
    check_main_graph(context, inputs)
    define_using(context)
    fold.give("declarations", context.given)
    for block in STORED:
        typing = TypingOfDeclarations(context, block, partial(declare_stored, context))
        fold.run(block, context.resolution.rows[block], typing)
    outputs = declarations(definition, BlockKind.OUTPUT)
    declare_output_extents(context, outputs)
    _declare_tensors(context, outputs)
    check_outputs(context, outputs, inputs)
    for symbol in context.resolution.symbols_in_damage:
        if symbol in context.symbols and not context.resolution.is_clear(context.resolution.span(symbol)):
            context.symbols[symbol] = UNTYPED  # its declaration is broken, which is reported
    context.base = 0


def _parameter_task(context: Context, declaration: Declaration) -> list[Task]:
    symbol = context.symbol(declaration.parameter.name)
    if symbol is None:
        return []
    parameter = declaration.parameter
    needs = {**symbols_in(context.resolution, parameter.shape), **symbols_in(context.resolution, parameter.pack)}
    typing = _attribute_type if declaration.block == BlockKind.ATTRIB else _tensor_type
    return [Task(symbol, frozenset(needs) - {symbol}, _typing(context, symbol, declaration, typing))]


def _typing(
    context: Context,
    symbol: Symbol,
    declaration: Declaration,
    typing: Callable[[Context, Symbol, Declaration], Typed],
) -> Callable[[], None]:
    def run() -> None:
        context.base = declaration.base
        context.symbols[symbol] = typing(context, symbol, declaration)

    return run


def declare_stored(context: Context, declaration: Declaration) -> None:
    """Give a constant or variable its type, and report problems of its declaration (2.7)."""
    _declare_tensors(context, [declaration])
    STORED[declaration.block](context, [declaration])


def _declare_tensors(context: Context, declared: list[Declaration]) -> None:
    for declaration in declared:
        for task in _parameter_task(context, declaration):
            task.run()


def _attribute_type(context: Context, symbol: Symbol, declaration: Declaration) -> Typed:
    parameter = declaration.parameter
    dtype = dtype_of(context, parameter.type)
    if dtype is None or dtype.name in ABSTRACT or parameter.shape is not None:
        return UNTYPED
    length = None if parameter.pack is None else pack_length(context, declaration)
    value = shapes.variable(symbol, symbol.name, None) if dtype == INT and length is None else None
    return Typed(Type(dtype, parameter.optional, length), value)


def _tensor_type(context: Context, symbol: Symbol, declaration: Declaration) -> Typed:
    parameter = declaration.parameter
    dtype = dtype_of(context, parameter.type)
    if dtype is None or dtype.name in ABSTRACT:
        return UNTYPED
    length = None if parameter.pack is None else pack_length(context, declaration)
    optional = (
        parameter.optional and declaration.block == BlockKind.INPUT
    )  # elsewhere it is reported, and means nothing
    return Typed(Type(dtype, optional, length, tensor_shape(context, declaration)))
