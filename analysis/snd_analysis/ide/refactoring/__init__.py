"""Refactorings that are applied only if evaluation agrees: the new text of a file, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from snd_analysis.base import Span
from snd_analysis.ide.refactoring.change import Refactored, RefactoringError, edited
from snd_analysis.ide.refactoring.extract import extract_operator, selected_statements
from snd_analysis.workspace import Snapshot

__all__ = [
    "EXTRACT",
    "REFACTORINGS",
    "Refactored",
    "RefactoringError",
    "edited",
    "extract_operator",
    "selected_statements",
]

EXTRACT = "extract"
REFACTORINGS: Mapping[str, Callable[[Snapshot, str, Span], Refactored]] = MappingProxyType({EXTRACT: extract_operator})
"""By name: each returns the edits for a span of a file, or raises RefactoringError."""
