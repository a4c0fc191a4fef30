"""Proofs about operators for all sizes, as a table for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from snd_analysis.base import counted
from snd_analysis.proofs import Proof, Verdict, condition_text
from snd_server.checking.report import Report
from snd_server.console.visible import one_line

_STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.REFUTED: "bold red",
    Verdict.UNKNOWN: "bold yellow",
    Verdict.IMPLIED: "bold yellow",
    Verdict.NOT_IMPLIED: "bold green",
}


def proof_table(report: Report) -> str:
    """Return a line for each condition, the place and operator before it, and how many there are of each verdict."""
    return "".join(_lines(report)) if report.proofs else ""


def _lines(report: Report) -> Iterator[str]:
    assert report.proofs is not None
    width = max(len(_place(each, report)) for each in report.proofs)
    longest = max(len(each.verdict) for each in report.proofs)
    for proof in report.proofs:
        verdict = report.paint(_STYLES[proof.verdict], f"{proof.verdict:<{longest}}")
        yield f"{_place(proof, report):<{width}}  {verdict} {one_line(_condition(proof, report))}{_more(proof)}\n"
    counts = Counter(each.verdict for each in report.proofs)
    listed = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    yield f"{counted(len(report.proofs), 'condition')}: {listed}\n"


def _place(proof: Proof, report: Report) -> str:
    at = report.source(proof.path).position(proof.span.start)
    return f"{one_line(proof.path)}:{at.line}:{at.column} {proof.operator}"


def _condition(proof: Proof, report: Report) -> str:
    return condition_text(proof, report.source(proof.path).text)


def _more(proof: Proof) -> str:
    if proof.candidates:
        return f": {one_line(proof.candidates[0].sample)}"
    return f": {one_line(proof.reason)}" if proof.verdict is Verdict.UNKNOWN else ""
