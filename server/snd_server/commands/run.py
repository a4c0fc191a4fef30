"""Output of ``snd run``, in order: steps as they finish, a bar on standard error, then the outcome."""

from __future__ import annotations

from msgspec.structs import replace

from snd_analysis.base import Severity
from snd_runtime.evaluation import ShownStep
from snd_server.checking.checker import Checker
from snd_server.checking.plain_report import plain_report
from snd_server.console.colours import paint
from snd_server.console.progress import ProgressBar
from snd_server.console.terminal import show, show_document
from snd_server.render.evaluated import evaluated_table, step_lines
from snd_server.render.evaluated_json import evaluated_json
from snd_server.render.reports import full
from snd_server.running.evaluate import Observer, RunRequest, evaluate, propose_map
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings


def run_and_show(request: RunRequest, format: str) -> int:
    """Run the request, print the outcome to standard output, and return the exit status.

    Raise ArgumentError and ConfigError for a command line that can't be followed.
    """
    checker = Checker(Configurations(request.config, pulse=request.pulse), RuleSettings())
    if format == "json":
        return _json(checker, request)
    return _table(checker, request)


def propose_and_show(request: RunRequest, path: str) -> int:
    """Write rules that rename weights to ``path``; return the exit status. Raises as ``run_and_show``."""
    show(
        f"{propose_map(Checker(Configurations(request.config, pulse=request.pulse), RuleSettings()), request, path)}\n"
    )
    return 0


def _json(checker: Checker, request: RunRequest) -> int:
    steps: list[ShownStep] = []
    with ProgressBar("Running") as bar:
        evaluated, status = evaluate(checker, request, Observer(steps.append, bar.update))
    report = plain_report(checker, request.path, evaluated.diagnostics)
    show_document(evaluated_json(replace(evaluated, trace=tuple(steps)), report))
    return status


def _table(checker: Checker, request: RunRequest) -> int:
    colours = paint()

    def step(step: ShownStep) -> None:
        show("".join(f"{line}\n" for line in step_lines(step, colours)))

    # A bar would be torn apart by the steps that are printed beside it.
    with ProgressBar("Running", shown=not request.trace) as bar:
        evaluated, status = evaluate(checker, request, Observer(step, bar.update))
    report = plain_report(checker, request.path, evaluated.diagnostics, colours)
    failed = any(found.severity is Severity.ERROR for found in evaluated.diagnostics)
    if evaluated.diagnostics:
        show(full.render(report))
    if not failed:
        show(evaluated_table(evaluated, colours))
    return status
