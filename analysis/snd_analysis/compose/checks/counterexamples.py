"""Extents that may become negative and divisors that may become zero, each with sizes that show it (2.6, 3.1).

snd looks only at what definitions outside of the library declare, and only where a graph is composed: whoever invokes
an operator may promise what the operator needs. Sizes are a counterexample if the graph, composed with them, fails: so
conditions of branches, lazy evaluation and assertions mean what they always mean.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from snd_analysis import rules
from snd_analysis.base.rule import Rule
from snd_analysis.compose.checks.assignments import Assignment, assignments
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.model import Branch, Graph, Loop, Operation, Place
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Junction, Quotient, Truth
from snd_analysis.symbolic.values import Pack, Value

if TYPE_CHECKING:
    from snd_analysis.compose.specialization import Specialization
    from snd_analysis.compose.template import Template

_MOST_DOUBTS = 100
_MOST_PATHS = 8
"""An operator that is invoked under more different conditions is judged by the first ones."""
_MOST_TRIALS_OF_ONE = 3
_MOST_COMPOSED = 24
"""So often a graph of ordinary size is composed to see whether numbers are a counterexample."""
_ORDINARY_SIZE = 200

Path: TypeAlias = "tuple[Truth, ...]"
"""The conditions under which control flow leads somewhere, as far as extents and attributes decide them."""
Composed: TypeAlias = "Callable[[Mapping[Hashable, int]], Sequence[Failure]]"
"""What fails when a graph is composed with numbers in place of some unknowns."""


class Obligation(Struct, frozen=True):
    """A value that may be what it must not: a negative extent, or a divisor of zero. ``what`` it is, for messages."""

    value: Integer
    is_divisor: bool
    what: str
    place: Place

    @property
    def rule(self) -> Rule:
        """The rule that it may break."""
        return rules.DIVISOR_MAY_BE_ZERO if self.is_divisor else rules.EXTENT_MAY_BE_NEGATIVE

    def may_be(self, number: int) -> bool:
        """Whether a number is what the value must not be."""
        return number == 0 if self.is_divisor else number < 0

    def is_shown_by(self, failure: Failure) -> bool:
        """Whether a failure of composing with numbers is this one: at this place, or in the same definition."""
        # What an operator declares is the fault of whoever invokes it.
        blamed = failure.related if failure.rule == rules.NEGATIVE_EXTENT and failure.related else failure.sites
        place = blamed[0].place if blamed else None
        if place is None or (place.path, place.definition) != (self.place.path, self.place.definition):
            return False
        if self.is_divisor:
            return failure.rule == rules.DIVISION_BY_ZERO
        return failure.rule == rules.NEGATIVE_EXTENT and place == self.place


def obligations_of_shape(extents: Sequence[object], name: str, place: Place) -> Iterator[Obligation]:
    """What may be wrong with the shape of a tensor."""
    for extent in extents:
        if not isinstance(extent, Integer) or extent.value is not None:
            continue
        divisors = list(_divisors(extent))
        yield from (Obligation(divisor, True, f"in the shape of '{name}'", place) for divisor in divisors)
        if not divisors and _may_be_negative(extent):
            yield Obligation(extent, False, f"of '{name}'", place)


def obligations_of_value(value: Value, what: str, place: Place) -> Iterator[Obligation]:
    """What may be wrong with an attribute, a helper symbol or a condition."""
    for each in value.segments if isinstance(value, Pack) else (value,):
        for integer in _integers(each):
            if integer.value is None:
                yield from (Obligation(divisor, True, what, place) for divisor in _divisors(integer))


def _integers(value: object) -> Iterator[Integer]:
    """An integer, or those that a condition compares."""
    if isinstance(value, Integer):
        yield value
    elif isinstance(value, Truth):
        for part in value.operands if isinstance(value, Junction) else value.parts:
            yield from _integers(part)


def _may_be_negative(extent: Integer) -> bool:
    low = shapes.bounds(extent)[0]
    return low is None or low < 0


def _divisors(a: Integer) -> Iterator[Integer]:
    """The divisors in an integer, not those inside of other operations, that may be zero as far as bounds tell."""
    for atom in a.atoms():
        if isinstance(atom, Quotient):
            divisor = atom.parts[1]
            low, high = shapes.bounds(divisor)
            if divisor.value is None and (low is None or low <= 0) and (high is None or high >= 0):
                yield divisor


def invokes_obligations(template: Template, operations: Iterable[Operation]) -> bool:
    """Whether operations of a definition, or what they invoke, bring any obligation with them."""
    for operation in operations:
        inner = operation.specialization
        if inner is not None and (inner.obligations or inner.invokes_obligations):
            return True
        if not template.in_library and any(True for _ in _in_operation(operation)):
            return True
        for _, part in _parts(operation):
            if invokes_obligations(template, (*part.operations, *part.update_operations)):
                return True
    return False


# ---- a whole graph ---------------------------------------------------------------------------------------------------
def counterexamples(root: Specialization, composed: Composed) -> list[Failure]:
    """The obligations of a composed graph that a counterexample breaks; each value once, where it comes from."""
    if not root.obligations and not root.invokes_obligations:
        return []
    found: dict[tuple[Integer, bool], list[_Reached]] = {}
    conditions: dict[Truth, None] = {}
    size = 0
    for reached in _specializations(root):
        size += reached.operations
        for check in reached.specialization.checks:
            conditions[shapes.implies(shapes.and_(*reached.path), check.condition)] = None
        for obligation in reversed((*reached.specialization.obligations, *_in_body(reached.specialization))):
            found.setdefault((obligation.value, obligation.is_divisor), []).append(reached.with_obligation(obligation))
    known = frozenset((failure.rule, failure.sites) for failure in root.failures)
    rest = _MOST_COMPOSED * _ORDINARY_SIZE // max(size, _ORDINARY_SIZE)
    showing = _Showing(list(conditions), composed, known, rest)
    shown = (showing.failure(each) for each in islice(found.values(), _MOST_DOUBTS))
    return [failure for failure in shown if failure is not None]


class _Reached(Struct, frozen=True):
    """A specialization, the invocations that lead to it, from inside, and the conditions under which they do."""

    specialization: Specialization
    sites: tuple[Site, ...] = ()
    path: Path = ()
    operations: int = 0
    obligation: Obligation | None = None

    def with_obligation(self, obligation: Obligation) -> _Reached:
        return _Reached(self.specialization, self.sites, self.path, self.operations, obligation)


def _specializations(root: Specialization) -> Iterator[_Reached]:
    """Every specialization that a graph is composed of, once for each path to it."""
    paths: dict[Specialization, set[Path]] = {root: {()}}
    pending = [_Reached(root)]
    while pending:
        reached = pending.pop()
        count = 0
        for operation, guards in _operations(reached.specialization.body, ()):
            count += 1
            inner = operation.specialization
            if inner is None:
                continue
            path = tuple(dict.fromkeys((*reached.path, *guards)))
            known = paths.setdefault(inner, set())
            if path not in known and len(known) < _MOST_PATHS:
                known.add(path)
                invoked = Site(operation.place, f"'{inner.template.shown}' is invoked here")
                pending.append(_Reached(inner, (invoked, *reached.sites), path))
        yield _Reached(reached.specialization, reached.sites, reached.path, count)


def _operations(graph: Graph | None, path: Path) -> Iterator[tuple[Operation, Path]]:
    for operation in (*graph.operations, *graph.update_operations) if graph is not None else ():
        yield operation, path
        for condition, part in _parts(operation):
            yield from _operations(part, path if condition is shapes.TRUE else (*path, condition))


def _parts(operation: Operation) -> Iterator[tuple[Truth, Graph]]:
    """The parts of control flow, each with what must hold for it to be run, as far as it is known when composing."""
    control = operation.control
    if isinstance(control, Branch):
        before: Truth = shapes.TRUE
        for case in control.cases:
            if isinstance(case.condition, Graph):
                yield before, case.condition
            holds = case.condition if isinstance(case.condition, Truth) else None
            yield before if holds is None else shapes.and_(before, holds), case.consequent
            before = before if holds is None else shapes.and_(before, shapes.not_(holds))
        yield before, control.alternative
    elif isinstance(control, Loop):
        lengths = [each.source.length for each in control.scanned if isinstance(each.source, Pack)]
        counts = [*lengths, *([control.count] if isinstance(control.count, Integer) else ())]
        any_ = shapes.and_(*(shapes.compare(">", count, 0) for count in counts))
        yield from ((any_, part) for part in control.parts.values())


def _in_body(specialization: Specialization) -> Iterator[Obligation]:
    """Divisors in what invocations give to attributes, and in conditions of branches."""
    if specialization.template.in_library:
        return
    for operation, _ in _operations(specialization.body, ()):
        yield from _in_operation(operation)


def _in_operation(operation: Operation) -> Iterator[Obligation]:
    for name, value in operation.attributes.items():
        yield from obligations_of_value(value, f"in the attribute '{name}'", operation.place)
    if isinstance(operation.control, Branch):
        for case in operation.control.cases:
            if isinstance(case.condition, Truth):
                yield from obligations_of_value(case.condition, "in a condition", operation.place)


# ---- counterexamples -------------------------------------------------------------------------------------------------
class _Showing(Struct):
    """The search for counterexamples. A graph is composed at most ``rest`` more times for it."""

    conditions: Sequence[Truth]
    composed: Composed
    known: frozenset[tuple[Rule, tuple[Site, ...]]]
    """What fails in any case."""
    rest: int
    found: dict[frozenset[tuple[Hashable, int]], Sequence[Failure]] = field(default_factory=dict)

    def failure(self, candidates: Sequence[_Reached]) -> Failure | None:
        """The warning about one value, in the first of its places for which there is a counterexample.

        What is invoked comes first: what is declared of it by who invokes it is the same once more.
        """
        for each in reversed(candidates):
            obligation = each.obligation
            assert obligation is not None
            for trial in assignments(obligation.value, obligation.may_be, each.path, self.conditions)[
                :_MOST_TRIALS_OF_ONE
            ]:
                if any(map(obligation.is_shown_by, self._failures(trial))):
                    site = Site(obligation.place, "this is declared here")
                    return Failure(obligation.rule, _message(obligation, trial), (site, *each.sites))
        return None

    def _failures(self, trial: Assignment) -> Sequence[Failure]:
        """What fails with some numbers; nothing if they are not allowed for other reasons."""
        key = frozenset(trial.values.items())
        if key not in self.found:
            if self.rest <= 0:
                return ()
            self.rest -= 1
            failures = [each for each in self.composed(trial.values) if (each.rule, each.sites) not in self.known]
            shown = {rules.NEGATIVE_EXTENT, rules.DIVISION_BY_ZERO}
            self.found[key] = failures if all(each.rule in shown for each in failures) else ()
        return self.found[key]


def _message(obligation: Obligation, trial: Assignment) -> str:
    if obligation.is_divisor:
        return f"for {trial.shown} the divisor '{obligation.value}' {obligation.what} is 0"
    return f"for {trial.shown} the extent '{obligation.value}' {obligation.what} is {trial.number}"
