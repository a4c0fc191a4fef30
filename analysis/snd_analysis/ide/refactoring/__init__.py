"""Refactorings that are applied only if evaluation agrees: the new text of a file, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from snd_analysis.base import Span
from snd_analysis.ide.refactoring.change import (
    LibraryCall,
    Refactored,
    RefactoringError,
    edited,
    formatted,
    fresh,
    new_problem,
)
from snd_analysis.ide.refactoring.channels import Order, channel_order, switch_channels
from snd_analysis.ide.refactoring.extract import extract_operator
from snd_analysis.ide.refactoring.inline import inline_operator, invocation_at
from snd_analysis.ide.refactoring.replace import formulas_at, may_be_replaced, replace_formula
from snd_analysis.ide.refactoring.selection import selected_statements
from snd_analysis.workspace import Snapshot

__all__ = [
    "CHANNELS",
    "EXTRACT",
    "INLINE",
    "REFACTORINGS",
    "REPLACE",
    "LibraryCall",
    "Order",
    "Refactored",
    "RefactoringError",
    "channel_order",
    "edited",
    "extract_operator",
    "formatted",
    "formulas_at",
    "fresh",
    "inline_operator",
    "invocation_at",
    "may_be_replaced",
    "new_problem",
    "replace_formula",
    "selected_statements",
    "switch_channels",
]

EXTRACT, INLINE, REPLACE, CHANNELS = "extract", "inline", "replace", "channels"
REFACTORINGS: Mapping[str, Callable[[Snapshot, str, Span], Sequence[Refactored]]] = MappingProxyType(
    {EXTRACT: extract_operator, INLINE: inline_operator, REPLACE: replace_formula, CHANNELS: switch_channels}
)
"""By name: each returns what may be done in a span of a file, the best first, or raises RefactoringError.

The first that changes nothing of what is computed is applied.
"""
