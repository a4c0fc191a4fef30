"""Evaluators of the forms of expressions in formulas."""

from __future__ import annotations

from snd_analysis.compose.formulas import accesses, combining, naming, packing
from snd_analysis.compose.formulas.expressions import FORMS
from snd_analysis.skriptnd.syntax import nodes

FORMS.update({
    nodes.Literal: naming.nothing,
    nodes.String: naming.string,
    nodes.ErrorExpression: naming.nothing,
    nodes.Qualified: naming.name_value,
    nodes.Parenthesized: naming.parenthesized,
    nodes.Bounded: naming.bounded,
    nodes.Call: naming.call,
    nodes.Cast: naming.cast,
    nodes.Unary: combining.unary,
    nodes.Binary: combining.binary,
    nodes.Fold: combining.fold,
    nodes.Coalesce: combining.coalesce,
    nodes.Select: combining.select,
    nodes.List: packing.list_value,
    nodes.Substitution: packing.substitution,
    nodes.Subscript: accesses.subscript,
})  # fmt: skip
