"""One run of ``snd check``: find, fix, check, show."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Fix, Severity, counted
from snd_analysis.proofs import Proof
from snd_server.checking.cache import default_folder
from snd_server.checking.checker import Checker
from snd_server.checking.report import Report, is_declined, is_fixable
from snd_server.checking.request import CheckRequest
from snd_server.commands.output import decorated, write_output
from snd_server.console.progress import tracked
from snd_server.console.terminal import say, visible_diff
from snd_server.render import render
from snd_server.settings.config import Configurations
from snd_server.workspace_files.archive_paths import split_member
from snd_server.workspace_files.discovery import NNEF1_SUFFIX, NNEF1_SUFFIXES, SUFFIX, discover
from snd_server.workspace_files.model_folder import convert_first, onnx_models

if TYPE_CHECKING:
    from snd_server.checking.fixing import FixedFile
    from snd_server.checking.proving import Prover

CLEAN, PROBLEMS, UNREADABLE, FAULT, INTERRUPTED = 0, 1, 2, 101, 130


def run_check(request: CheckRequest) -> int:
    """Follow the request, as the last work of this process, which collects no garbage from here on.

    Return the exit status. Raise ConfigError, MissingPathError and OSError (a file that cannot be written) for the
    caller to report.
    """
    # A run makes many objects, keeps nearly all and ends soon: searching them for cycles would double its time.
    gc.disable()
    try:
        return run_under(Configurations(request.config, pulse=request.pulse), request)
    finally:
        gc.freeze()  # the interpreter would search them once more before it ends


def run_under(configurations: Configurations, request: CheckRequest) -> int:
    """Return the same under given configurations, which afterwards know all other inputs of the outcome."""
    with _proving(request) as prover:
        return _run(configurations, request, prover)


def _run(configurations: Configurations, request: CheckRequest, prover: Prover | None) -> int:
    checker = Checker(
        configurations,
        request.rules,
        cache_folder=default_folder() if request.use_cache else None,
        tries_fixes=True,
    )
    if request.unsafe_fixes and not (request.fix or request.diff or request.quiet):
        say("warning: --unsafe-fixes changes nothing without --fix or --diff", err=True)
    files = files_of(request, checker)
    if request.diff:
        changed = _show_changes(files, checker, request, prover)
        return CLEAN if request.exit_zero or not changed else PROBLEMS
    fixed, rejected = _fix(files, checker, request, prover) if request.fix else (0, frozenset())
    found = checker.check_all(_with_companions(files, checker), partial(tracked, shown=not request.quiet))
    checker.close()
    proofs = None
    if prover is not None:
        proofs, refuted = _prove(tracked(files, shown=not request.quiet), checker, prover)
        found = sorted([*found, *refuted], key=lambda each: (files.index(each.location.path), each.location.span))
    shown = [each for each in found if request.shows_hints or each.severity is not Severity.HINT]
    withheld = {*rejected, *_held_back(found)}
    report = Report(
        files=tuple(files),
        diagnostics=tuple(
            replace(each, fix=None) if each.fix is not None and (each.fix.declined or each.fix in withheld) else each
            for each in shown
        ),
        source=checker.source,
        unsafe_fixes=request.unsafe_fixes,
        error_on_warning=request.error_on_warning,
        fixed=fixed,
        declined=sum(
            is_declined(each, True)
            if not request.fix
            else is_declined(each, request.unsafe_fixes)
            or (each.fix in rejected and is_fixable(each, request.unsafe_fixes))
            for each in shown
        ),
        hidden_hints=len(found) - len(shown),
        quiet=request.quiet,
        proofs=proofs,
    )
    _show(report, request)
    if request.verbose:
        say(f"{counted(len(files), 'file')} checked, {checker.from_cache} known from the cache", err=True)
    return exit_status(report, request)


def _held_back(found: Sequence[Diagnostic]) -> set[Fix | None]:
    """Return the fixes that ``--fix`` does not apply while their files have errors."""
    broken = {each.location.path for each in found if each.severity is Severity.ERROR}
    if not broken:
        return set()
    from snd_server.checking.fixing import AFTER_ERRORS

    return {each.fix for each in found if each.rule in AFTER_ERRORS and each.location.path in broken}


def _prove(files: Iterable[str], checker: Checker, prover: Prover) -> tuple[tuple[Proof, ...], list[Diagnostic]]:
    """Return the proofs about the operators of files, and a diagnostic for each refuted condition."""
    proofs: list[Proof] = []
    found: list[Diagnostic] = []
    for path in files:
        of_file = prover.of_file(path, checker.snapshot(path))
        proofs += of_file
        found += _refuted(path, of_file, checker)
    return tuple(proofs), found


def _refuted(path: str, proofs: Sequence[Proof], checker: Checker) -> tuple[Diagnostic, ...]:
    from snd_analysis.ide.proofs import refutations
    from snd_analysis.skriptnd.lints import unsuppressed

    snapshot = checker.snapshot(path)
    left = unsuppressed(list(refutations(proofs, snapshot)), snapshot.source(path), snapshot.comments(path))
    return checker.select(path, left)


@contextmanager
def _proving(request: CheckRequest) -> Iterator[Prover | None]:
    """Raise MissingExtraError."""
    if not request.proofs:
        yield None
        return
    from snd_server.checking.proving import Prover

    with Prover() as prover:
        yield prover


def files_of(request: CheckRequest, checker: Checker) -> list[str]:
    """Return the files that a command line means; standard input under its name, when it has been read."""
    if request.stdin_filename is not None:
        checker.provide(request.stdin_filename, sys.stdin.buffer.read())
        return [request.stdin_filename]
    files = discover(request.paths, checker.configurations, (SUFFIX, *NNEF1_SUFFIXES))
    if not files and not request.quiet:
        models = [model for path in request.paths for model in onnx_models(path)]
        advice = "'snd init' begins a model, 'snd check PATH' checks another folder"
        if models:
            advice = convert_first(models[0])
        places = ", ".join(request.paths)
        say(f"warning: no files in SkriptND (*.sknd) or NNEF 1.0 (*.nnef) found in {places}: {advice}", err=True)
    return files


def _with_companions(files: Sequence[str], checker: Checker) -> list[str]:
    """Return files with their companions, each once: a ``graph.quant`` after its ``graph.nnef``."""
    found = dict.fromkeys(files)
    for path in files:
        if path.endswith(NNEF1_SUFFIX):
            found.update(dict.fromkeys(checker.companions(path)))
    return list(found)


def _show(report: Report, request: CheckRequest) -> None:
    # The fixed text of standard input takes standard output for itself.
    stream = sys.stderr if request.fix and request.stdin_filename is not None else sys.stdout
    name = "statistics" if request.statistics else request.format
    if request.statistics and request.format == "json":
        name = "statistics-json"
    write_output(render(name, decorated(report, stream, request)), stream, request)


def exit_status(report: Report, request: CheckRequest) -> int:
    """Return the exit status of a run: 0 if no reported diagnostic makes it fail."""
    if not report.diagnostics:  # loads no rule
        return CLEAN
    broken = {found.rule for found in report.diagnostics}
    if rules.INTERNAL_ERROR in broken:
        return FAULT
    if {rules.UNREADABLE_FILE, rules.FILE_TOO_LARGE} & broken:
        return UNREADABLE
    if request.exit_zero or not any(map(report.fails, report.diagnostics)):
        return CLEAN
    return PROBLEMS


def _fix(
    files: Sequence[str], checker: Checker, request: CheckRequest, prover: Prover | None
) -> tuple[int, frozenset[Fix]]:
    """Fix every file and write it (standard input to standard output).

    Return how many fixes were applied, and which were rejected. Raise OSError for a file that can't be written, or
    that somebody else changed since it was read.
    """
    from snd_server.workspace_files.writing import replace_text  # a run that only reports does without it

    total = 0
    rejected: set[Fix] = set()
    for path in tracked(files, shown=not request.quiet):
        if split_member(path) is not None:
            continue  # archives are not written
        before = checker.source(path).text
        fixed = _fixed(path, checker, request, prover)
        total += fixed.count
        rejected |= fixed.rejected
        if request.stdin_filename is not None:
            write_output(fixed.text, sys.stdout, request, is_document=True)
        elif fixed.text != before:
            for lost in replace_text(path, before, fixed.text):
                say(f"warning: {path}: {lost}", err=True)
    return total, frozenset(rejected)


def _show_changes(files: Sequence[str], checker: Checker, request: CheckRequest, prover: Prover | None) -> bool:
    from snd_server.checking.fixing import unified_diff

    diffs: list[str] = []
    for path in tracked(files, shown=not request.quiet):
        before = checker.source(path).text
        diffs.append(unified_diff(path, before, _fixed(path, checker, request, prover).text))
    write_output(visible_diff("".join(diffs), sys.stdout), sys.stdout, request, is_document=True)
    return any(diffs)


def _fixed(path: str, checker: Checker, request: CheckRequest, prover: Prover | None) -> FixedFile:
    """Return the text of a file after its fixes, which the checker takes for the file from now on."""
    from snd_server.checking.fixing import FixedFile, fix_text

    def wanted(diagnostic: Diagnostic) -> bool:
        return is_fixable(diagnostic, request.unsafe_fixes) and bool(checker.select(path, (diagnostic,)))

    def analysed(text: str) -> tuple[Diagnostic, ...]:
        found = checker.analyse(path, text)
        if prover is None or not request.unsafe_fixes:  # to assert something is never safe
            return found
        return (*found, *_refuted(path, prover.of_file(path, checker.snapshot(path)), checker))

    before = checker.source(path).text
    if not any(map(wanted, analysed(before))):
        return FixedFile(before, 0)
    fixed = fix_text(before, analysed, wanted)
    if checker.source(path).text != fixed.text:  # the last text tried was one with a rejected fix
        checker.analyse(path, fixed.text)
    return fixed
