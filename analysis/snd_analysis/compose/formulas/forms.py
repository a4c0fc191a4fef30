"""Evaluators of the forms of expressions in formulas."""

from __future__ import annotations

from snd_analysis.compose.formulas import accesses, combining, packing
from snd_analysis.compose.formulas.expressions import FORMS
from snd_analysis.skriptnd.syntax import nodes

FORMS.update({
    nodes.Literal: combining.nothing,
    nodes.String: combining.string,
    nodes.ErrorExpression: combining.nothing,
    nodes.Qualified: combining.name_value,
    nodes.Parenthesized: combining.parenthesized,
    nodes.Bounded: combining.bounded,
    nodes.Call: combining.call,
    nodes.Cast: combining.cast,
    nodes.Unary: combining.unary,
    nodes.Binary: combining.binary,
    nodes.Fold: combining.fold,
    nodes.Coalesce: combining.coalesce,
    nodes.Select: combining.select,
    nodes.List: packing.list_value,
    nodes.Substitution: packing.substitution,
    nodes.Subscript: accesses.subscript,
})  # fmt: skip
