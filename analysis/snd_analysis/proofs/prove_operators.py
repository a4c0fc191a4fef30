"""Operators, looked at for all sizes: every condition with a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Edit, Elsewhere, Span
from snd_analysis.compose import Session, Template, declare_root
from snd_analysis.proofs.case_analysis.cases import Cases, ParameterCase, cases_of, general_cases
from snd_analysis.proofs.conditions import goals_of
from snd_analysis.proofs.counterexample import candidates_of, with_numbers
from snd_analysis.proofs.goal import FALSE, Gap, Goal, Posed
from snd_analysis.proofs.implied import implied_assertions
from snd_analysis.proofs.limits import (
    MILLISECONDS,
    MOST_CANDIDATES,
    MOST_CASES,
    SECONDS,
    SECONDS_OF_ASSERTIONS,
    TIME_IS_OVER,
    Pace,
)
from snd_analysis.proofs.logic import Logic
from snd_analysis.proofs.solver import Counterexample, Proved, Solver
from snd_analysis.proofs.verdicts import Candidate, Proof, Verdict
from snd_analysis.skriptnd.format import new_assertion
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Truth
from snd_analysis.workspace import Snapshot


class _State(Struct):
    """A condition over all cases that were looked at."""

    span: Span
    text: str
    reason: str = ""
    candidates: list[Candidate] = []
    mends: tuple[Truth, ...] = ()
    breaks: tuple[str, ...] = ()


class _TimeOverError(Exception):
    """The limit of an operator is reached."""


def prove(
    general: Session, composing: Session, template: Template, seconds_left: Callable[[], float], solver: Solver
) -> list[Proof]:
    """Return the conditions of an operator, in the order of the text.

    ``general`` composes operators by themselves, ``composing`` with the values of cases. Refuted conditions have
    candidates for a counterexample, not confirmed yet. Conditions undecided when no seconds are left are unknown.
    """
    cases = cases_of(general, template, seconds_left)
    if cases is None:
        return []
    return _Proving(composing, template, seconds_left, solver).proofs(cases)


class _Proving:
    def __init__(self, session: Session, template: Template, seconds_left: Callable[[], float], solver: Solver) -> None:
        self._session = session
        self._template = template
        self._seconds_left = seconds_left
        self._pace = Pace(seconds_left)
        self._solver = solver
        self._found: dict[tuple[Span, str], _State] = {}
        self._gaps: dict[Span | None, str] = {}
        """Why nothing is known of conditions below a span, or of any."""
        self._held: set[tuple[Span, str]] = set()
        """The conditions that hold for all lengths."""

    def proofs(self, cases: Cases) -> list[Proof]:
        if self._template.errors:
            self._gaps[None] = "the operator has mistakes"
        seen: list[ParameterCase] = []
        is_complete = True
        for number, each in enumerate(cases):
            if isinstance(each, Gap):
                self._gaps[None] = each.reason
                continue
            case, is_required = each
            seen.append(case)
            if not is_required and (number >= MOST_CASES or self._seconds_left() < SECONDS_OF_ASSERTIONS):
                break
            try:
                self._look_at_all(case)
            except _TimeOverError:
                is_complete = not is_required
                if is_required:
                    self._gaps[None] = f"{TIME_IS_OVER} after {number} choices of ranks, lengths and attributes"
                break
        self._name_unseen()
        if is_complete and not self._template.errors and any(map(self._is_undecided, self._found.values())):
            self._held = self._hold_generally(seen)
        return [self._proof(state) for state in sorted(self._found.values(), key=lambda each: each.span)]

    def _is_undecided(self, state: _State) -> bool:
        return not state.candidates and bool(self._why_unknown(state))

    def _hold_generally(self, seen: Sequence[ParameterCase]) -> set[tuple[Span, str]]:
        """Return the conditions that are proved with unknown lengths, by their places and texts."""
        held: dict[tuple[Span, str], bool] = {}
        gaps: list[Span | None] = []
        for case in general_cases(self._template, seen):
            logic = Logic(self._solver)
            specialization = declare_root(self._session, self._template, case.attributes, case.dtypes, case.inputs)
            is_whole = specialization.valid and not specialization.failures
            for posed in goals_of(specialization, logic):
                if self._pace.is_over():
                    return set()
                if isinstance(posed, Gap):
                    gaps.append(None if posed.node is None else self._span(posed.base, posed.node))
                    continue
                if not is_whole:
                    return set()  # formulas are not looked at where declarations fail
                key = (self._span(posed.base, posed.node), posed.text)
                # Formulas may have conditions that only lengths have which no case has.
                self._found.setdefault(key, _State(*key))
                if held.get(key, True):
                    held[key] = logic.holds(posed, MILLISECONDS)
        return {
            (span, text)
            for (span, text), holds in held.items()
            if holds and not any(_covers(gap, span) for gap in gaps)
        }

    def _look_at_all(self, case: ParameterCase) -> None:
        """Note the findings about each condition of a case. Raise _TimeOverError."""
        logic = Logic(self._solver)
        for posed in self._posed(case, logic):
            if self._pace.is_over():
                raise _TimeOverError
            match posed:
                case Gap(base=base, node=node, reason=reason):
                    self._gaps.setdefault(None if node is None else self._span(base, node), reason)
                case Goal():
                    self._look_at(posed, case, logic)

    def _posed(self, case: ParameterCase, logic: Logic) -> Iterator[Posed]:
        specialization = declare_root(self._session, self._template, case.attributes, case.dtypes, case.inputs)
        return goals_of(specialization, logic)

    def _span(self, base: int, node: nodes.Node) -> Span:
        return Span(node.start + base, node.end + base)

    def _name_unseen(self) -> None:
        """Note the formulas whose conditions could not be looked at at all."""
        for base, node in self._template.formulas:
            whole = self._span(base, node)
            is_seen = any(_covers(whole, span) for span, _ in self._found)
            if not is_seen and any(_covers(span, whole) or _covers(whole, span) for span in self._gaps):
                span = self._span(base, node.target)
                self._found[span, ""] = _State(span, "each index is in bounds")

    def _look_at(self, goal: Goal, case: ParameterCase, logic: Logic) -> None:
        span = self._span(goal.base, goal.node)
        state = self._found.setdefault((span, goal.text), _State(span, goal.text))
        if goal.holds or len(state.candidates) >= MOST_CANDIDATES:
            return
        state.reason = self._reason(goal, case, logic, state) or state.reason

    def _reason(self, goal: Goal, case: ParameterCase, logic: Logic, state: _State) -> str:
        """Return why a goal is not decided; note a candidate if it is refuted."""
        if goal.goal is None:
            return goal.reason
        unless = goal.unless_proved or ("it depends on the elements of a tensor" if goal.reads_data else "")
        if unless:
            return "" if logic.holds(goal, MILLISECONDS) else unless
        if goal.enough is not None and logic.is_proved(*goal.enough, MILLISECONDS):
            return ""
        decision = logic.decide(goal.facts, goal.goal, MILLISECONDS)
        if isinstance(decision, Proved):
            return ""
        if not isinstance(decision, Counterexample):
            return logic.obstacle(goal.goal) or decision.reason
        tried = with_numbers(case, decision.values)
        candidates = candidates_of(self._template, tried)
        if not candidates:
            return "the sizes that break it can't be written as a sample"
        if self._holds(goal, tried):
            return "no proof was found; the sizes that were tried do not break it"
        state.candidates += candidates
        state.mends = state.mends or goal.mends
        state.breaks = goal.breaks
        return ""

    def _holds(self, goal: Goal, case: ParameterCase) -> bool:
        """Return whether a condition holds in a case without unknowns."""
        logic = Logic(self._solver)
        posed = [*self._posed(case, logic)]
        goals = [each for each in posed if isinstance(each, Goal)]
        same = [each for each in goals if each.text == goal.text and each.node.span == goal.node.span]
        if not same:
            # A condition that fails for all sizes does not fail in a branch that is not taken with these.
            return goal.goal is FALSE and goals == posed and all(each.goal is not FALSE for each in goals)
        return all(logic.holds(each, MILLISECONDS) for each in same)

    def _why_unknown(self, state: _State) -> str:
        """Return why a condition is not decided by the cases; empty if all of them prove it."""
        return state.reason or next((why for span, why in self._gaps.items() if _covers(span, state.span)), "")

    def _proof(self, state: _State) -> Proof:
        name = self._template.name
        proof = Proof(name.path, name.name, state.span, state.text, Verdict.PROVED)
        if state.candidates:
            candidates = tuple(state.candidates)
            return replace(
                proof, verdict=Verdict.REFUTED, candidates=candidates, mends=state.mends, breaks=state.breaks
            )
        reason = "" if (state.span, state.text) in self._held else self._why_unknown(state)
        return replace(proof, verdict=Verdict.UNKNOWN, reason=reason) if reason else proof


def _covers(span: Span | None, other: Span | None) -> bool:
    return span is None or (other is not None and span.start <= other.start and other.end <= span.end)


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
    general, composing, solver = snapshot.session(False), snapshot.session(), Solver(left)
    proofs = prove(general, composing, template, left, solver)
    for proof in chain(proofs, implied_assertions(general, composing, template, left, solver)):
        yield replace(proof, span=snapshot.locate(Elsewhere(name.path, name.name, span=proof.span)).span)


def _seconds_left(clock: Callable[[], float], until: float) -> float:
    return until - clock()


# ---- the edit that adds the assertions that mend a condition ---------------------------------------------------------
def assertion_edit(snapshot: Snapshot, name: OperatorName, assertions: Sequence[str]) -> Edit | None:
    """Return the edit of a file that adds assertions to an operator; None if it has no block to put them at."""
    placed = snapshot.definitions(name.path).get(name.name)
    if placed is None:
        return None
    return new_assertion(snapshot.source(name.path).text, placed.start, placed.definition, *assertions)
