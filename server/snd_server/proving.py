"""``snd check --proofs``: what holds of operators for all sizes, and sizes that break it, shown by evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Location
from snd_analysis.proofs import Candidate, Proof, Verdict, is_available, proofs_of_file
from snd_analysis.skriptnd.names import LIBRARY_PREFIX
from snd_analysis.workspace import Snapshot
from snd_runtime.samples import SampleEvaluator, SampleRequest, Status
from snd_server.checking import Checker
from snd_server.discovery import SUFFIX
from snd_server.extras import MissingExtraError

_NOT_ALLOWED = frozenset({rules.ASSERTION_FAILS, rules.ARGUMENT_RANK, rules.ARGUMENT_SHAPE, rules.LENGTH_MISMATCH})
"""What declarations and assertions refuse is no counterexample."""


def prove_all(
    paths: Sequence[str], checker: Checker, evaluator: SampleEvaluator
) -> tuple[tuple[Proof, ...], list[Diagnostic]]:
    """Return the conditions of the operators of files, and a diagnostic for each that is refuted, as far as rules are
    on.

    What is refuted has one counterexample, which was evaluated. Raises MissingExtraError where z3 is not installed.
    """
    if not is_available():
        raise MissingExtraError("proofs need the package z3-solver: pip install 'snd[proofs]' installs it")
    proofs: list[Proof] = []
    found: list[Diagnostic] = []
    for path in paths:
        if path.endswith(SUFFIX):
            snapshot = checker.snapshot(path)
            of_file = [_confirmed(each, snapshot, evaluator) for each in proofs_of_file(snapshot, path, monotonic)]
            proofs += of_file
            found += checker.select(path, tuple(_refutations(of_file)))
    return tuple(proofs), found


def _confirmed(proof: Proof, snapshot: Snapshot, evaluator: SampleEvaluator) -> Proof:
    if proof.verdict is not Verdict.REFUTED:
        return proof
    for candidate in proof.candidates:
        why = _failure(proof.path, candidate, snapshot, evaluator)
        if why is not None:
            return replace(proof, candidates=(candidate,), reason=why)
    reason = "sizes seem to break it, but evaluating the operator with them does not fail"
    return replace(proof, verdict=Verdict.UNKNOWN, candidates=(), reason=reason)


def _failure(path: str, candidate: Candidate, snapshot: Snapshot, evaluator: SampleEvaluator) -> str | None:
    """Return how evaluating an invocation fails, where its arguments are allowed; None if it does not."""
    changed = snapshot.changed({path: f"{snapshot.source(path).text}\n# >>> {candidate.sample}\n"})
    samples = changed.samples(path)
    start = samples[-1].sample.span.shifted(samples[-1].start).start
    for found in changed.diagnostics(path):
        if found.location.path == path and found.location.span.start >= start:
            return None if found.rule in _NOT_ALLOWED else found.message
    involved = (path, *(name for name in changed.dependencies(path) if not name.startswith(LIBRARY_PREFIX)))
    texts = {name: changed.source(name).text for name in involved if changed.exists(name)}
    outcome = evaluator.outcome(SampleRequest(path, texts, changed.settings), len(samples) - 1, tuple(texts))
    return outcome.message if outcome.status is Status.FAILED and outcome.rule not in _NOT_ALLOWED else None


def _refutations(proofs: Sequence[Proof]) -> Iterator[Diagnostic]:
    for proof in proofs:
        if proof.verdict is Verdict.REFUTED:
            message = f"where {proof.candidates[0].sizes}, this does not hold: {proof.condition}\n{proof.reason}"
            rule = rules.NOT_FOR_ALL_SIZES
            yield Diagnostic(rule, rule.severity, message, Location(proof.path, proof.span))
