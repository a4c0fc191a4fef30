"""Conditions that an operator breaks with numbers for all sizes, found by looking at every point of its formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.compose import Session, Specialization, Template, declare_root
from snd_analysis.compose.formulas import (
    Constant,
    Formula,
    FormulaFailed,
    FormulaTensors,
    OutOfBoundsError,
    Point,
    Slot,
    elaborate_formula,
    is_within_bounds,
    skips_points,
)
from snd_analysis.model import TensorValue, tensors_of
from snd_analysis.proofs.case_analysis.cases import ParameterCase
from snd_analysis.proofs.conditions import index_text, lacks_extents
from snd_analysis.proofs.coverage import coverage_text
from snd_analysis.proofs.declared import failing_goals
from snd_analysis.proofs.goal import UNDECIDED, Gap
from snd_analysis.proofs.limits import MOST_FAILING_POINTS, MOST_TRIED_POINTS
from snd_analysis.proofs.partial_operations import text_of_failure
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, Pack, Value

Number: TypeAlias = "int | tuple[int, ...]"
"""The value of a name: an int, or the items of a pack."""


class Broken(Struct, frozen=True):
    """A condition that does not hold, by its text and its place in the definition."""

    text: str
    span: Span


class Outcome(Struct, frozen=True):
    """One choice of sizes that the declarations of inputs and the assertions allow."""

    names: Mapping[str, Number]
    """The ints and packs of ints that have a value."""
    broken: frozenset[Broken] = frozenset()
    running: frozenset[Span] = frozenset()
    """The formulas that have a point."""
    is_empty: bool = False
    """True if an input has no element and no formula has a point."""


class _UndecidedError(Exception):
    """Data decide, or there are too many points."""


def outcome_of(session: Session, template: Template, case: ParameterCase) -> Outcome | None:
    """Return the conditions that an operator breaks in a case without unknowns.

    None if the case is not allowed, or it can't be decided.
    """
    declared = declare_root(session, template, case.attributes, case.dtypes, case.inputs)
    names = {symbol.name: number for symbol, number in _numbers(declared.scope.values)}
    if declared.failures or not declared.valid:
        goals = [*failing_goals(declared, ())]
        if not goals or any(isinstance(each, Gap) for each in goals):
            return None
        return Outcome(names, frozenset(Broken(each.text, _span(each.base, each.node)) for each in goals
                                        if not isinstance(each, Gap)))  # fmt: skip
    if lacks_extents(declared):
        return Outcome(names, is_empty=True)
    try:
        running = _Running(declared)
        running.run()
    except (_UndecidedError, FormulaFailed):
        return None
    is_empty = not running.spans and any(map(_is_empty, declared.inputs))
    return Outcome(names, frozenset(running.broken), frozenset(running.spans), is_empty)


def _is_empty(value: TensorValue) -> bool:
    """Return whether an input has no element."""
    tensors = [*tensors_of(value)]
    is_missing = not tensors and value is not NULL
    return is_missing or any(shapes.constant(0) in (each.shape or ()) for each in tensors)


def _span(base: int, node: nodes.Node) -> Span:
    return Span(node.start + base, node.end + base)


def _numbers(values: Mapping[Symbol, Value]) -> Iterator[tuple[Symbol, Number]]:
    """Yield the int values of names."""
    for symbol, value in values.items():
        if isinstance(value, Integer) and value.value is not None:
            yield symbol, value.value
        elif isinstance(value, Pack):
            items = [each.value if isinstance(each, Integer) else None for each in value.items or (None,)]
            if None not in items or value.items == ():
                yield symbol, tuple(each for each in items if each is not None)


class _Running:
    """A run without data: every point of every formula."""

    def __init__(self, declared: Specialization) -> None:
        self._declared = declared
        self._template = declared.template
        self._tensors = FormulaTensors(declared)
        self._points = 0
        self._written: dict[Slot, Counter[tuple[int, ...]]] = {}
        self.broken: set[Broken] = set()
        self.spans: set[Span] = set()

    def run(self) -> None:
        """Raise _UndecidedError or FormulaFailed where nothing is known."""
        for base, node in self._template.formulas:
            try:
                formulas = [*elaborate_formula(self._declared, self._tensors, base, node)]
                if not formulas and node.condition is not None:
                    self.spans.add(_span(base, node))  # sizes that a condition after '|' excludes work
                for formula in formulas:
                    self._look_at(formula)
            except EvaluationError as error:
                if error.rule in UNDECIDED:
                    raise _UndecidedError from None
                self.spans.add(_span(base, node))
                self._note(base, error)
        if not self.broken:
            self._cover()

    def _note(self, base: int, error: EvaluationError) -> None:
        text = text_of_failure(error.rule)
        if isinstance(error, OutOfBoundsError):
            text = index_text(error.node, error.slot, error.dimension - bool(error.slot.items))
        self.broken.add(Broken(text, _span(base, error.node)))

    def _look_at(self, formula: Formula) -> None:
        """Note the conditions that each point of a formula breaks, and the elements that ``=`` writes."""
        extents = [int(axis.extent.value) for axis in formula.axes if isinstance(axis.extent, Constant)]
        if len(extents) < len(formula.axes):
            raise _UndecidedError
        count = prod(max(each, 0) for each in extents)
        if not count:
            return
        self.spans.add(_span(formula.base, formula.node))
        is_counted = formula.operator == "="
        if not is_counted and is_within_bounds(formula, extents):
            return
        self._points += count
        if self._points > MOST_TRIED_POINTS:
            raise _UndecidedError
        failing = 0
        # Most indices that are out of bounds are too great: such a point is met soon.
        for positions in product(*(range(each - 1, -1, -1) for each in extents)):
            point = Point(formula, dict(enumerate(positions)))
            errors = [*point.errors()]
            for error in errors:
                self._note(formula.base, error)
            failing += bool(errors)
            if failing > MOST_FAILING_POINTS:
                return
            if is_counted and not errors:
                self._write(formula, point)

    def _write(self, formula: Formula, point: Point) -> None:
        written = point.written()
        if written is None and not skips_points(formula.node):
            raise _UndecidedError
        for slot, element in written or ():
            self._written.setdefault(slot, Counter())[element] += 1

    def _cover(self) -> None:
        """Note tensors whose elements ``=`` does not write once."""
        writing: dict[Symbol, list[tuple[int, nodes.Lowering]]] = {}
        for base, node in self._template.formulas:
            symbol = self._template.resolution.targets.get(node.target.name)
            if isinstance(symbol, Symbol):
                writing.setdefault(symbol, []).append((base, node))
        for symbol, formulas in writing.items():
            first = [(base, node) for base, node in formulas if node.operator.text == "="]
            if any(node.operator.text == ":=" for _, node in formulas):
                continue
            value = self._tensors.values.get(symbol)
            slots = [
                each for each in (value.items or () if isinstance(value, Pack) else (value,)) if isinstance(each, Slot)
            ]
            is_accumulated = len(first) < len(formulas)
            is_partial = is_accumulated or any(skips_points(node) for _, node in first)
            if first and any(self._is_broken(slot, is_partial) for slot in slots):
                self.broken |= {
                    Broken(coverage_text(node.target, is_accumulated), _span(base, node.target)) for base, node in first
                }

    def _is_broken(self, slot: Slot, is_partial: bool) -> bool:
        extents: Sequence[int] = [extent or 0 for extent in slot.shape]
        written = self._written.get(slot, Counter())
        return any(count > 1 for count in written.values()) or (not is_partial and len(written) < prod(extents))
