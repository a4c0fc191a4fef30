"""Operators, looked at for all sizes: every condition with a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Elsewhere, Span
from snd_analysis.compose import Session, Template, compose_root
from snd_analysis.proofs.cases import Case, cases_of
from snd_analysis.proofs.conditions import Goal, goals_of
from snd_analysis.proofs.counterexample import candidate_of
from snd_analysis.proofs.limits import MILLISECONDS, MOST_CASES, SECONDS
from snd_analysis.proofs.solver import Counterexample, Logic, Proved
from snd_analysis.proofs.verdicts import Candidate, Proof, Verdict
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


class _State(Struct):
    """A condition over all cases that were looked at."""

    span: Span
    text: str
    reason: str = ""
    is_unknown: bool = False
    candidates: list[Candidate] = []
    mends: tuple[str, ...] = ()


_MOST_CANDIDATES = 3


def prove(general: Session, composing: Session, template: Template, seconds_left: Callable[[], float]) -> list[Proof]:
    """Return the conditions of an operator, in the order of the text.

    ``general`` composes operators by themselves, ``composing`` with what is given. What is refuted has candidates for a
    counterexample, none of which is confirmed yet. What is not decided when no seconds are left is unknown.
    """
    found: dict[tuple[Span, str], _State] = {}
    incomplete = ""
    cases = cases_of(general, template)
    if cases is None:
        return []
    number = 0
    for number, case in enumerate(islice(cases, MOST_CASES), 1):
        if seconds_left() <= 0:
            incomplete = f"the time was over after {number} cases"
            break
        for goal in _goals(composing, template, case):
            _look_at(found, goal, case, template, seconds_left)
    if number == MOST_CASES and next(cases, None) is not None:
        incomplete = f"there are more than {MOST_CASES} cases"
    return [_proof(template, state, incomplete) for state in sorted(found.values(), key=lambda each: each.span)]


class _Posed(Struct, frozen=True):
    goal: Goal
    logic: Logic


def _goals(session: Session, template: Template, case: Case) -> Iterator[_Posed]:
    specialization = compose_root(session, template, case.attributes, case.dtypes, case.inputs)
    logic = Logic()
    for goal in goals_of(specialization, logic):
        yield _Posed(goal, logic)


def _look_at(
    found: dict[tuple[Span, str], _State],
    posed: _Posed,
    case: Case,
    template: Template,
    seconds_left: Callable[[], float],
) -> None:
    goal = posed.goal
    span = Span(goal.node.start + goal.base, goal.node.end + goal.base)
    state = found.setdefault((span, goal.text), _State(span, goal.text))
    if len(state.candidates) >= _MOST_CANDIDATES:
        return
    if goal.holds:
        return
    if goal.goal is None:
        state.is_unknown, state.reason = True, state.reason or goal.reason
        return
    left = int(seconds_left() * 1000)
    if left <= 0:
        state.is_unknown, state.reason = True, state.reason or "the time was over"
        return
    decision = posed.logic.decide(goal.facts, goal.goal, goal.formula, min(left, MILLISECONDS))
    match decision:
        case Proved():
            return
        case Counterexample() if not goal.reads_data:
            candidate = candidate_of(template, case, decision.values)
            if candidate is not None:
                state.candidates.append(candidate)
                state.mends = state.mends or goal.mends
            else:
                state.is_unknown, state.reason = True, "the sizes that break it can't be written as a sample"
        case Counterexample():
            state.is_unknown, state.reason = True, "it depends on the elements of a tensor"
        case _:
            state.is_unknown, state.reason = True, decision.reason


def _proof(template: Template, state: _State, incomplete: str) -> Proof:
    proof = Proof(template.name.path, template.name.name, state.span, state.text, Verdict.PROVED)
    if state.candidates:
        return replace(proof, verdict=Verdict.REFUTED, candidates=tuple(state.candidates), mends=state.mends)
    if state.is_unknown or incomplete:
        return replace(proof, verdict=Verdict.UNKNOWN, reason=state.reason or incomplete)
    return proof


def proofs_of_file(snapshot: Snapshot, path: str, clock: Callable[[], float]) -> Iterator[Proof]:
    """Yield the conditions of all operators of a file. ``clock`` tells the seconds that have passed."""
    for name in snapshot.definitions(path):
        yield from proofs_of_operator(snapshot, OperatorName(path, name), clock)


def proofs_of_operator(snapshot: Snapshot, name: OperatorName, clock: Callable[[], float]) -> Iterator[Proof]:
    """Yield the conditions of an operator, which has ``SECONDS``; none if its declarations have mistakes."""
    template = snapshot.template(name)
    if template is None or template.is_graph or template.signature_is_wrong:
        return
    left = partial(_seconds_left, clock, clock() + SECONDS)
    for proof in prove(snapshot.session(False), snapshot.session(), template, left):
        yield replace(proof, span=snapshot.locate(Elsewhere(name.path, name.name, span=proof.span)).span)


def _seconds_left(clock: Callable[[], float], until: float) -> float:
    return until - clock()
