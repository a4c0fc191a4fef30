"""Constants and variables: their shapes, and the forms of a constant's value (2.7)."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.names import Declaration
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context, dtype_of
from snd_analysis.skriptnd.types.declarations.attributes import check_element_type, check_rank_capture, type_note
from snd_analysis.skriptnd.types.declarations.shape_rules import check_shape
from snd_analysis.skriptnd.types.expressions.extents import peek, tensor_shape
from snd_analysis.skriptnd.types.expressions.functions import check_int_width, expect
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.type import ABSTRACT, INT, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


def check_variables(context: Context, variables: Sequence[Declaration]) -> None:
    """Check the shapes and types of all variables, which have no value of their own."""
    for declaration in variables:
        _check_tensor(context, declaration)
        default = declaration.parameter.default
        if default is not None:
            message = (
                f"the variable '{declaration.name}' can't have a value here: the values of variables come from files"
            )
            context.report(rules.ILLEGAL_DEFAULT, default, message)


def check_constants(context: Context, constants: Sequence[Declaration]) -> None:
    """Check the shapes, types and values of all constants."""
    for declaration in constants:
        complete = _check_tensor(context, declaration)
        default = declaration.parameter.default
        if default is not None:
            reported = len(context.problems)
            _check_value(context, declaration, default, complete)
            if len(context.problems) > reported:
                context.distrust(context.symbol(declaration.parameter.name))
        elif complete:
            message = f"the constant '{declaration.name}' has no value: write '= …' after its type"
            context.report(rules.MISSING_VALUE, declaration.parameter.name, message)


def _check_tensor(context: Context, declaration: Declaration) -> bool:
    """Check the common parts of constants and variables; return whether shape and length are present."""
    context.base = declaration.base
    parameter, block = declaration.parameter, declaration.block
    check_element_type(context, declaration.parameter.type)
    check_rank_capture(context, declaration)
    if parameter.optional:
        modifier = next(each for each in parameter.modifiers if each.text == "optional")
        message = f"the {block} '{declaration.name}' can't be optional: it is always there"
        context.report(rules.ILLEGAL_OPTIONAL, modifier, message)
    check_shape(context, declaration)
    if parameter.shape is None:
        if parameter.type.text:
            single = f"write '{parameter.type.text}[]' for a single value"
            message = f"the {block} '{declaration.name}' needs a shape: {single}"
            context.report(rules.MISSING_SHAPE, parameter.type, message)
        return False
    if parameter.pack is not None and parameter.pack.length is None:
        message = f"the pack of {block}s '{declaration.name}' needs a length, as in '..(2)'"
        context.report(rules.MISSING_LENGTH, parameter.pack, message)
        return False
    return True


def _check_value(context: Context, declaration: Declaration, default: nodes.Default, complete: bool) -> None:
    parameter = declaration.parameter
    bounds = [_check_bound(context, bound) for bound in default.bounds]
    dtype = dtype_of(context, parameter.type)
    if dtype is None or dtype.name in ABSTRACT:
        infer(context, default.value)
        return
    packed: bool | None = None
    if default.bounds:
        packed = False
    elif parameter.pack is not None:
        packed = True
    notes = (type_note(context, declaration),)
    typed = expect(context, default.value, dtype, f"the value of '{declaration.name}'", packed=packed, notes=notes)
    if typed.type is None or not complete or not check_int_width(context, default.value):
        return
    if default.bounds and parameter.pack is not None:
        message = f"'{declaration.name}' is a pack of constants: each has one value for all elements, and no index"
        context.report(rules.CONSTANT_INDICES, default.bounds[0], message)
    elif default.bounds:
        _check_indices(context, declaration, default, bounds)
    elif typed.type.length is not None:
        _check_count(context, declaration, default, typed.type.length)


def _check_bound(context: Context, bound: nodes.IndexBound) -> Typed:
    """Type an index symbol by its bound."""
    typed = expect(context, bound.bound, INT, f"the bound of '{bound.name.text}'")
    symbol = context.symbol(bound.name)
    if symbol is None:
        return typed
    if typed.type is None:
        context.symbols[symbol] = Typed(Type(INT))
        return typed
    last = typed.value.value if typed.value is not None else None
    index = shapes.variable(symbol, symbol.name, 0, last - 1 if last else None)
    length = typed.type.length
    context.symbols[symbol] = Typed(Type(INT, length=length), index if length is None else None)
    return typed


def _check_indices(context: Context, declaration: Declaration, default: nodes.Default, bounds: list[Typed]) -> None:
    """Check that there is one index for each dimension, each up to its extent."""
    if any(bound.type is None for bound in bounds):
        return
    count = shapes.constant(0)
    for bound in bounds:
        count = count + (bound.type.length if bound.type is not None and bound.type.length is not None else 1)
    rank = tensor_shape(context, declaration).rank
    shape = declaration.parameter.shape
    assert shape is not None
    note = (context.note(shape, "its shape is here"),)
    if shapes.decide_equal(count, rank) is EqualityVerdict.DIFFERENT:
        message = rules.constants.wrong_index_count(declaration.name, rank, count)
        context.report(rules.CONSTANT_INDICES, default.bounds[-1], message, note)
        return
    if len(bounds) != len(shape.extents):
        return
    for index, bound, extent in zip(default.bounds, bounds, shape.extents, strict=True):
        extent_value = None if extent.expansion is not None else peek(context, extent.value).value
        if bound.value is None or extent_value is None:
            continue
        if shapes.decide_equal(bound.value, extent_value) is EqualityVerdict.DIFFERENT:
            message = rules.constants.wrong_bound(index.name.text, bound.value, declaration.name, extent_value)
            context.report(rules.CONSTANT_INDICES, index, message, (context.note(extent, "the extent is here"),))
            return


def _check_count(context: Context, declaration: Declaration, default: nodes.Default, count: Integer) -> None:
    """Demand one value for each constant of a pack, or for each element of a constant."""
    symbol = context.symbol(declaration.parameter.name)
    declared = context.typed(symbol).type if symbol is not None else None
    if declared is None:
        return
    parameter = declaration.parameter
    assert parameter.shape is not None
    node: nodes.Node = parameter.shape
    if declared.length is not None:
        wanted = declared.length
        node = parameter.pack or parameter.shape
        what = f"a pack of {counted(declared.length, 'constant')}"
    else:
        volume = _volume(context, parameter.shape)
        if volume is None:
            return
        wanted = volume
        what = f"a tensor of the shape [{written(parameter.shape)}], which has {counted(volume, 'element')}"
    if shapes.decide_equal(wanted, count) is EqualityVerdict.DIFFERENT:
        are = "is" if count.value == 1 else "are"
        message = f"there {are} {counted(count, 'value')} for '{declaration.name}', {what}"
        context.report(rules.CONSTANT_VALUES, default.value, message, (context.note(node, "it is declared here"),))


def _volume(context: Context, shape: nodes.Shape) -> Integer | None:
    """Return the number of elements, if every extent is a single one."""
    volume = shapes.constant(1)
    for extent in shape.extents:
        typed = peek(context, extent.value)
        if extent.expansion is not None or typed.value is None or typed.type is None or typed.type.optional:
            return None
        volume = volume * typed.value
    return volume
