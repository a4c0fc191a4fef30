"""Demands on the inputs of a main graph, since no invocation gives their shapes (2.6.1)."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.skriptnd.names import BOUND_KINDS, Declaration, Symbol, bindings, symbols_in
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context


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
        message = f"'{text}' may stand for any number of dimensions, but the rank of a main graph's input must be known"
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
