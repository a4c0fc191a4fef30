"""Assertions that mend a refuted condition, judged by the outcomes of many sizes.

An assertion is proposed only if it refuses each size tried that breaks the condition, and none that works. Sizes for
which the formula of the condition has no point count neither way: no index is computed there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from snd_analysis.base import Elsewhere, Span
from snd_analysis.compose import Template
from snd_analysis.proofs.case_analysis.length_indices import symbols_below
from snd_analysis.proofs.limits import (
    LEAST_WORKING,
    MOST_NAMES_NEAR,
    MOST_NUMBERS,
    MOST_PROPOSED,
    MOST_TRIED_SIZES,
    SECONDS_OF_CANDIDATES,
    SECONDS_OF_DOUBTS,
    SECONDS_OF_TRIALS,
)
from snd_analysis.proofs.mending.candidates import AssertionCandidate, NameValues, assertions_of
from snd_analysis.proofs.mending.judging import Judging, covers
from snd_analysis.proofs.mending.outcomes import Broken, Number
from snd_analysis.proofs.mending.trials import Trials, numbers_in
from snd_analysis.proofs.verdicts import Proof
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace import Snapshot


class Proposals:
    """The assertions that may mend the conditions of one operator."""

    def __init__(self, snapshot: Snapshot, name: OperatorName, clock: Callable[[], float]) -> None:
        """Prepare the proposals. ``clock`` returns the seconds that have passed."""
        template = snapshot.template(name)
        assert template is not None
        self._template: Template = template
        self._clock = clock
        self._start = snapshot.locate(Elsewhere(name.path, name.name, span=Span(0, 0))).span.start
        left = self._limit(SECONDS_OF_TRIALS)
        self._trials = Trials(snapshot.session(False), snapshot.session(), template, left)
        self._outcomes = [*islice(self._trials.outcomes(left), MOST_TRIED_SIZES)]
        helpers = {symbol.name for _, using in template.using for symbol in template.symbols(using.target)}
        self._names = NameValues([each.names for each in self._outcomes], helpers)

    def of(self, proof: Proof) -> Iterator[tuple[str, ...]]:
        """Yield assertions that have to be added together to mend a condition, the best first."""
        broken = Broken(proof.condition, proof.span.shifted(-self._start))
        formulas = [*_formulas_of(self._template, broken.span)]
        judging = Judging(self._outcomes, broken, [span for span, _ in formulas])
        if not judging.broken or len(judging.working) < LEAST_WORKING:
            return
        around: list[nodes.Node] = [node for _, node in formulas]
        around = around or [*_declarations_of(self._template, broken.span)]
        useful = judging.useful(self._candidates(proof, around))
        for assertions in (judging.alone(useful) or judging.pairs(useful))[:MOST_PROPOSED]:
            if not self._refuse_what_works(assertions, judging):
                yield tuple(each.text for each in assertions)

    def _limit(self, seconds: float) -> Callable[[], float]:
        """Return a function that returns the remaining seconds of a time limit that begins now."""
        return partial(_seconds_left, self._clock, self._clock() + seconds)

    def _refuse_what_works(self, assertions: Sequence[AssertionCandidate], judging: Judging) -> bool:
        """Return whether other sizes that assertions refuse work: the sizes tried may have too few of them."""

        def may_refuse(names: Mapping[str, Number]) -> bool:
            return any(each.holds_with(names) is not True for each in assertions)

        return any(
            judging.is_working(each) and may_refuse(each.names)
            for search in (self._trials.neighbours, self._trials.outcomes)
            for each in search(self._limit(SECONDS_OF_DOUBTS), may_refuse)
        )

    def _candidates(self, proof: Proof, around: Sequence[nodes.Node]) -> Iterator[AssertionCandidate]:
        left = self._limit(SECONDS_OF_CANDIDATES)
        named = numbers_in(self._template.definition)
        numbers = sorted({number for each in named for number in (each, each + 1) if number > 1})[:MOST_NUMBERS]
        near = self._near(around)
        for at, each in enumerate(assertions_of(self._names, near, numbers)):
            if at % 64 == 0 and left() <= 0:
                break
            yield each
        yield from filter(None, map(self._names.condition, proof.mends))

    def _near(self, around: Sequence[nodes.Node]) -> list[str]:
        """Return the names of ints in the formulas or declarations around a condition, and in the shapes there."""
        template = self._template
        members = (*template.inputs, *template.outputs, *template.constants, *template.variables)
        shapes = {each.symbol: each.node.shape for each in members}
        found: set[str] = set()
        for node in around:
            named = symbols_below(template, node)
            declared = (shapes.get(symbol) for symbol in named)
            named |= {each for shape in declared if shape is not None for each in symbols_below(template, shape)}
            found.update(each.name for each in named)
        return [each for each in self._names.ints if each in found][:MOST_NAMES_NEAR]


def _seconds_left(clock: Callable[[], float], until: float) -> float:
    return until - clock()


def _formulas_of(template: Template, span: Span) -> Iterator[tuple[Span, nodes.Lowering]]:
    """Yield the formula around a condition; all formulas of a tensor if the condition is about its elements."""
    formulas = [(Span(node.start + base, node.end + base), base, node) for base, node in template.formulas]
    for whole, base, node in formulas:
        if covers(whole, span):
            tensor = template.resolution.targets.get(node.target.name)
            is_about_tensor = node.operator.text == "=" and span == node.target.span.shifted(base)
            for other, _, each in formulas:
                is_same = template.resolution.targets.get(each.target.name) is tensor
                if other == whole or (is_about_tensor and is_same):
                    yield other, each


def _declarations_of(template: Template, span: Span) -> Iterator[nodes.Node]:
    """Yield the declaration around a condition."""
    declared = (*template.inputs, *template.outputs, *template.constants, *template.variables)
    for base, node in (*((each.base, each.node) for each in declared), *template.using, *template.assertions):
        if covers(Span(node.start + base, node.end + base), span):
            yield node
