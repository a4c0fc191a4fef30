"""Refactorings that are applied only if evaluation agrees: the new text of a file, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from snd_analysis.base import Span
from snd_analysis.ide.refactoring.change import Refactored, RefactoringError, edited
from snd_analysis.ide.refactoring.extract import extract_operator, selected_statements
from snd_analysis.ide.refactoring.inline import inline_operator, invocation_at
from snd_analysis.workspace import Snapshot

__all__ = [
    "EXTRACT",
    "INLINE",
    "REFACTORINGS",
    "Refactored",
    "RefactoringError",
    "edited",
    "extract_operator",
    "inline_operator",
    "invocation_at",
    "selected_statements",
]

EXTRACT, INLINE = "extract", "inline"
REFACTORINGS: Mapping[str, Callable[[Snapshot, str, Span], Refactored]] = MappingProxyType(
    {EXTRACT: extract_operator, INLINE: inline_operator}
)
"""By name: each returns the edits for a span of a file, or raises RefactoringError."""
