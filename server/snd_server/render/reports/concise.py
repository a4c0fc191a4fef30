"""One line per diagnostic, as compilers write it: editors and terminals make the place clickable."""

from __future__ import annotations

from snd_analysis.base import Diagnostic
from snd_server.checking.report import Report, is_fixable
from snd_server.console.visible import one_line
from snd_server.render.reports.full import SEVERITY_STYLES
from snd_server.render.reports.proof_table import proof_table
from snd_server.render.reports.summary import summary


def render(report: Report) -> str:
    """Return lines ``path:line:column: severity[rule] message``; ``[*]`` marks the fixable ones for ``--fix``."""
    return "".join(
        [*(_line(diagnostic, report) for diagnostic in report.diagnostics), *proof_table(report), *summary(report)]
    )


def _line(diagnostic: Diagnostic, report: Report) -> str:
    start = report.start(diagnostic.location)
    place = f"{report.paint('bold', one_line(diagnostic.location.path))}:{start.line}:{start.column}"
    rule = report.paint(SEVERITY_STYLES[diagnostic.severity], f"{diagnostic.severity}[{diagnostic.rule.name}]")
    mark = "[*] " if is_fixable(diagnostic, report.unsafe_fixes) else ""
    return f"{place}: {rule} {mark}{one_line(diagnostic.message)}\n"
