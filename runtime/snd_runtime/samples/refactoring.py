"""A refactoring, done in a worker: the edits, and evaluations before and after them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.base import Span, counted
from snd_analysis.ide.refactoring import (
    CHANNELS,
    REFACTORINGS,
    Asked,
    ProvedOperator,
    Refactored,
    RefactoringError,
    edited_files,
    new_problem,
    switch_alone,
)
from snd_analysis.workspace import Snapshot
from snd_runtime.limits import TimeOverError, until
from snd_runtime.samples.equivalence import Comparison, Equivalence
from snd_runtime.samples.large_graphs import is_large
from snd_runtime.samples.request import SampleRequest

_STEP = 32
"""Invocations of the library that are tried between two reports."""

ReportRefactoring: TypeAlias = "Callable[[RefactoringProgress], None]"


class RefactoringRequest(Struct, frozen=True):
    """A refactoring of the file of ``around`` at a place of it; ``kind`` is a key of ``REFACTORINGS``."""

    around: SampleRequest
    kind: str
    place: Span
    files: tuple[str, ...] = ()
    """The files that may name the things that change."""
    options: Mapping[str, Any] = field(default_factory=dict)


class RefactoringProgress(Struct, frozen=True):
    """The number of edits that were tried, out of ``total``."""

    done: int
    total: int


class RefactoringAnswer(Struct, frozen=True):
    """The edits to apply, with a message that names the evaluations; or only a message that says why there are none."""

    message: str
    refactored: Refactored | None = None
    moved: Mapping[str, str] = field(default_factory=dict)
    """The variables that have other names then: new scoped names by the old ones."""

    @property
    def weights_map(self) -> str:
        """The rules with which ``snd run --map`` loads weights that were saved before."""
        return "\n".join(f'[[rule]]\nfrom = "{old}"\nto = "{new}"\n' for old, new in self.moved.items())


def refactor(
    snapshot: Snapshot, request: RefactoringRequest, note: ReportRefactoring = lambda progress: None
) -> RefactoringAnswer:
    """Return the first edits of a refactoring after which the definition computes the same."""
    seconds = request.around.limits.seconds
    end = None if seconds is None else time.monotonic() + seconds
    try:
        with until(end):
            return _refactored(snapshot, request, end, note)
    except TimeOverError:
        return RefactoringAnswer(f"the refactoring takes longer than {seconds:g} s")


def _refactored(
    snapshot: Snapshot, request: RefactoringRequest, end: float | None, note: ReportRefactoring
) -> RefactoringAnswer:
    asked = Asked(request.around.path, request.place, request.files, request.options)
    try:
        candidates = REFACTORINGS[request.kind](snapshot, asked)
    except RefactoringError as refused:
        return RefactoringAnswer(str(refused))
    if candidates[0].call is not None:
        return _replaced(snapshot, request, candidates, end, note)
    (refactored,) = candidates
    if request.kind == CHANNELS and is_large(snapshot, refactored.name):
        found = _switched_alone(snapshot, request, refactored, end)
        if found is not None:
            return found
    return _compared(snapshot, request, refactored, end, note)


def _compared(
    snapshot: Snapshot, request: RefactoringRequest, refactored: Refactored, end: float | None, note: ReportRefactoring
) -> RefactoringAnswer:
    """Return the refactoring, or a refusal if a changed definition computes something else.

    A definition that can't be evaluated is a reason for refusal, too, except in a refactoring by name: there the
    answer lists the definition as not compared.
    """
    changed = snapshot.changed(edited_files(snapshot, refactored.edits))
    own = (refactored.name, refactored.name)
    pairs = (own,) if refactored.compared is None else refactored.compared
    count, compositions, cases, moved, left_out = 0, 0, list[str](), dict[str, str](), list[str]()
    proved: ProvedOperator | None = None
    for number, (before, after) in enumerate(pairs):
        note(RefactoringProgress(number, len(pairs)))
        around = replace(request.around, path=before.path)
        found = Comparison(snapshot, before, around, end).with_edit(
            changed,
            after,
            moves_variables=refactored.moves_variables,
            parameters=refactored.parameters_of(before),
            proved=proved,
        )
        if found.difference is None and found.reason is not None and refactored.is_by_name:
            left_out.append(f"'{before.name}' was not compared: {found.reason}")
            continue
        refusal = _refusal(before.name, found)
        if refusal is not None:
            return RefactoringAnswer(refusal)
        if before == refactored.name:
            proved = ProvedOperator(before, after, refactored.parameters)
        count += found.evaluations
        compositions += found.compositions
        cases += found.cases if len(pairs) == 1 else [f"{before.name}({each})" for each in found.cases[:1]]
        moved.update(found.moved)
    total = Equivalence(count, cases=tuple(cases), moved=moved, compositions=compositions)
    return _answer(refactored, total, left_out)


def _switched_alone(
    snapshot: Snapshot, request: RefactoringRequest, refactored: Refactored, end: float | None
) -> RefactoringAnswer | None:
    """Compare the statements of a large graph as an operator of their own; None if they are other statements then."""
    try:
        alone, switched = switch_alone(snapshot, request.around.path, request.place)
    except RefactoringError:
        return None
    if sorted(each.text.split() for each in switched.edits) != sorted(each.text.split() for each in refactored.edits):
        return None
    changed = alone.changed(edited_files(alone, switched.edits))
    found = Comparison(alone, switched.name, request.around, end).with_edit(changed)
    if found.is_equal:
        return _answer(refactored, found)
    return None if found.difference is None else RefactoringAnswer(_refusal("the statements", found) or "")


def _refusal(name: str, found: Equivalence) -> str | None:
    if found.difference is not None:
        return f"'{name}' would compute something else {found.difference}"
    return None if found.is_equal else f"'{name}' can't be evaluated: {found.reason}"


def _answer(refactored: Refactored, found: Equivalence, left_out: Sequence[str] = ()) -> RefactoringAnswer:
    told = refactored.what
    if found.evaluations:
        told += f": equal on {counted(found.evaluations, 'evaluation')}{found.compared}"
    if found.compositions:
        told += (
            f"{';' if found.evaluations else ':'} the same operations in {counted(found.compositions, 'composition')}"
        )
        told += "" if found.evaluations else found.compared
    if found.moved:
        old, new = next(iter(found.moved.items()))
        verb = "have other names" if len(found.moved) > 1 else "has another name"
        told += f"; {counted(len(found.moved), 'variable')} {verb}, as '{new}' for '{old}'"
    if left_out:
        more = f", and {counted(len(left_out) - 1, 'further definition')}" if len(left_out) > 1 else ""
        told += f"; {left_out[0]}{more}"
    return RefactoringAnswer(told, replace(refactored, call=None), found.moved)


def _replaced(
    snapshot: Snapshot,
    request: RefactoringRequest,
    candidates: Sequence[Refactored],
    end: float | None,
    note: ReportRefactoring,
) -> RefactoringAnswer:
    """Return the first invocation of the library that computes the same; each is tried by itself first."""
    comparison = Comparison(snapshot, candidates[0].name, request.around, end, strict=True)
    name, path = candidates[0].name.name, request.around.path
    if comparison.reason is not None or not comparison.trials.found:
        reason = comparison.reason or "no attributes and inputs were found with which it can be invoked"
        return RefactoringAnswer(f"'{name}' can't be evaluated: {reason}")
    for number, each in enumerate(candidates):
        if comparison.is_over:
            reason = comparison.time_is_over
            return RefactoringAnswer(f"'{name}' can't be compared with all operators of the library: {reason}")
        if number % _STEP == 0:
            note(RefactoringProgress(number, len(candidates)))
        if each.call is not None and not comparison.fits(each.call):
            continue
        changed = snapshot.changed(edited_files(snapshot, each.edits))
        if new_problem(snapshot, changed, path) is None:
            found = comparison.with_edit(changed)
            if found.is_equal:
                return _answer(each, found)
    tried = counted(len(candidates), "invocation")
    return RefactoringAnswer(f"none of {tried} of the library that fit '{name}' computes the same")
