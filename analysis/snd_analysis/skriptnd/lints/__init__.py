"""Rules that are decided by a text, its syntax tree or the names in it: each with its check in its file.

Rules that are decided in the middle of a phase are in ``snd_analysis.rules``.
"""

from __future__ import annotations

from snd_analysis.skriptnd.lints.documents import check_chunk, check_definitions, check_items
from snd_analysis.skriptnd.lints.documents.duplicate_version import DUPLICATE_VERSION
from snd_analysis.skriptnd.lints.documents.main_without_graph import MAIN_WITHOUT_GRAPH
from snd_analysis.skriptnd.lints.documents.malformed_version import MALFORMED_VERSION
from snd_analysis.skriptnd.lints.documents.misplaced_header import MISPLACED_HEADER
from snd_analysis.skriptnd.lints.imported_names import (
    ImportedName,
    imported_names,
    imports_are_readable,
    without_statement,
)
from snd_analysis.skriptnd.lints.imports import check_imports
from snd_analysis.skriptnd.lints.imports.duplicate_import import DUPLICATE_IMPORT
from snd_analysis.skriptnd.lints.imports.module_not_found import MODULE_NOT_FOUND
from snd_analysis.skriptnd.lints.imports.unused_import import UNUSED_IMPORT
from snd_analysis.skriptnd.lints.invocations import check_invocations
from snd_analysis.skriptnd.lints.invocations.negative_stack_axis import NEGATIVE_STACK_AXIS
from snd_analysis.skriptnd.lints.names.dead_operation import DEAD_OPERATION
from snd_analysis.skriptnd.lints.names.unused_symbol import UNUSED_SYMBOL
from snd_analysis.skriptnd.lints.names.unused_symbol import check as check_unused_symbols
from snd_analysis.skriptnd.lints.names.unused_variable import UNUSED_VARIABLE
from snd_analysis.skriptnd.lints.precedence import check_precedence
from snd_analysis.skriptnd.lints.structure import check_structure
from snd_analysis.skriptnd.lints.suppressions import apply_suppressions, unsuppressed
from snd_analysis.skriptnd.lints.suppressions.blanket_suppression import BLANKET_SUPPRESSION
from snd_analysis.skriptnd.lints.suppressions.unknown_directive import UNKNOWN_DIRECTIVE
from snd_analysis.skriptnd.lints.suppressions.unknown_rule_in_suppression import UNKNOWN_RULE_IN_SUPPRESSION
from snd_analysis.skriptnd.lints.suppressions.unused_suppression import UNUSED_SUPPRESSION

__all__ = [
    "BLANKET_SUPPRESSION",
    "DEAD_OPERATION",
    "DUPLICATE_IMPORT",
    "DUPLICATE_VERSION",
    "MAIN_WITHOUT_GRAPH",
    "MALFORMED_VERSION",
    "MISPLACED_HEADER",
    "MODULE_NOT_FOUND",
    "NEGATIVE_STACK_AXIS",
    "UNKNOWN_DIRECTIVE",
    "UNKNOWN_RULE_IN_SUPPRESSION",
    "UNUSED_IMPORT",
    "UNUSED_SUPPRESSION",
    "UNUSED_SYMBOL",
    "UNUSED_VARIABLE",
    "ImportedName",
    "apply_suppressions",
    "check_chunk",
    "check_definitions",
    "check_imports",
    "check_invocations",
    "check_items",
    "check_precedence",
    "check_structure",
    "check_unused_symbols",
    "imported_names",
    "imports_are_readable",
    "unsuppressed",
    "without_statement",
]
