"""Comparison of declarations with the defaults of attributes and inputs and the values of constants."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Note, counted
from snd_analysis.skriptnd.names import Declaration
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.typed import Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict


def type_note(context: Context, declaration: Declaration) -> Note:
    """Return where the type stands that a value has to fit."""
    return context.note(declaration.parameter.type, f"the type of '{declaration.name}' is declared here")


def check_length(context: Context, declaration: Declaration, default: nodes.Default, typed: Typed) -> None:
    """Demand that the default of a pack has as many items as the pack, as far as both are known (2.5, 2.6)."""
    symbol = context.symbol(declaration.parameter.name)
    declared = context.typed(symbol).type if symbol is not None else None
    if typed.type is None or typed.type.length is None or declared is None or declared.length is None:
        return
    if shapes.decide_equal(declared.length, typed.type.length) is EqualityVerdict.DIFFERENT:
        items = f"{counted(typed.type.length, 'item')}, but the pack has {declared.length}"
        pack = declaration.parameter.pack
        assert pack is not None
        notes = (context.note(pack, "its length is declared here"),)
        context.report(rules.LENGTH_MISMATCH, default.value, f"the default of '{declaration.name}' has {items}", notes)
