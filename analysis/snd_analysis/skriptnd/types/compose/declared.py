"""Comparison of values assigned to outputs and variables with their declarations (2.10, 2.11)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Rule, Span, counted
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.compose.typing_state import TypedValue, TypingState
from snd_analysis.skriptnd.types.expressions.dimensions import differing
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict


def check_assigned(work: TypingState, symbol: Symbol, name: nodes.Name, value: TypedValue) -> None:
    """Report a value that does not fit the declaration of its output or variable: one problem at most."""
    context = work.context
    declared = context.typed(symbol).type
    actual = value.type
    if declared is None or actual is None:
        return
    role = f"the {symbol.kind} '{symbol.name}'"
    note = (context.declared(symbol),)
    if declared.packed != actual.packed:
        rule = rules.PACK_EXPECTED if declared.packed else rules.UNEXPECTED_PACK
        what = "a single tensor" if actual.packed is False else "a pack"
        message = f"{role} is declared as '{declared}', but this is {what}: '{value}'"
        context.report(rule, value.place or name, message, note)
    elif actual.optional:
        message = rules.expressions.may_be_null(role, value)
        context.report(rules.NULL_NOT_ALLOWED, value.place or name, message, note)
    elif declared.dtype != actual.dtype:
        rule = rules.OUTPUT_TYPE if symbol.kind is SymbolKind.OUTPUT else rules.UPDATE_TYPE
        _report(work, rule, symbol, name, f"declared as '{declared}', but it is {_made(symbol)} as '{value}'")
    elif declared.length is not None and actual.length is not None and (
        shapes.decide_equal(declared.length, actual.length) is EqualityVerdict.DIFFERENT
    ):  # fmt: skip
        message = (
            f"{role} has {counted(declared.length, 'tensor')}, but this has {actual.length}: its type is '{value}'"
        )
        context.report(rules.LENGTH_MISMATCH, value.place or name, message, note)
    elif work.shapes_certain:
        _check_shape(work, symbol, name, value)


def _check_shape(work: TypingState, symbol: Symbol, name: nodes.Name, value: TypedValue) -> None:
    declared = work.context.typed(symbol).type
    parameter = symbol.node
    if declared is None or declared.shape is None or value.rank is None or not isinstance(parameter, nodes.Parameter):
        return
    if parameter.shape is None or shapes.has_unknowns(value.rank):
        return  # composing knows the rank, and reports the shape with all extents
    if shapes.decide_equal(declared.shape.rank, value.rank) is EqualityVerdict.DIFFERENT:
        ranks = f", of rank {declared.shape.rank}", f", of rank {value.rank}"
    elif differing(work.extents_of_symbol(symbol), value.extents):
        ranks = "", ""
    else:
        return
    text = f"declared as '{declared}'{ranks[0]}, but it is {_made(symbol)} as '{value}'{ranks[1]}"
    rule = rules.OUTPUT_SHAPE if symbol.kind is SymbolKind.OUTPUT else rules.UPDATE_SHAPE
    _report(work, rule, symbol, name, text)


def _made(symbol: Symbol) -> str:
    return "composed" if symbol.kind is SymbolKind.OUTPUT else "updated"


def _report(work: TypingState, rule: Rule, symbol: Symbol, name: nodes.Name, text: str) -> None:
    """Report at the declaration of an output, which the composition must match, or at the update of a variable."""
    context = work.context
    message = f"the {symbol.kind} '{symbol.name}' is {text}"
    if symbol.kind is SymbolKind.VARIABLE:
        context.report(rule, name, message, (context.declared(symbol),))
        return
    made = Note(Span(name.start, name.end).shifted(context.base), f"'{symbol.name}' is assigned here")
    context.problems.append(Problem(rule, context.resolution.span(symbol), message, (made,)))
