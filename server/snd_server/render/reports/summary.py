"""The last line of the formats for people."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Severity, counted
from snd_server.checking.report import Report, is_fixable

_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark", Severity.HINT: "hint"}


def summary(report: Report) -> Iterator[str]:
    """Yield the summary in one line, and the fixed problems in a line before it. Nothing if quiet."""
    if report.quiet or not report.files:
        return
    if report.remark:
        yield f"{report.remark}\n"
    if report.fixed:
        yield f"Fixed {counted(report.fixed, 'problem')}\n"
    if report.diagnostics:
        yield f"{report.paint('bold', _found(report))}{_fixable(report)}\n"
    elif not report.remark:  # which says how it went; whether files are clean is for ``snd check`` to say
        count = len(report.files)
        clean = f"All {count} files are clean" if count > 1 else "1 file is clean"
        yield f"{report.paint('bold green', clean)}{_hidden(report)}\n"


def _found(report: Report) -> str:
    counts = [counted(count, _NOUNS[severity]) for severity in Severity if (count := report.count(severity))]
    listed = counts[0] if len(counts) == 1 else f"{', '.join(counts[:-1])} and {counts[-1]}"
    files = len({found.location.path for found in report.diagnostics})
    return f"Found {listed} in {counted(files, 'file')}"


def _fixable(report: Report) -> str:
    with_fix = sum(is_fixable(found, report.unsafe_fixes) for found in report.diagnostics)
    more = sum(is_fixable(found, True) for found in report.diagnostics) - with_fix
    said = [f"{with_fix} fixable with --fix"] if with_fix else []
    if more:
        said.append(f"{more}{' more' if with_fix else ''} with --fix --unsafe-fixes")
    if report.declined:
        fixes = "1 fix is" if report.declined == 1 else f"{report.declined} fixes are"
        said.append(f"{fixes} not applied: other problems would follow")
    return f" ({', '.join(said)})" if said else ""


def _hidden(report: Report) -> str:
    return f"; {counted(report.hidden_hints, 'hint')} with -v" if report.hidden_hints else ""
