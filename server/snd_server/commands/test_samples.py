"""One run of ``snd test``: find the samples, evaluate them, record or show the outcomes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from snd_analysis.base import Diagnostic, Edit, Location, Severity, counted
from snd_analysis.skriptnd.lints import unsuppressed
from snd_analysis.skriptnd.names import LIBRARY_PREFIX
from snd_analysis.workspace import PlacedSample
from snd_runtime.limits import Limits
from snd_runtime.samples import SampleEvaluator, SampleOutcome, SampleRequest, Status, update_edits
from snd_runtime.worker import ProcessLimits
from snd_server.checking.cache import default_folder
from snd_server.checking.checker import Checker
from snd_server.checking.report import Report, TestedSample
from snd_server.checking.request import CheckRequest
from snd_server.checking.sample_diagnostics import diagnostics_of
from snd_server.commands.check import exit_status, files_of
from snd_server.commands.output import decorated, write_output
from snd_server.console.progress import busy, tracked
from snd_server.console.terminal import say
from snd_server.console.visible import visible
from snd_server.render import render
from snd_server.settings.config import Configurations
from snd_server.workspace_files.writing import ChangedMeanwhileError, replace_text

_MEGABYTE = 1 << 20


class UpdateRefusedError(Exception):
    """A file that has changed since its samples were read."""


class SamplesRequest(Struct, frozen=True):
    """The parsed command line of ``snd test``; ``output`` is the part shared with ``snd check``."""

    output: CheckRequest
    update: bool = False
    real: str = "f32"
    seed: int = 0
    timeout: float = 5.0
    """Seconds for each sample."""
    memory: int = 1024
    """Megabytes for the tensors of each sample."""


class _Tested(Struct, frozen=True):
    """The samples of one file, and their outcomes."""

    path: str
    samples: tuple[PlacedSample, ...]
    outcomes: tuple[SampleOutcome, ...]


def run_samples(request: SamplesRequest) -> int:
    """Follow the request; return the exit status.

    Raise ConfigError, MissingPathError, UpdateRefusedError and OSError (a file that cannot be written).
    """
    output = request.output
    configurations = Configurations(output.config)
    checker = Checker(configurations, output.rules, default_folder(), tries_fixes=True)
    files = files_of(output, checker)
    recorded = 0
    with SampleEvaluator(ProcessLimits(request.memory * _MEGABYTE)) as evaluator:
        with busy("Running samples", shown=not output.quiet and len(files) == 1):
            tested = [_test(path, checker, evaluator, request) for path in tracked(files, shown=not output.quiet)]
        if request.update:
            counts = [_update(each, checker) for each in tested]
            recorded = sum(counts)
            checker = Checker(configurations, output.rules, default_folder(), tries_fixes=True)
            tested = [
                _test(each.path, checker, evaluator, request) if count else each
                for each, count in zip(tested, counts, strict=True)
            ]
    found = [diagnostic for each in tested for diagnostic in _diagnostics(each, checker)]
    checker.close()
    report = Report(
        files=tuple(files),
        diagnostics=tuple(found),
        source=checker.source,
        error_on_warning=output.error_on_warning,
        quiet=output.quiet,
        samples=tuple(sample for each in tested for sample in _samples(each, checker)),
        remark=_remark(tested, recorded),
    )
    write_output(render(output.format, decorated(report, sys.stdout, output)), sys.stdout, output)
    if output.verbose:
        _show_times(tested)
    return exit_status(report, output)


# ---- evaluating ------------------------------------------------------------------------------------------------------
def _test(path: str, checker: Checker, evaluator: SampleEvaluator, request: SamplesRequest) -> _Tested:
    snapshot = checker.snapshot(path)
    samples = snapshot.samples(path)
    if not samples:
        return _Tested(path, (), ())
    involved = (path, *(name for name in snapshot.dependencies(path) if not name.startswith(LIBRARY_PREFIX)))
    order = SampleRequest(
        path,
        {name: snapshot.source(name).text for name in involved if snapshot.exists(name)},
        snapshot.settings,
        limits=Limits(seconds=request.timeout, tensor_bytes=request.memory * _MEGABYTE),
        real=np.dtype(np.float64 if request.real == "f64" else np.float32),
        seed=request.seed,
    )
    existing = {name for name, found in checker.reader.looked_for.items() if found}
    return _Tested(path, samples, tuple(evaluator.outcomes(order, range(len(samples)), existing)))


# ---- recording -------------------------------------------------------------------------------------------------------
def _update(tested: _Tested, checker: Checker) -> int:
    """Write the results of one file. Return the number of samples that changed."""
    text = before = checker.source(tested.path).text
    edits: list[Edit] = []
    changed = 0
    for placed, outcome in zip(tested.samples, tested.outcomes, strict=True):
        found = update_edits(text, placed, outcome)
        edits += found
        changed += bool(found)
    if not edits:
        return 0
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = edit.apply(text)
    try:
        lost = replace_text(tested.path, before, text)
    except ChangedMeanwhileError:
        raise UpdateRefusedError(f"{tested.path} changed during the run: snd recorded nothing in it") from None
    for each in lost:
        say(f"warning: {tested.path}: {each}", err=True)
    return changed


# ---- showing ---------------------------------------------------------------------------------------------------------
def _diagnostics(tested: _Tested, checker: Checker) -> Iterator[Diagnostic]:
    """Yield the failures in a file, in order, and mistakes that checking finds in samples."""
    if not tested.samples:
        file = checker.snapshot(tested.path).file(tested.path)
        if file is not None and file.unreadable is not None:
            yield from checker.check(tested.path)
        return
    checked = [found for found in checker.check(tested.path) if found.severity is not Severity.HINT]
    snapshot = checker.snapshot(tested.path)
    made = [
        diagnostic
        for placed, outcome in zip(tested.samples, tested.outcomes, strict=True)
        for diagnostic in diagnostics_of(tested.path, snapshot, placed, outcome, checked)
    ]
    left = unsuppressed(made, snapshot.source(tested.path), snapshot.comments(tested.path))
    yield from checker.select(tested.path, sorted(left, key=lambda each: each.location.span))


def _samples(tested: _Tested, checker: Checker) -> Iterator[TestedSample]:
    text = checker.source(tested.path).text
    for placed, outcome in zip(tested.samples, tested.outcomes, strict=True):
        span = placed.sample.span.shifted(placed.start)
        invocation = visible(text[span.start : span.end].partition("\n")[0].removeprefix("# >>>").strip())
        yield TestedSample(Location(tested.path, span), invocation, outcome.seconds)


def _remark(tested: Sequence[_Tested], recorded: int) -> str:
    """Return the number of samples, and of each outcome."""
    counts = Counter(outcome.status for each in tested for outcome in each.outcomes)
    total = counts.total()
    if not total:
        return "No samples"
    listed = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    written = f", {recorded} recorded" if recorded else ""
    return f"{counted(total, 'sample')}: {listed}{written}"


def _show_times(tested: Sequence[_Tested]) -> None:
    seconds = sum(outcome.seconds for each in tested for outcome in each.outcomes)
    say(f"the samples took {seconds:.2f} s", err=True)
