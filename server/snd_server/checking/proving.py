"""Proofs about operators for all sizes, and counterexamples shown by evaluation.

``Prover`` is for ``snd check --proofs``, ``make`` for the process that proves operators for editors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import thread_time
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Diagnostic, Edit, Elsewhere, Location, Rule, Severity, Span
from snd_analysis.proofs import (
    Candidate,
    Proof,
    Proposals,
    Verdict,
    assertion_edit,
    is_available,
    proofs_of_file,
    proofs_of_operator,
)
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName
from snd_analysis.workspace import Snapshot
from snd_runtime.evaluation import KnownFiles, Texts
from snd_runtime.rules import NO_EVALUATION
from snd_runtime.samples import SAMPLE_LIMITS, SampleEvaluator, SampleOutcome, SampleRequest, Status, evaluate_sample
from snd_server.extras import MissingExtraError
from snd_server.limits import SECONDS_OF_MENDING
from snd_server.workspace_files.discovery import SUFFIX

Evaluate: TypeAlias = Callable[[Snapshot, str, int], SampleOutcome]
"""A function that evaluates a sample of a file, by its number."""


class Prover:
    """Proofs of files, and the process that evaluates counterexamples. Must be closed."""

    def __init__(self) -> None:
        """Raise MissingExtraError where z3 is not installed."""
        if not is_available():
            raise MissingExtraError("proofs need the package z3-solver: pip install z3-solver installs it")
        self._evaluator = SampleEvaluator()

    def __enter__(self) -> Prover:
        return self

    def __exit__(self, *exception: object) -> None:
        self._evaluator.worker.close()

    def of_file(self, path: str, snapshot: Snapshot) -> list[Proof]:
        """Return the conditions of the operators of a file. Each refuted one has an evaluated counterexample."""
        if not path.endswith(SUFFIX):
            return []
        return [*_confirmed(proofs_of_file(snapshot, path, thread_time), snapshot, self._evaluated)]

    def _evaluated(self, snapshot: Snapshot, path: str, number: int) -> SampleOutcome:
        involved = (path, *(name for name in snapshot.dependencies(path) if not name.startswith(LIBRARY_PREFIX)))
        texts = {name: snapshot.source(name).text for name in involved if snapshot.exists(name)}
        return self._evaluator.outcome(SampleRequest(path, texts, snapshot.settings), number, tuple(texts))


# ---- in a worker process ---------------------------------------------------------------------------------------------
class ProofOrder(Struct, frozen=True):
    """An operator to prove, and the texts of all files that it depends on."""

    texts: Texts
    name: OperatorName
    is_mending: bool
    """True if refuted conditions get the assertions that mend them; the search takes longer than most proofs."""


def make() -> Callable[[ProofOrder, Callable[[Any], None]], list[Proof]]:
    """Return the handler of a worker, see ``snd_runtime.worker.child``: it evaluates in the same process."""
    files = KnownFiles()

    def handle(order: ProofOrder, note: Callable[[Any], None]) -> list[Proof]:
        snapshot = files.snapshot(order.texts)
        proofs = proofs_of_operator(snapshot, order.name, thread_time)
        return [*_confirmed(proofs, snapshot, _evaluated_here, order.is_mending)]

    return handle


def _evaluated_here(snapshot: Snapshot, path: str, number: int) -> SampleOutcome:
    checked = snapshot.checked_sample(path, snapshot.samples(path)[number].sample)
    return evaluate_sample(snapshot.session(), checked, SAMPLE_LIMITS)


# ---- counterexamples -------------------------------------------------------------------------------------------------
def _confirmed(
    proofs: Iterable[Proof], snapshot: Snapshot, evaluate: Evaluate, is_mending: bool = True
) -> Iterator[Proof]:
    """Yield the proofs; each refuted one with one evaluated counterexample, and assertions if ``is_mending``."""
    menders: dict[OperatorName, _Mender] = {}
    for proof in proofs:
        if proof.verdict is not Verdict.REFUTED:
            yield proof
            continue
        found = _refuted(proof, snapshot, evaluate)
        if found.verdict is Verdict.REFUTED and is_mending:
            name = OperatorName(proof.path, proof.operator)
            if name not in menders:
                menders[name] = _Mender(snapshot, name)
            found = replace(found, assertions=menders[name].assertions(proof))
        yield replace(found, mends=())


def _refuted(proof: Proof, snapshot: Snapshot, evaluate: Evaluate) -> Proof:
    for candidate in proof.candidates:
        why = _failure(proof, candidate, snapshot, evaluate)
        if why is not None:
            return replace(proof, candidates=(candidate,), reason=why)
    reason = "no proof was found; the sizes that were tried do not break it"
    return replace(proof, verdict=Verdict.UNKNOWN, candidates=(), reason=reason)


class _Mender:
    """The assertions that mend the refuted conditions of one operator. Equal assertions are proved once."""

    def __init__(self, snapshot: Snapshot, name: OperatorName) -> None:
        self._snapshot = snapshot
        self._name = name
        self._proposals = Proposals(snapshot, name, thread_time)
        self._proofs: dict[tuple[str, ...], list[Proof] | None] = {}
        """The verdicts about the operator with assertions, at their places without them."""
        self._until = thread_time() + SECONDS_OF_MENDING

    def assertions(self, proof: Proof) -> tuple[str, ...]:
        """Return assertions with which a condition is proved, or at least refuted no more; empty if none are found."""
        unproved: tuple[str, ...] = ()
        if thread_time() > self._until:
            return ()
        for assertions in self._proposals.of(proof):
            if assertions not in self._proofs:
                if thread_time() > self._until:
                    break
                self._proofs[assertions] = self._proved_with(assertions)
            after = self._proofs[assertions]
            same = [each for each in after or () if (each.condition, each.span) == (proof.condition, proof.span)]
            verdicts = {each.verdict for each in same}
            if after and verdicts <= {Verdict.PROVED}:  # it may go without saying now
                return assertions
            if after and Verdict.REFUTED not in verdicts:
                unproved = unproved or assertions
        return unproved

    def _proved_with(self, assertions: tuple[str, ...]) -> list[Proof] | None:
        """Return the verdicts about the operator with assertions; None if these can't be added, or may fail."""
        path = self._name.path
        edit = assertion_edit(self._snapshot, self._name, assertions)
        if edit is None:
            return None
        changed = self._snapshot.changed({path: edit.apply(self._snapshot.source(path).text)})
        if any(_is_mistake_in(each, path, edit) for each in changed.diagnostics(path)):
            return None
        after = [*proofs_of_operator(changed, self._name, thread_time)]
        if any(_may_fail(each, edit) for each in after):
            return None
        return [_without(edit, each) for each in after]


def _without(edit: Edit, proof: Proof) -> Proof:
    """Return a proof with its span shifted back, as if the inserted text were absent."""
    is_behind = proof.span.start >= edit.span.start
    return replace(proof, span=proof.span.shifted(-len(edit.text))) if is_behind else proof


def _may_fail(proof: Proof, edit: Edit) -> bool:
    """Return whether a condition of an added assertion is refuted: ``sizes[0] > 0`` fails where there are none."""
    added = Span(edit.span.start, edit.span.start + len(edit.text))
    return _covers(added, proof.span) and proof.verdict is Verdict.REFUTED


def _is_mistake_in(diagnostic: Diagnostic, path: str, edit: Edit) -> bool:
    start = diagnostic.location.span.start
    is_inside = edit.span.start <= start <= edit.span.start + len(edit.text)
    return is_inside and diagnostic.location.path == path and diagnostic.severity is Severity.ERROR


def _failure(proof: Proof, candidate: Candidate, snapshot: Snapshot, evaluate: Evaluate) -> str | None:
    """Return how evaluating an invocation breaks a condition; None if it does not, or its arguments are not allowed."""
    path = proof.path
    changed = snapshot.changed({path: f"{snapshot.source(path).text}\n# >>> {candidate.sample}\n"})
    samples = changed.samples(path)
    start = samples[-1].sample.span.shifted(samples[-1].start).start
    for found in changed.diagnostics(path):
        if found.location.path == path and found.location.span.start >= start:
            places = [found.location, *(each.location for each in found.related)]
            return found.message if _is_broken(proof, found.rule, places) else None
    outcome = evaluate(changed, path, len(samples) - 1)
    if outcome.status is not Status.FAILED or outcome.rule is None:
        return None
    places = [
        changed.locate(Elsewhere(site.place.path, site.place.definition, span=site.place.span))
        for site in outcome.sites
    ]
    if outcome.rule == NO_EVALUATION:
        return _reported(proof, snapshot)
    return outcome.message if _is_broken(proof, outcome.rule, places) else None


def _reported(proof: Proof, snapshot: Snapshot) -> str | None:
    """Return the message of a diagnostic about a condition that fails for all sizes.

    Such a mistake prevents formulas from being run.
    """
    found = (each for each in snapshot.diagnostics(proof.path) if _is_broken(proof, each.rule, [each.location]))
    return next((each.message for each in found), None)


def _is_broken(proof: Proof, rule: Rule, places: Sequence[Location]) -> bool:
    """Return whether a failure is that of a condition: by its rule, and at or around its place."""
    return rule.name in proof.breaks and any(
        place.path == proof.path and (_covers(place.span, proof.span) or _covers(proof.span, place.span))
        for place in places
    )


def _covers(span: Span, other: Span) -> bool:
    return span.start <= other.start and other.end <= span.end
