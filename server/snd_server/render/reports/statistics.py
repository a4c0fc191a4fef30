"""Number of violations of each rule, for people (``--statistics``)."""

from __future__ import annotations

from snd_server.checking.report import Report
from snd_server.render.reports.statistics_json import counts
from snd_server.render.reports.summary import summary


def render(report: Report) -> str:
    """Return a line per rule, most frequent first."""
    rows = counts(report)
    wide = max((len(str(row["count"])) for row in rows), default=0)
    lines = [
        f"{row['count']:>{wide}}  {row['severity']:<7}  {row['rule']}{' [*]' if row['fixable'] else ''}\n"
        for row in rows
    ]
    return "".join([*lines, *summary(report)])
