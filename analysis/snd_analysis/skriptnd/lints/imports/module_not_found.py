"""An import of a module that no file has (2.15)."""

from __future__ import annotations

from snd_analysis.base import Edit, Problem, Repair, Rule
from snd_analysis.skriptnd.lints.imported_names import ImportedName
from snd_analysis.skriptnd.syntax import close_matches

MODULE_NOT_FOUND = Rule("module-not-found", section="2.15")


def problem(item: ImportedName, known: tuple[str, ...]) -> Problem:
    """Report an import that leads to no file. ``known`` are the names of modules that could be meant."""
    name = item.node.text
    close = close_matches(name, known)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    message = (
        f"there is no module '{name}': no '{name.replace('.', '/')}.sknd' beside this file, in the model's "
        f"folder, in 'module-paths' or in the standard library{hint}"
    )
    repair = Repair(f"write '{close[0]}'", (Edit(item.span, close[0]),), safe=False) if close else None
    return Problem(MODULE_NOT_FOUND, item.span, message, repair=repair)
