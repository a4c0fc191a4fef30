"""``snd check --proofs``: what holds of operators for all sizes, and sizes that break it, shown by evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import thread_time

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Edit, Elsewhere, Fix, Location, Rule, Severity, Span, TextEdit
from snd_analysis.proofs import (
    Candidate,
    Proof,
    Verdict,
    assertion_edit,
    is_available,
    proofs_of_file,
    proofs_of_operator,
)
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName
from snd_analysis.workspace import Snapshot
from snd_runtime.rules import NO_EVALUATION
from snd_runtime.samples import SampleEvaluator, SampleRequest, Status
from snd_server.discovery import SUFFIX
from snd_server.extras import MissingExtraError


class Prover:
    """Proofs of files, and the process that evaluates what is refuted. To be closed."""

    def __init__(self) -> None:
        """Raise MissingExtraError where z3 is not installed."""
        if not is_available():
            raise MissingExtraError("proofs need the package z3-solver: pip install 'snd[proofs]' installs it")
        self._evaluator = SampleEvaluator()

    def __enter__(self) -> Prover:
        return self

    def __exit__(self, *exception: object) -> None:
        self._evaluator.worker.close()

    def of_file(self, path: str, snapshot: Snapshot) -> list[Proof]:
        """Return the conditions of the operators of a file. What is refuted has one counterexample, which was
        evaluated."""
        if not path.endswith(SUFFIX):
            return []
        return [_confirmed(each, snapshot, self._evaluator) for each in proofs_of_file(snapshot, path, thread_time)]


def _confirmed(proof: Proof, snapshot: Snapshot, evaluator: SampleEvaluator) -> Proof:
    if proof.verdict is not Verdict.REFUTED:
        return proof
    for candidate in proof.candidates:
        why = _failure(proof, candidate, snapshot, evaluator)
        if why is not None:
            return replace(proof, candidates=(candidate,), reason=why, mends=_mending(proof, snapshot))
    reason = "sizes seem to break it, but evaluating the operator with them does not fail"
    return replace(proof, verdict=Verdict.UNKNOWN, candidates=(), reason=reason)


def _mending(proof: Proof, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the assertion with which the condition is proved; nothing if there is no such assertion."""
    name = OperatorName(proof.path, proof.operator)
    for assertion in proof.mends:
        edit = assertion_edit(snapshot, name, assertion)
        if edit is None:
            continue
        changed = snapshot.changed({proof.path: edit.apply(snapshot.source(proof.path).text)})
        if any(_is_mistake_in(each, proof.path, edit) for each in changed.diagnostics(proof.path)):
            continue
        after = [each for each in proofs_of_operator(changed, name, thread_time) if each.condition == proof.condition]
        if after and all(each.verdict is Verdict.PROVED for each in after):
            return (assertion,)
    return ()


def _is_mistake_in(diagnostic: Diagnostic, path: str, edit: Edit) -> bool:
    start = diagnostic.location.span.start
    is_inside = edit.span.start <= start <= edit.span.start + len(edit.text)
    return is_inside and diagnostic.location.path == path and diagnostic.severity is Severity.ERROR


def _failure(proof: Proof, candidate: Candidate, snapshot: Snapshot, evaluator: SampleEvaluator) -> str | None:
    """Return how evaluating an invocation breaks a condition; None if it does not, or its arguments are not allowed."""
    path = proof.path
    changed = snapshot.changed({path: f"{snapshot.source(path).text}\n# >>> {candidate.sample}\n"})
    samples = changed.samples(path)
    start = samples[-1].sample.span.shifted(samples[-1].start).start
    for found in changed.diagnostics(path):
        if found.location.path == path and found.location.span.start >= start:
            places = [found.location, *(each.location for each in found.related)]
            return found.message if _is_broken(proof, found.rule, places) else None
    involved = (path, *(name for name in changed.dependencies(path) if not name.startswith(LIBRARY_PREFIX)))
    texts = {name: changed.source(name).text for name in involved if changed.exists(name)}
    outcome = evaluator.outcome(SampleRequest(path, texts, changed.settings), len(samples) - 1, tuple(texts))
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
    """Return the mistake that checking finds where a condition is broken whatever the sizes: it keeps formulas from
    being run."""
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


def refutations(proofs: Sequence[Proof], snapshot: Snapshot) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each condition that is refuted."""
    for proof in proofs:
        if proof.verdict is Verdict.REFUTED:
            message = f"not for all sizes: {proof.condition}\n{_shown(proof)}"
            rule = rules.NOT_FOR_ALL_SIZES
            location = Location(proof.path, proof.span)
            yield Diagnostic(rule, rule.severity, message, location, fix=_fix(proof, snapshot))


def _shown(proof: Proof) -> str:
    """Return what goes wrong for which sizes, and a sample that an author can keep."""
    found = proof.candidates[0]
    sizes = f"with {found.sizes}: " if found.sizes else ""
    return f"{sizes}{proof.reason}\n# >>> {found.sample}"


def _fix(proof: Proof, snapshot: Snapshot) -> Fix | None:
    if not proof.mends:
        return None
    edit = assertion_edit(snapshot, OperatorName(proof.path, proof.operator), proof.mends[0])
    if edit is None:
        return None
    where = TextEdit(Location(proof.path, edit.span), edit.text)
    return Fix(f"assert '{proof.mends[0]}'", (where,), safe=False)
