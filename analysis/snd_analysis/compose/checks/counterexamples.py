"""Extents that may become negative and divisors that may become zero, each with sizes that show it (2.6, 3.1).

snd checks only declarations outside the library, and only where a graph is composed: the author of an invocation may
guarantee the operator's needs. Sizes are a counterexample if the graph, composed with them, fails: so conditions of
branches, lazy evaluation and assertions have their usual meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TypeAlias

from msgspec import Struct, field

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose.checks.obligations import Obligation, obligations_of_value
from snd_analysis.compose.dynamic import OpenKey
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.limits import (
    MOST_ASSIGNMENTS,
    MOST_COMPOSED,
    MOST_COUNTEREXAMPLES_TRIED,
    MOST_OBLIGATIONS,
    MOST_PATHS,
    MOST_UNKNOWNS,
)
from snd_analysis.compose.specialization import Specialization, specialization_of
from snd_analysis.compose.template import Template
from snd_analysis.model import Branch, Graph, Loop, Operation
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import DivisionByZero, Integer, Leaf, NegativeExponent, Truth
from snd_analysis.symbolic.values import CompileTime, Pack

# ---- small numbers for open values, tried until some of them show a failure ------------------------------------------
_NEAR_ITS_BOUND = 9
"""Number of values that are tried from the lower bound of an unknown, and from its upper bound."""
_UNDEFINED = (DivisionByZero, NegativeExponent, OverflowError, KeyError, TypeError)


class Assignment(Struct, frozen=True):
    """Numbers for unknowns, by key, for which an integer evaluates to ``number``."""

    number: int
    values: Mapping[Hashable, int]
    shown: str
    """The numbers by name: ``n = 1, s = 0``."""


def assignments(
    value: Integer, is_sought: Callable[[int], bool], path: Sequence[Truth], conditions: Sequence[Truth]
) -> list[Assignment]:
    """Return numbers for which ``value`` is sought, the greatest first.

    All of ``path`` hold for them, and those ``conditions`` that concern the same unknowns. Empty if the value depends
    on other things, or on too many.
    """
    leaves = sorted({*value.leaves, *(leaf for condition in path for leaf in condition.leaves)}, key=_name)
    if len(leaves) > MOST_UNKNOWNS or not all(_is_open(leaf.key) for leaf in leaves):
        return []
    keys = {leaf.key for leaf in leaves}
    concerned = [condition for condition in conditions if keys & {leaf.key for leaf in condition.leaves}]
    if any({leaf.key for leaf in condition.leaves} - keys for condition in concerned):
        return []  # whether it holds depends on more
    found = []
    for values in islice(_combinations(leaves), MOST_ASSIGNMENTS):
        number = _evaluated(value, values)
        if number is None or not is_sought(number):
            continue
        if all(_evaluated(condition, values) for condition in (*path, *concerned)):
            shown = ", ".join(f"{leaf.name} = {values[leaf.key]}" for leaf in leaves)
            found.append(Assignment(number, values, shown))
    return sorted(found, key=lambda trial: -trial.number)


def _name(leaf: Leaf) -> str:
    return leaf.name


def _is_open(key: Hashable) -> bool:
    return isinstance(key.key if isinstance(key, CompileTime) else key, OpenKey)


def _combinations(leaves: Sequence[Leaf]) -> Iterator[Mapping[Hashable, int]]:
    for row in product(*map(_candidates, leaves)):
        yield {leaf.key: value for leaf, value in zip(leaves, row, strict=True)}


def _candidates(leaf: Leaf) -> list[int]:
    low, high = leaf.low, leaf.high
    start = low if low is not None else 0
    found = list(range(start, start + _NEAR_ITS_BOUND))
    if high is not None:
        found = [value for value in found if value <= high]
        found.extend(value for value in (high - 1, high) if value >= start and value not in found)
    return found


def _evaluated(subject: Integer | Truth, values: Mapping[Hashable, int]) -> int | None:
    try:
        return shapes.evaluate(subject, values)
    except _UNDEFINED:
        return None


# ---- the obligations that the operations of a body bring, and the conditions under which control flow runs them ------
Path: TypeAlias = "tuple[Truth, ...]"
"""The conditions under which control flow leads somewhere, as far as extents and attributes decide them."""


def invokes_obligations(template: Template, operations: Iterable[Operation]) -> bool:
    """Return whether operations of a definition, or definitions that they invoke, have obligations."""
    for operation in operations:
        inner = specialization_of(operation)
        if inner is not None and (inner.obligations or inner.invokes_obligations):
            return True
        if not template.in_library and any(True for _ in _in_operation(operation)):
            return True
        for _, part in _parts(operation):
            if invokes_obligations(template, (*part.operations, *part.update_operations)):
                return True
    return False


def operations_by_path(graph: Graph | None, path: Path) -> Iterator[tuple[Operation, Path]]:
    for operation in (*graph.operations, *graph.update_operations) if graph is not None else ():
        yield operation, path
        for condition, part in _parts(operation):
            yield from operations_by_path(part, path if condition is shapes.TRUE else (*path, condition))


def _parts(operation: Operation) -> Iterator[tuple[Truth, Graph]]:
    """Yield the parts of control flow, each with the known condition under which it runs."""
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


def obligations_in_body(specialization: Specialization) -> Iterator[Obligation]:
    """Yield the divisors in attributes of invocations, and in conditions of branches."""
    if specialization.template.in_library:
        return
    for operation, _ in operations_by_path(specialization.body, ()):
        yield from _in_operation(operation)


def _in_operation(operation: Operation) -> Iterator[Obligation]:
    for name, value in operation.attributes.items():
        yield from obligations_of_value(value, f"in the attribute '{name}'", operation.place)
    if isinstance(operation.control, Branch):
        for case in operation.control.cases:
            if isinstance(case.condition, Truth):
                yield from obligations_of_value(case.condition, "in a condition", operation.place)


# ---- extents that may become negative and divisors that may become zero, each with sizes that show it (2.6, 3.1) -----
_ORDINARY_SIZE = 200

Composed: TypeAlias = "Callable[[Mapping[Hashable, int]], Sequence[Failure]]"
"""Function that composes a graph with numbers in place of some unknowns, and returns the failures."""


# ---- a whole graph ---------------------------------------------------------------------------------------------------
def counterexamples(root: Specialization, composed: Composed) -> list[Failure]:
    """Return the obligations of a composed graph that a counterexample breaks; each value once, where it comes from."""
    if not root.obligations and not root.invokes_obligations:
        return []
    found: dict[tuple[Integer, bool], list[_Reached]] = {}
    conditions: dict[Truth, None] = {}
    size = 0
    for reached in _specializations(root):
        size += reached.operations
        for check in reached.specialization.checks:
            conditions[shapes.implies(shapes.and_(*reached.path), check.condition)] = None
        for obligation in reversed((*reached.specialization.obligations, *obligations_in_body(reached.specialization))):
            found.setdefault((obligation.value, obligation.is_divisor), []).append(reached.with_obligation(obligation))
    known = frozenset((failure.rule, failure.sites) for failure in root.failures)
    rest = MOST_COMPOSED * _ORDINARY_SIZE // max(size, _ORDINARY_SIZE)
    showing = _Showing(list(conditions), composed, known, rest)
    shown = (showing.failure(each) for each in islice(found.values(), MOST_OBLIGATIONS))
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
    """Yield every specialization that a graph is composed of, once for each path to it."""
    paths: dict[Specialization, set[Path]] = {root: {()}}
    pending = [_Reached(root)]
    while pending:
        reached = pending.pop()
        count = 0
        for operation, guards in operations_by_path(reached.specialization.body, ()):
            count += 1
            inner = specialization_of(operation)
            if inner is None:
                continue
            path = tuple(dict.fromkeys((*reached.path, *guards)))
            known = paths.setdefault(inner, set())
            if path not in known and len(known) < MOST_PATHS:
                known.add(path)
                invoked = Site(operation.place, f"'{inner.template.shown}' is invoked here")
                pending.append(_Reached(inner, (invoked, *reached.sites), path))
        yield _Reached(reached.specialization, reached.sites, reached.path, count)


# ---- counterexamples -------------------------------------------------------------------------------------------------
class _Showing(Struct):
    """The search for counterexamples. A graph is composed at most ``rest`` more times for it."""

    conditions: Sequence[Truth]
    composed: Composed
    known: frozenset[tuple[Rule, tuple[Site, ...]]]
    """Failures that occur in any case."""
    rest: int
    found: dict[frozenset[tuple[Hashable, int]], Sequence[Failure]] = field(default_factory=dict)

    def failure(self, candidates: Sequence[_Reached]) -> Failure | None:
        """Return the warning about one value, in the first of its places for which there is a counterexample.

        Invoked definitions come first: a declaration of the invoking one repeats their condition.
        """
        for each in reversed(candidates):
            obligation = each.obligation
            assert obligation is not None
            for trial in assignments(obligation.value, obligation.may_be, each.path, self.conditions)[
                :MOST_COUNTEREXAMPLES_TRIED
            ]:
                if any(map(obligation.is_shown_by, self._failures(trial))):
                    site = Site(obligation.place, "this is declared here")
                    return Failure(obligation.rule, _message(obligation, trial), (site, *each.sites))
        return None

    def _failures(self, trial: Assignment) -> Sequence[Failure]:
        """Return the failures for some numbers; empty if these are not allowed for other reasons."""
        key = frozenset(trial.values.items())
        if key not in self.found:
            if self.rest <= 0:
                return ()
            self.rest -= 1
            failures = [each for each in self.composed(trial.values) if (each.rule, each.sites) not in self.known]
            shown = (rules.NEGATIVE_EXTENT, rules.DIVISION_BY_ZERO)
            self.found[key] = failures if all(each.rule in shown for each in failures) else ()
        return self.found[key]


def _message(obligation: Obligation, trial: Assignment) -> str:
    if obligation.is_divisor:
        return f"for {trial.shown} the divisor '{obligation.value}' {obligation.what} is 0"
    return f"for {trial.shown} the extent '{obligation.value}' {obligation.what} is {trial.number}"
