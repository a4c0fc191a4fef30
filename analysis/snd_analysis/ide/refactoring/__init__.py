"""Refactorings that are applied only if evaluation agrees: the new text of a file, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from snd_analysis.base import Span
from snd_analysis.ide.refactoring.change import Refactored, RefactoringError, edited, fresh
from snd_analysis.ide.refactoring.extract import extract_operator, selected_statements
from snd_analysis.ide.refactoring.inline import inline_operator, invocation_at
from snd_analysis.ide.refactoring.replace import formulas_at, replace_formula
from snd_analysis.workspace import Snapshot

__all__ = [
    "EXTRACT",
    "INLINE",
    "REFACTORINGS",
    "REPLACE",
    "Refactored",
    "RefactoringError",
    "edited",
    "extract_operator",
    "formulas_at",
    "fresh",
    "inline_operator",
    "invocation_at",
    "replace_formula",
    "selected_statements",
]

EXTRACT, INLINE, REPLACE = "extract", "inline", "replace"
REFACTORINGS: Mapping[str, Callable[[Snapshot, str, Span], Sequence[Refactored]]] = MappingProxyType(
    {EXTRACT: extract_operator, INLINE: inline_operator, REPLACE: replace_formula}
)
"""By name: each returns what may be done in a span of a file, the best first, or raises RefactoringError.

The first that changes nothing of what is computed is applied.
"""
