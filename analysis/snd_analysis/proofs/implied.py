"""Assertions that follow from other assertions, and can be removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, product

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Span
from snd_analysis.compose import Failure, Session, Template, as_condition, declare_root
from snd_analysis.proofs.case_analysis.cases import ParameterCase, cases_of
from snd_analysis.proofs.counterexample import candidate_of, with_numbers, with_reals
from snd_analysis.proofs.declared import divisors_of_checks, divisors_of_inputs, holding, input_facts, is_refused
from snd_analysis.proofs.goal import UNDECIDED, Gap
from snd_analysis.proofs.limits import MILLISECONDS, MOST_REALS, TIME_IS_OVER, Pace
from snd_analysis.proofs.logic import Logic
from snd_analysis.proofs.solver import Counterexample, Solver, Undecided
from snd_analysis.proofs.verdicts import Candidate, Proof, Verdict
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic.integers import TRUE
from snd_analysis.symbolic.values import NULL

_TRIED_REALS = (1.0, -1.0, 0.0, 2.0)
"""Values of the real attributes that an assertion names; other real attributes are 1.0."""


def implied_assertions(
    general: Session, composing: Session, template: Template, seconds_left: Callable[[], float], solver: Solver
) -> Iterator[Proof]:
    """Yield for each assertion whether the others imply it; if not, with sizes that only this assertion refuses."""
    pace = Pace(seconds_left)
    for base, node in template.assertions:
        if not template.is_wrong(base, node):
            looking = _Looking(general, composing, template, base, node, solver)
            yield looking.proof(seconds_left, pace)


class _Looking(Struct):
    general: Session
    composing: Session
    template: Template
    base: int
    node: nodes.Assertion
    solver: Solver

    @property
    def _span(self) -> Span:
        condition = self.node.condition
        return Span(condition.start + self.base, condition.end + self.base)

    def proof(self, seconds_left: Callable[[], float], pace: Pace) -> Proof:
        name = self.template.name
        text = f"the assertion '{written(self.node.condition)}'"
        proof = Proof(name.path, name.name, self._span, text, Verdict.IMPLIED)
        if pace.is_over():
            return replace(proof, verdict=Verdict.UNKNOWN, reason=TIME_IS_OVER)
        without = self.template.without(self._span)
        cases = cases_of(self.general, without, seconds_left)
        if cases is None:
            return replace(proof, verdict=Verdict.UNKNOWN, reason="its cases can't be told apart")
        reason = ""
        for each in cases:
            if isinstance(each, Gap):
                reason = reason or each.reason
                continue
            case, is_required = each
            if not is_required:
                break
            if pace.is_over():
                reason = reason or TIME_IS_OVER
                break
            found = self._refused_alone(case, without)
            if isinstance(found, Candidate):
                return replace(proof, verdict=Verdict.NOT_IMPLIED, candidates=(found,))
            reason = reason or found
        return replace(proof, verdict=Verdict.UNKNOWN, reason=reason) if reason else proof

    def _refused_alone(self, case: ParameterCase, without: Template) -> Candidate | str:
        """Return sizes of a case that only this assertion refuses; else why nothing is known, or nothing."""
        declared = declare_root(self.composing, without, case.attributes, case.dtypes, case.inputs)
        undecided = [each for each in declared.failures if each.rule in UNDECIDED]
        if undecided or any(is_refused(without, each) for each in declared.failures):
            return undecided[0].message if undecided else ""
        # The assertion may be meant to prevent other failures, such as an item that is not there.
        value = declared.scope.attempt(self.node.condition)
        condition = TRUE if value is NULL else as_condition(value)
        if condition is None:
            return "its value is not known"
        logic = Logic(self.solver)
        facts = [
            *input_facts(declared, logic),
            *chain.from_iterable(map(holding, divisors_of_inputs(declared, logic))),
            *chain.from_iterable(map(holding, divisors_of_checks(declared, logic))),
            *(logic.truth(check.condition) for check in declared.checks),
        ]
        decision = logic.decide(facts, logic.truth(condition), MILLISECONDS)
        if isinstance(decision, Undecided):
            return decision.reason
        if not isinstance(decision, Counterexample):
            return ""
        tried = with_numbers(case, decision.values)
        for numbers in self._tried_reals(case):
            chosen = with_reals(tried, numbers)
            candidate = candidate_of(self.template, chosen)
            if candidate is not None and self._is_refused(chosen):
                return candidate
        return "sizes seem to be refused by it alone, but are not"

    def _tried_reals(self, case: ParameterCase) -> Iterator[Mapping[str, float]]:
        """Yield values of the real attributes that the assertion names."""
        named = self.template.symbols(self.node.condition)
        types = {each.name: each.node.type.text for each in self.template.attributes if each.symbol in named}
        reals = [name for name, type_ in types.items() if case.dtypes.get(type_, type_) == "real"]
        if len(reals) > MOST_REALS:
            yield from (dict.fromkeys(reals, number) for number in _TRIED_REALS)
        else:
            yield from (dict(zip(reals, each, strict=True)) for each in product(_TRIED_REALS, repeat=len(reals)))

    def _is_refused(self, case: ParameterCase) -> bool:
        declared = declare_root(self.composing, self.template, case.attributes, case.dtypes, case.inputs)
        refusing = [each for each in declared.failures if is_refused(self.template, each)]
        return bool(refusing) and all(each.rule == rules.ASSERTION_FAILS and self._is_here(each) for each in refusing)

    def _is_here(self, failure: Failure) -> bool:
        return any(site.place.span == self._span for site in failure.related or failure.sites)
