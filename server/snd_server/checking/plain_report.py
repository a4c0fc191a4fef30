"""Reports of commands that fix nothing: they announce only fixes that ``snd check --fix`` applies."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from snd_analysis.base import Diagnostic
from snd_server.checking.checker import Checker
from snd_server.checking.report import Report
from snd_server.console.colours import Paint, plain


def plain_report(checker: Checker, path: str, diagnostics: Sequence[Diagnostic], paint: Paint = plain) -> Report:
    """Return the report of a command about a file, with the fixes that other problems prevent counted as declined."""
    if not any(each.fix is not None for each in diagnostics):
        return Report((path,), tuple(diagnostics), checker.source, paint=paint)
    from snd_server.checking.fixing import not_held_back  # loads the rules that are checked on trees

    found = not_held_back(diagnostics)
    for file in {each.location.path for each in found if each.fix is not None}:
        at = [number for number, each in enumerate(found) if each.location.path == file]
        tried = checker.with_declined_fixes(file, [found[number] for number in at])
        for number, each in zip(at, tried, strict=True):
            found[number] = each
    declined = [each.fix is not None and each.fix.declined for each in found]
    shown = (replace(each, fix=None) if is_out else each for each, is_out in zip(found, declined, strict=True))
    return Report((path,), tuple(shown), checker.source, declined=sum(declined), paint=paint)
