"""Rules that a text, its syntax tree or the names in it decide, each with its check.

A check is registered by ``check_of`` for a type of subject; ``problems_of`` runs the checks of a subject:

- ``SyntaxTree``: the parts of a file
- ``Module``: the definitions of a file, taken together
- ``Chunk``: the tokens of a chunk; spans count from the chunk, as in the subjects below
- ``nodes.Definition``: the blocks of a definition
- ``Resolution``: the names in a definition or a sample
- ``ValidDefinition``: a definition without errors
- ``Imports``: the imports of a file

Rules that a phase decides on its way are in ``snd_analysis.rules``.
"""

from __future__ import annotations

from snd_analysis.skriptnd.lints import literals, precedence, structure  # noqa: F401 (their checks register themselves)
from snd_analysis.skriptnd.lints.documents import (
    DUPLICATE_VERSION,
    MAIN_WITHOUT_GRAPH,
    MALFORMED_VERSION,
    MISPLACED_HEADER,
    Module,
)
from snd_analysis.skriptnd.lints.imports import (
    DUPLICATE_IMPORT,
    MODULE_NOT_FOUND,
    UNUSED_IMPORT,
    ImportedName,
    Imports,
    imported_names,
    imports_are_readable,
    without_statement,
)
from snd_analysis.skriptnd.lints.invocations import NEGATIVE_STACK_AXIS
from snd_analysis.skriptnd.lints.names import DEAD_OPERATION, UNUSED_SYMBOL, UNUSED_VARIABLE, ValidDefinition
from snd_analysis.skriptnd.lints.suppressions import (
    BLANKET_SUPPRESSION,
    UNKNOWN_DIRECTIVE,
    UNKNOWN_RULE_IN_SUPPRESSION,
    UNUSED_SUPPRESSION,
    apply_suppressions,
    unsuppressed,
)

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
    "Imports",
    "Module",
    "ValidDefinition",
    "apply_suppressions",
    "imported_names",
    "imports_are_readable",
    "unsuppressed",
    "without_statement",
]
