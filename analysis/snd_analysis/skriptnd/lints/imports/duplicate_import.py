"""A module is imported twice (2.15)."""

from __future__ import annotations

from snd_analysis.base import Note, Problem, Repair, Rule, Severity
from snd_analysis.skriptnd.lints.imported_names import ImportedName, removal

DUPLICATE_IMPORT = Rule("duplicate-import", section="2.15", severity=Severity.WARNING)


def problem(item: ImportedName, earlier: ImportedName) -> Problem:
    """Report an import of a module that is imported already."""
    note = Note(earlier.span, "first imported here")
    message = f"the module '{item.node.text}' is imported already"
    return Problem(DUPLICATE_IMPORT, item.span, message, (note,), Repair("remove the import", (removal(item),)))
