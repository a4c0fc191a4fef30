"""A module is imported and never used."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Repair, Rule, Severity
from snd_analysis.skriptnd.lints.imported_names import ImportedName, removal

UNUSED_IMPORT = Rule("unused-import", section="tool", severity=Severity.HINT)


def check(item: ImportedName, used: frozenset[str]) -> Iterator[Problem]:
    """Report an import of a module whose name is not among ``used``."""
    name = item.node.text
    if name not in used:
        repair = Repair("remove the import", (removal(item),))
        yield Problem(UNUSED_IMPORT, item.span, f"the module '{name}' is imported and never used", repair=repair)
