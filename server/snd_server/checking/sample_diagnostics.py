"""Outcomes of samples as diagnostics, for the renderers of ``snd check``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Elsewhere, Location, Related, Rule, Span
from snd_analysis.compose import Site
from snd_analysis.workspace import PlacedSample, Snapshot
from snd_runtime.samples import SampleOutcome, Status
from snd_server.limits import MOST_RESULT_CHARACTERS

_COMMENT_SIGN = re.compile(r"#[ \t]*")


def diagnostics_of(
    path: str, snapshot: Snapshot, placed: PlacedSample, outcome: SampleOutcome, checked: Sequence[Diagnostic]
) -> Iterator[Diagnostic]:
    """Yield the diagnostics of a sample of a file; ``checked`` are the diagnostics of that file."""
    whole = placed.sample.span.shifted(placed.start)
    inside = [each for each in checked if whole.start <= each.location.span.start < whole.end]
    if outcome.status is Status.DIFFERS:
        yield from (each for each in inside if each.rule != rules.SAMPLE_RESULT_SHAPE)
        yield from _differences(path, snapshot.source(path).text, placed, outcome)
        return
    yield from inside
    if outcome.status is Status.INVALID and not inside:
        message = "this can't be evaluated: what it invokes has mistakes, which 'snd check' reports"
        yield _failure(path, placed, message)
    elif outcome.status is Status.FAILED:
        failure = _failure(path, placed, f"{outcome.message} ({outcome.rule and outcome.rule.name})")
        yield replace(failure, related=tuple(_related(snapshot, site) for site in outcome.sites))
    elif outcome.status is Status.UNRECORDED:
        message = "nothing is recorded below this sample: 'snd test --update' writes what comes out"
        yield _diagnostic(rules.SAMPLE_WITHOUT_RESULT, path, _code(placed), message)


def _related(snapshot: Snapshot, site: Site) -> Related:
    place = site.place
    return Related(snapshot.locate(Elsewhere(place.path, place.definition, span=place.span)), site.message)


def _failure(path: str, placed: PlacedSample, message: str) -> Diagnostic:
    return _diagnostic(rules.SAMPLE_FAILS, path, _code(placed), message)


def _differences(path: str, text: str, placed: PlacedSample, outcome: SampleOutcome) -> Iterator[Diagnostic]:
    sample, start = placed.sample, placed.start
    if sample.error is not None:
        came = outcome.message if outcome.message is not None else "no error: "
        if outcome.message is None:
            came += "; ".join(_cut(each.now) for each in outcome.results)
        span = sample.error.line.shifted(start)
        message = f"another outcome is expected\nWAS: error: {sample.error.text}\nNOW: {came}"
        yield _diagnostic(rules.SAMPLE_DIFFERS, path, span, message)
        return
    recorded = {each.name: each for each in sample.results}
    for result in outcome.results:
        before = recorded.pop(result.name, None)
        if before is None:
            message = f"the result '{result.name}' is not recorded\nNOW: {_cut(result.now)}"
            yield _diagnostic(rules.SAMPLE_DIFFERS, path, _code(placed), message)
        elif result.difference is not None:
            span = before.line.shifted(start)
            was = _COMMENT_SIGN.sub("", text[span.start : span.end], count=1)
            message = f"'{result.name}' is not what is recorded: {result.difference}"
            yield _diagnostic(rules.SAMPLE_DIFFERS, path, span, f"{message}\nWAS: {_cut(was)}\nNOW: {_cut(result.now)}")
    for name, rest in recorded.items():
        span = rest.name_span.shifted(start)
        yield _diagnostic(rules.SAMPLE_DIFFERS, path, span, f"there is no result '{name}'")


def _code(placed: PlacedSample) -> Span:
    sample = placed.sample
    span = sample.marker if sample.invocation is None else sample.invocation.span
    return span.shifted(placed.start)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_RESULT_CHARACTERS else f"{text[:MOST_RESULT_CHARACTERS]} …"


def _diagnostic(rule: Rule, path: str, span: Span, message: str) -> Diagnostic:
    return Diagnostic(rule, rule.severity, message, Location(path, span))
