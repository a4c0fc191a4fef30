"""Refactorings that are applied only if evaluation confirms them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from snd_analysis.ide.refactoring.change import (
    Asked,
    LibraryCall,
    Refactored,
    RefactoringError,
    checked,
    delete_definition,
    edited,
    edited_files,
    formatted,
    fresh,
    named_definition_at,
    new_problem,
)
from snd_analysis.ide.refactoring.channels import ChannelOrder, channel_order, switch_alone, switch_channels
from snd_analysis.ide.refactoring.extract import ALL, PLACES, equal_expressions, extract_operator, introduce_name
from snd_analysis.ide.refactoring.inline import inline_name, inline_operator, inlined_name_at, invocation_at
from snd_analysis.ide.refactoring.move import TARGET as MOVE_TARGET
from snd_analysis.ide.refactoring.move import move_definition, move_targets, new_file
from snd_analysis.ide.refactoring.parameters import (
    DIRECTION,
    LEFT,
    RIGHT,
    declared_parameter_at,
    is_unused,
    make_attribute,
    move_parameter,
    remove_parameter,
)
from snd_analysis.ide.refactoring.replace import formulas_at, may_be_replaced, replace_formula
from snd_analysis.ide.refactoring.same_operations import ProvedOperator, Version, moved_by_same_operations
from snd_analysis.ide.refactoring.selection import is_compile_time, selected_expression, selected_statements
from snd_analysis.ide.refactoring.signature import change_signature
from snd_analysis.workspace import Snapshot

__all__ = [
    "ACROSS_FILES",
    "ALL",
    "CHANNELS",
    "DELETE",
    "DIRECTION",
    "EXTRACT",
    "INLINE",
    "INLINE_NAME",
    "INTRODUCE",
    "LEFT",
    "MAKE_ATTRIBUTE",
    "MOVE",
    "MOVE_PARAMETER",
    "MOVE_TARGET",
    "PLACES",
    "REFACTORINGS",
    "REMOVE_PARAMETER",
    "REPLACE",
    "RIGHT",
    "SIGNATURE",
    "Asked",
    "ChannelOrder",
    "LibraryCall",
    "ProvedOperator",
    "Refactored",
    "RefactoringError",
    "Version",
    "channel_order",
    "checked",
    "declared_parameter_at",
    "delete_definition",
    "edited",
    "edited_files",
    "equal_expressions",
    "extract_operator",
    "formatted",
    "formulas_at",
    "fresh",
    "inline_name",
    "inline_operator",
    "inlined_name_at",
    "introduce_name",
    "invocation_at",
    "is_compile_time",
    "is_unused",
    "may_be_replaced",
    "move_targets",
    "moved_by_same_operations",
    "named_definition_at",
    "new_file",
    "new_problem",
    "replace_formula",
    "selected_expression",
    "selected_statements",
    "switch_alone",
    "switch_channels",
]

EXTRACT, INLINE, REPLACE, CHANNELS = "extract", "inline", "replace", "channels"
INTRODUCE, INLINE_NAME, DELETE, MOVE = "introduce", "inlineName", "delete", "move"
SIGNATURE, REMOVE_PARAMETER, MOVE_PARAMETER, MAKE_ATTRIBUTE = (
    "signature",
    "removeParameter",
    "moveParameter",
    "makeAttribute",
)
REFACTORINGS: Mapping[str, Callable[[Snapshot, Asked], Sequence[Refactored]]] = MappingProxyType(
    {
        EXTRACT: lambda snapshot, asked: extract_operator(snapshot, asked.path, asked.span),
        INLINE: lambda snapshot, asked: inline_operator(snapshot, asked.path, asked.span),
        REPLACE: lambda snapshot, asked: replace_formula(snapshot, asked.path, asked.span),
        CHANNELS: lambda snapshot, asked: switch_channels(snapshot, asked.path, asked.span),
        INTRODUCE: introduce_name,
        INLINE_NAME: inline_name,
        DELETE: delete_definition,
        MOVE: move_definition,
        SIGNATURE: change_signature,
        REMOVE_PARAMETER: remove_parameter,
        MOVE_PARAMETER: move_parameter,
        MAKE_ATTRIBUTE: make_attribute,
    }
)
"""Refactorings by name: each returns the possible edits at a place, the best first, or raises RefactoringError.

The first edits after which definitions compute the same are applied.
"""
ACROSS_FILES = frozenset({DELETE, MOVE, SIGNATURE, REMOVE_PARAMETER, MOVE_PARAMETER})
"""Refactorings that depend on all files that may name a definition."""
