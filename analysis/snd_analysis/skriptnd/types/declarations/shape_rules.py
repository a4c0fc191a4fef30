"""The allowed forms of declared shapes and of lengths of packs (2.3, 2.6, 2.6.1)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Note, counted
from snd_analysis.skriptnd.names import Declaration, Symbol, SymbolKind, declarations, symbols_in
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.extents import pack_length, peek
from snd_analysis.skriptnd.types.expressions.functions import expect, scalars
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.type import BOOL, INT, UNTYPED, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer


def check_shape(context: Context, declaration: Declaration) -> None:
    """Check every extent of a shape, and the length of the pack of tensors."""
    for extent in declaration.extents:
        _check_extent(context, declaration, extent)
    check_pack_length(context, declaration)


def check_pack_length(context: Context, declaration: Declaration) -> None:
    """Check the length of a packed attribute or of a pack of tensors: one int or bool."""
    pack = declaration.parameter.pack
    if pack is None or pack.length is None:
        return
    if isinstance(pack.length, nodes.Tilde):
        if context.definition.kind != "graph":
            message = "only graphs may leave out a length by '~'; write '..' if the length needs no name"
            context.report(rules.OMITTED_EXTENT, pack.length, message)
    else:
        check_length(context, pack.length, f"the length of '{declaration.name}'")
    if pack.bound is not None:
        expect(context, pack.bound, INT, "an upper bound", packed=False)
        _check_static(context, pack.bound)


def check_length(context: Context, length: nodes.Expression, what: str) -> Typed:
    """Return a length: one int, or one bool that says whether the item is there."""
    typed = infer(context, length)
    if typed.type is None or not scalars(context, length, typed):
        return UNTYPED
    if typed.type.dtype not in (INT, BOOL):
        context.report(rules.TYPE_MISMATCH, length, f"{what} is an int or a bool, but this is '{typed.type}'")
        distrust_symbol(context, length)
        return UNTYPED
    if typed.type.packed:
        message = rules.packs.pack_for_value(what, typed.type)
        context.report(rules.UNEXPECTED_PACK, length, message, _declared(context, length))
        distrust_symbol(context, length)
        return UNTYPED
    if typed.value is not None and shapes.is_negative(typed.value):
        context.report(rules.NEGATIVE_EXTENT, length, f"{what} can't be negative, but this is {typed.value}")
        return UNTYPED
    return typed


def distrust_symbol(context: Context, name: nodes.Node) -> None:
    """Leave a symbol untyped from here on: two places contradict each other about it, and either may be wrong."""
    symbol = context.symbol(name)
    if symbol is not None:
        context.symbols[symbol] = UNTYPED


def _check_extent(context: Context, declaration: Declaration, extent: nodes.Extent) -> None:
    if (
        isinstance(extent.value, nodes.Tilde)
        and declaration.block == BlockKind.INPUT
        and context.definition.kind != "graph"
    ):
        _check_omitted(context, declaration, extent)
        return
    _check_bound(context, declaration, extent)
    if extent.spread and (declaration.parameter.pack is None or extent.expansion is not None):
        _report_item_extent(context, declaration, extent)
        return
    length = None
    if extent.expansion is not None and extent.expansion.length is not None:
        length = check_length(context, extent.expansion.length, "the length of a pack of extents")
    if isinstance(extent.value, nodes.Tilde):
        _check_omitted(context, declaration, extent)
        return
    value = expect(context, extent.value, INT, f"an extent of '{declaration.name}'", optional=True)
    if value.type is None:
        distrust_symbol(context, extent.value)
        return
    if extent.spread:
        _check_item_extents(context, declaration, extent, value)
    elif extent.expansion is None and value.type.packed:
        text = written(extent.value)
        message = f"'{text}' is a pack of type '{value.type}': write '{text}..' to have all of its items as extents"
        context.report(rules.EXTENT_NOT_EXPANDED, extent.value, message, _declared(context, extent.value))
        distrust_symbol(context, extent.value)
    elif extent.expansion is not None and extent.expansion.length is None and not value.type.packed:
        text = written(extent.value)
        message = (
            f"'{text}' is a single extent of type '{value.type}', not a pack: "
            "leave out the '..', or say how often it is repeated, as in '..(n)'"
        )
        context.report(rules.EXPANSION_WITHOUT_LENGTH, extent, message, _declared(context, extent.value))
        distrust_symbol(context, extent.value)
    elif length is not None and value.type.length is not None and _differ(length.value, value.type.length):
        message = f"'{written(extent.value)}' has {counted(value.type.length, 'item')}, not {length.value}"
        context.report(rules.LENGTH_MISMATCH, extent, message, _declared(context, extent.value))


def _differ(first: Integer | None, second: Integer | None) -> bool:
    return first is not None and second is not None and shapes.decide_equal(first, second) is EqualityVerdict.DIFFERENT


def _declared(context: Context, expression: nodes.Node) -> tuple[Note, ...]:
    """Return where the symbols of an expression are declared, unless that is here."""
    here = context.span(expression)
    return tuple(
        context.declared(symbol)
        for symbol in symbols_in(context.resolution, expression)
        if not here.start <= context.resolution.span(symbol).start < here.end
    )


def _report_item_extent(context: Context, declaration: Declaration, extent: nodes.Extent) -> None:
    text = written(extent.value)
    if declaration.parameter.pack is None:
        message = f"'..{text}' is an extent for each tensor of a pack, but '{declaration.name}' is a single tensor"
    else:
        message = f"'..{text}' is one extent for each tensor of '{declaration.name}': it can't be expanded to several"
    context.report(rules.ITEM_EXTENT, extent, message)
    distrust_symbol(context, extent.value)


def _check_item_extents(context: Context, declaration: Declaration, extent: nodes.Extent, value: Typed) -> None:
    assert value.type is not None
    length = pack_length(context, declaration)
    text = written(extent.value)
    if value.type.length is None:
        message = f"'..{text}' takes a pack with an extent for each tensor, but '{text}' is a single '{value.type}'"
        context.report(rules.ITEM_EXTENT, extent, message, _declared(context, extent.value))
    elif _differ(value.type.length, length):
        extents, tensors = counted(value.type.length, "extent"), counted(length, "tensor")
        message = f"'{text}' has {extents}, but '{declaration.name}' is a pack of {tensors}"
        context.report(rules.LENGTH_MISMATCH, extent, message, _declared(context, extent.value))


def _check_bound(context: Context, declaration: Declaration, extent: nodes.Extent) -> None:
    if extent.bound is None:
        return
    block, kind = declaration.block, context.definition.kind
    is_stored = block in (BlockKind.CONSTANT, BlockKind.VARIABLE)
    if is_stored and isinstance(extent.value, nodes.Tilde):
        return  # the extent is reported
    if is_stored or (block == BlockKind.INPUT and kind == "operator"):
        what = "an input of an operator" if block is BlockKind.INPUT else f"a {block}"
        message = f"{what} can't have an upper bound of an extent: only inputs of graphs and outputs can"
        context.report(rules.ILLEGAL_BOUND, extent.bound, message)
        return
    packed = None if extent.expansion is not None or extent.spread else False
    if expect(context, extent.bound, INT, "an upper bound", packed=packed).type is None:
        return
    if _is_known(context, extent):
        message = f"the extent '{written(extent.value)}' is known: an upper bound is for one that only the run tells"
        context.report(rules.ILLEGAL_BOUND, extent.bound, message, _declared(context, extent.value))
    else:
        _check_static(context, extent.bound)


def _check_static(context: Context, bound: nodes.Expression) -> None:
    """Demand a static upper bound in a graph: it depends on no extent or length with a bound of its own (2.6.1)."""
    if context.definition.kind != "graph":
        return
    dynamic = _bounded_symbols(context)
    named = next((each for each in symbols_in(context.resolution, bound) if each in dynamic), None)
    if named is not None:
        message = f"an upper bound must be known at compile time, but '{named.name}' is dynamic"
        context.report(rules.ILLEGAL_BOUND, bound, message, (context.declared(named),))


def _bounded_symbols(context: Context) -> set[Symbol]:
    """Return the extents and lengths that the inputs of a graph declare with a bound."""
    found: set[Symbol] = set()
    for declaration in declarations(context.definition, BlockKind.INPUT):
        pack = declaration.parameter.pack
        bounded = [each.value for each in declaration.extents if each.bound is not None]
        if pack is not None and pack.length is not None and pack.bound is not None:
            bounded.append(pack.length)
        for each in bounded:
            found.update(
                symbol
                for symbol in symbols_in(context.resolution, each)
                if symbol.kind in (SymbolKind.EXTENT, SymbolKind.LENGTH)
            )
    return found


def _is_known(context: Context, extent: nodes.Extent) -> bool:
    """Return whether an extent is a number, or computed from attributes and inputs known to the operator."""
    if isinstance(extent.value, nodes.Tilde) or peek(context, extent.value).type is None:
        return False
    symbols = symbols_in(context.resolution, extent.value)
    if not symbols:
        return True
    dynamic = {each for output in declarations(context.definition, BlockKind.OUTPUT) for each in output.extents}
    return context.definition.kind == "operator" and not any(symbol.node in dynamic for symbol in symbols)


def _check_omitted(context: Context, declaration: Declaration, extent: nodes.Extent) -> None:
    block = declaration.block
    if block in (BlockKind.CONSTANT, BlockKind.VARIABLE):
        message = f"an extent of a {block} can't be left out: its shape must be known"
        context.report(rules.OMITTED_EXTENT, extent, message)
    elif context.definition.kind == "graph":
        return
    elif block == BlockKind.INPUT:
        message = f"an extent of '{declaration.name}' can't be left out: only graphs may do so; give it a name"
        context.report(rules.OMITTED_EXTENT, extent, message)
    elif extent.bound is None:
        message = f"a dynamic extent of '{declaration.name}' needs an upper bound, as in '~|n'"
        context.report(rules.UNBOUNDED_EXTENT, extent, message)
