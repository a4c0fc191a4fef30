"""What must hold in one case of an operator: indices in bounds, divisors, extents, cells that are written once."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import z3
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose import Failure, Specialization, Template
from snd_analysis.compose.formulas import (
    LIMIT_EXCEEDED,
    UNKNOWN_VALUE,
    Apply,
    AxisPosition,
    Bounds,
    Constant,
    Formula,
    FormulaFailed,
    FormulaTensors,
    IndexTerm,
    Next,
    Open,
    Read,
    Slot,
    Table,
    Term,
    elaborate_formula,
    subterms,
    unconditional,
)
from snd_analysis.model import tensors_of
from snd_analysis.proofs.solver import Logic
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Quotient
from snd_analysis.symbolic.values import Pack

Path = tuple[tuple[Term, bool], ...]
"""The conditions of branches that lead to a term, with the values that they have there."""

_UNDECIDED = frozenset({UNKNOWN_VALUE, LIMIT_EXCEEDED, rules.VALUE_TOO_LARGE})


class Goal(Struct, frozen=True):
    """One condition in one case, as z3 reads it; without ``goal`` it is not known what must hold."""

    base: int
    node: nodes.Node
    text: str
    facts: tuple[Any, ...] = ()
    goal: Any = None
    formula: Hashable = None
    reason: str = ""
    holds: bool = False
    """Whether algebra tells that it holds, without z3."""
    reads_data: bool = False
    mends: tuple[str, ...] = ()
    """Assertions of which one may be enough for it to hold."""


def goals_of(specialization: Specialization, logic: Logic) -> Iterator[Goal]:
    """Yield what must hold, declarations first; nothing where what is given is not allowed."""
    template = specialization.template
    facts = tuple(logic.truth(check.condition) for check in specialization.checks)
    failures = [each for each in specialization.failures if each.rule not in _UNDECIDED]
    if any(_is_refused(template, failure) for failure in failures):
        return
    for failure in failures:
        span = (failure.related or failure.sites)[0].place.span
        text = _TEXTS.get(failure.rule, f"nothing breaks '{failure.rule.name}'")
        yield Goal(0, nodes.Tilde(span.start, span.end), text, facts, z3.BoolVal(False), None, failure.message)
    if failures or not specialization.valid:
        return
    declared = list(_declared(specialization, logic, facts))
    yield from declared
    if template.formulas:
        # What declarations break is said of these: formulas are looked at where they hold.
        holding = dict.fromkeys(each.goal for each in declared if not each.holds)
        yield from _Formulas(specialization, logic, (*facts, *holding)).goals()


_TEXTS = {
    rules.NEGATIVE_EXTENT: "no extent is negative",
    rules.DIVISION_BY_ZERO: "no divisor is zero",
    rules.INDEX_OUT_OF_RANGE: "each item is in its pack",
}


def _is_refused(template: Template, failure: Failure) -> bool:
    """Return whether declarations of attributes and inputs, or assertions, do not allow what is given."""
    sites = failure.related or failure.sites
    if not sites or sites[0].place.path != template.name.path or failure.rule == rules.ASSERTION_FAILS:
        return True
    start = sites[0].place.span.start
    return any(
        isinstance(block, nodes.Block)
        and block.kind in (BlockKind.ATTRIB, BlockKind.INPUT)
        and block.start <= start < block.end
        for block in template.definition.blocks
    )


def _declared(specialization: Specialization, logic: Logic, facts: tuple[Any, ...]) -> Iterator[Goal]:
    """Yield what declarations demand. What one demands holds for those that come after it."""
    for goal in _demands(specialization, logic, facts):
        if goal.holds:
            yield goal
        else:
            yield replace(goal, facts=facts)
            facts = (*facts, goal.goal)


def _demands(specialization: Specialization, logic: Logic, facts: tuple[Any, ...]) -> Iterator[Goal]:
    template = specialization.template
    for base, using in template.using:
        for each in nodes.descendants(using.target):
            symbol = template.resolution.targets.get(each)
            value_ = specialization.scope.values.get(symbol)  # type: ignore[arg-type]
            for item in value_.elements if isinstance(value_, Pack) else (value_,):
                if isinstance(item, Integer):
                    yield from _nonzero_divisors(item, base, using.value, logic, facts)
    for member, value in zip(template.outputs, specialization.outputs, strict=True):
        if member.node.shape is None:
            continue
        text = f"no extent of '{member.name}' is negative"
        for tensor in tensors_of(value):
            for extent in tensor.shape or ():
                if not isinstance(extent, Integer):
                    continue
                yield from _nonzero_divisors(extent, member.base, member.node.shape, logic, facts)
                low = shapes.bounds(extent)[0]
                if low is not None and low >= 0:
                    yield Goal(member.base, member.node.shape, text, holds=True)
                else:
                    goal, mends = logic.integer(extent) >= 0, (f"{extent} >= 0",)
                    yield Goal(member.base, member.node.shape, text, facts, goal, mends=mends)


def _nonzero_divisors(
    value: Integer, base: int, node: nodes.Node, logic: Logic, facts: tuple[Any, ...]
) -> Iterator[Goal]:
    for divisor in _divisors(value):
        if shapes.compare("!=", divisor, 0) is TRUE:
            yield Goal(base, node, "no divisor is zero", holds=True)
        else:
            goal, mends = logic.integer(divisor) != 0, (f"{divisor} > 0", f"{divisor} != 0")
            yield Goal(base, node, "no divisor is zero", facts, goal, mends=mends)


def _divisors(value: Integer) -> Iterator[Integer]:
    for atom in value.atoms():
        if isinstance(atom, Quotient) and atom.parts[1].value is None:
            yield atom.parts[1]


# ---- formulas --------------------------------------------------------------------------------------------------------
class _Formulas:
    def __init__(self, specialization: Specialization, logic: Logic, facts: tuple[Any, ...]) -> None:
        self._specialization = specialization
        self._template = specialization.template
        self._logic = logic
        self._facts = facts
        self._initial: dict[Slot, list[Formula]] = {}
        self._domains: dict[Formula, tuple[Any, ...]] = {}
        self._incomplete: set[str] = set()

    def goals(self) -> Iterator[Goal]:
        try:
            self._tensors = FormulaTensors(self._specialization, is_open=True, is_general=True)
        except FormulaFailed as failed:
            for base, node in self._template.formulas:
                yield Goal(base, node, "each index is in bounds", reason=failed.message)
            return
        for base, node in self._template.formulas:
            try:
                for formula in elaborate_formula(self._specialization, self._tensors, base, node):
                    yield from self._of_formula(formula)
                    if formula.operator == "=":
                        for slot in formula.slots:
                            self._initial.setdefault(slot, []).append(formula)
            except EvaluationError as error:
                self._incomplete.add(node.target.name.text)
                certain = error.rule not in _UNDECIDED
                text = "each index is in bounds" if not certain else f"nothing breaks {error.rule.name}"
                goal = z3.BoolVal(False) if certain else None
                yield Goal(base, error.node if certain else node, text, self._facts, goal, None, error.message)
        for slot, formulas in self._initial.items():
            yield from self._coverage(slot, formulas)

    def facts(self, formula: Formula, path: Path) -> tuple[Any, ...]:
        """Return what holds where a formula computes something, on a path of conditions."""
        if formula not in self._domains:
            self._domains[formula] = self._domain(formula)
        found = list(self._domains[formula])
        for condition, value in path:
            holds = self._logic.term(condition, formula)
            if z3.is_bool(holds):
                found.append(holds if value else z3.Not(holds))
        return tuple(found)

    def _domain(self, formula: Formula) -> tuple[Any, ...]:
        """Indices are below their bounds, and where a guarded one is not, nothing is computed."""
        facts = list(self._facts)
        for axis, each in enumerate(formula.axes):
            position = self._logic.axis(formula, axis)
            facts += [position >= 0, position < self._logic.term(each.extent, formula)]
        for slot, place, at in _unconditional_places(formula):
            if place.bounds is Bounds.SKIPPED:
                index, extent = self._logic.term(place.index, formula), self._extent(slot, at)
                facts += [index >= 0] if extent is None else [index >= 0, index < self._logic.integer(extent)]
        return tuple(facts)

    def _of_formula(self, formula: Formula) -> Iterator[Goal]:
        walk = _Walk(self, formula)
        path: Path = ()
        if formula.condition is not None:
            yield from walk.term(formula.condition, path)
            path = ((formula.condition, True),)
        for write in formula.writes:
            yield from walk.places(write.slot, write.places, path, formula.node.target)
            for place in write.places:
                for term in place.terms:
                    yield from walk.term(term, path)
            yield from walk.term(write.value, path)

    def _extent(self, slot: Slot, at: int) -> Integer | None:
        if slot.items:
            return shapes.constant(len(slot.items)) if at == 0 else self._extent(slot.items[0], at - 1)
        shape = self._tensors.extents.get(slot)
        extent = None if shape is None else shape[at]
        return extent if isinstance(extent, Integer) else None

    # ---- each cell once ----------------------------------------------------------------------------------------------
    def _coverage(self, slot: Slot, formulas: Sequence[Formula]) -> Iterator[Goal]:
        first = formulas[0]
        base, node = first.base, first.node.target
        name = first.node.target.name.text
        text = f"each element of '{name}' is written, and once"
        if any(formula.condition is not None or _skips(formula) for formula in formulas):
            return
        if len(formulas) > 1 or name in self._incomplete or len(first.writes) > 1:
            yield Goal(base, node, text, reason="several formulas, or packed ones, write parts of it")
            return
        write = first.writes[0]
        rank = len(write.places)
        extents = [self._extent(slot, at) for at in range(rank)]
        if None in extents or any(place.bounds is not Bounds.CHECKED for place in write.places):
            yield Goal(base, node, text, reason="its indices are remapped")
            return
        if self._is_plain(write.places, extents, first):
            yield Goal(base, node, text, holds=True)
            return
        cells = [self._logic.unknown_int() for _ in range(rank)]
        inside = [
            condition
            for cell, extent in zip(cells, extents, strict=True)
            if extent is not None
            for condition in (cell >= 0, cell < self._logic.integer(extent))
        ]
        found: dict[int, Any] = {}
        for cell, place in zip(cells, write.places, strict=True):
            self._solve(place.index, cell, found, first)
        lengths = [self._logic.term(axis.extent, first) for axis in first.axes]
        free = [axis for axis in range(len(lengths)) if axis not in found]
        # Indices that no element determines: with one value each, every element is written once.
        once = z3.And([lengths[axis] == 1 for axis in free]) if free else z3.BoolVal(True)
        positions = {axis: found.get(axis, z3.IntVal(0)) for axis in range(len(lengths))}
        swapped = [(self._logic.axis(first, axis), value) for axis, value in positions.items()]
        reached = [z3.substitute(self._logic.term(place.index, first), *swapped) for place in write.places]
        within = [
            condition
            for axis, value in found.items()
            for condition in (value >= 0, value < z3.substitute(lengths[axis], *swapped))
        ]
        hits = [index == cell for index, cell in zip(reached, cells, strict=True)]
        goal = z3.And(*within, *hits, once)
        depends = any(isinstance(each, Read | Next) for place in write.places for each in subterms(place.index))
        yield Goal(base, node, text, (*self._facts, *inside), goal, first, reads_data=depends)
        # Two points of the space for one element.
        if all(isinstance(place.index, AxisPosition) for place in write.places):
            return
        others = [(self._logic.axis(first, axis), self._logic.unknown_int()) for axis in range(len(lengths))]
        there = []
        for axis, (_, other) in enumerate(others):
            there += [other >= 0, other < z3.substitute(lengths[axis], *others)]
        same = [
            self._logic.term(place.index, first) == z3.substitute(self._logic.term(place.index, first), *others)
            for place in write.places
        ]
        equal = z3.And([axis == other for axis, other in others]) if others else z3.BoolVal(True)
        yield Goal(base, node, text, (*self.facts(first, ()), *there, *same), equal, first, reads_data=depends)

    def _is_plain(self, places: Sequence[IndexTerm], extents: Sequence[Integer | None], formula: Formula) -> bool:
        """Return whether every index is an axis of the length of its dimension, and all axes are used once."""
        axes = [place.index.axis for place in places if isinstance(place.index, AxisPosition)]
        if len(axes) < len(places) or sorted(axes) != list(range(len(formula.axes))):
            return False
        pairs = zip(axes, extents, strict=True)
        return all(
            length is not None and extent is not None and shapes.compare("==", length, extent) is TRUE
            for length, extent in ((_length_of(formula, axis), extent) for axis, extent in pairs)
        )

    def _solve(self, index: Term, cell: Any, found: dict[int, Any], formula: Formula) -> None:
        """Find positions for which an index is a cell, of the forms ``i``, ``i + c``, ``c - i`` and ``i * m + j``."""
        match index:
            case AxisPosition(axis=axis):
                found.setdefault(axis, cell)
            case Apply(operation="+", operands=(left, right)) if not right.axes:
                self._solve(left, cell - self._logic.term(right, formula), found, formula)
            case Apply(operation="+", operands=(left, right)) if not left.axes:
                self._solve(right, cell - self._logic.term(left, formula), found, formula)
            case Apply(operation="-", operands=(left, right)) if not right.axes:
                self._solve(left, cell + self._logic.term(right, formula), found, formula)
            case Apply(operation="-", operands=(left, right)) if not left.axes:
                self._solve(right, self._logic.term(left, formula) - cell, found, formula)
            case Apply(operation="+", operands=(left, right)):
                for many, one in ((left, right), (right, left)):
                    factor = _factor(many)
                    if factor is not None:
                        number = self._logic.term(factor[1], formula)
                        quotient = self._logic.quotient(cell, number)
                        self._solve(factor[0], quotient, found, formula)
                        self._solve(one, cell - quotient * number, found, formula)
                        return

    # ---- what conditions are about -----------------------------------------------------------------------------------
    def in_bounds(
        self, formula: Formula, slot: Slot, place: IndexTerm, at: int, path: Path, node: nodes.Node
    ) -> Iterator[Goal]:
        if place.bounds is Bounds.SKIPPED:
            return
        extent = self._extent(slot, at)
        text = f"the index '{_index_text(node, at)}' of '{_plain(slot.name)}' is in bounds"
        if extent is None:
            yield Goal(formula.base, node, text, reason="the extent is counted")
            return
        if _is_plainly_within(formula, place.index, extent):
            yield Goal(formula.base, node, text, holds=True)
            return
        index, most = self._logic.term(place.index, formula), self._logic.integer(extent)
        used: list[tuple[Term, tuple[Any, ...]]]
        if place.bounds is Bounds.REMAPPED and place.below is not None and place.above is not None:
            used = [(place.below, (index < 0,)), (place.above, (index >= most,))]
        else:
            used = [(place.index, ())]
        for term, when in used:
            value = self._logic.term(term, formula)
            goal = z3.And(value >= 0, value < most)
            facts = (*self.facts(formula, path), *when)
            mends = _mends(formula, term, extent)
            yield Goal(formula.base, node, text, facts, goal, formula, reads_data=_reads_data(term), mends=mends)

    def nonzero(self, formula: Formula, term: Apply, path: Path) -> Goal:
        """Return what a division demands."""
        divisor = term.operands[1]
        if isinstance(divisor, Constant):
            return Goal(formula.base, term.node, "no divisor is zero", holds=divisor.value != 0, goal=z3.BoolVal(False))
        goal = self._logic.term(divisor, formula) != 0
        facts = self.facts(formula, path)
        return Goal(
            formula.base, term.node, "no divisor is zero", facts, goal, formula, reads_data=_reads_data(divisor)
        )

    def in_pack(self, formula: Formula, term: Table | Apply, count: int, index: Term, path: Path) -> Goal:
        """Return what the choice of an item demands."""
        value = self._logic.term(index, formula)
        goal = z3.And(value >= -count, value < count)
        facts = self.facts(formula, path)
        text = "each item is in its pack"
        return Goal(formula.base, term.node, text, facts, goal, formula, reads_data=_reads_data(index))


class _Walk:
    """The terms of a formula, with what holds where each is computed."""

    def __init__(self, formulas: _Formulas, formula: Formula) -> None:
        self._formulas = formulas
        self._formula = formula
        self._seen: set[tuple[Term, Path]] = set()

    def places(self, slot: Slot, places: Sequence[IndexTerm], path: Path, node: nodes.Node) -> Iterator[Goal]:
        for at, place in enumerate(places):
            yield from self._formulas.in_bounds(self._formula, slot, place, at, path, node)

    def term(self, term: Term, path: Path) -> Iterator[Goal]:
        if isinstance(term, Constant | AxisPosition | Next | Open) or (term, path) in self._seen:
            return
        self._seen.add((term, path))
        match term:
            case Read():
                for place in term.places:
                    for each in place.terms:
                        yield from self.term(each, path)
                yield from self.places(term.slot, term.places, path, term.node)
            case Table():
                yield from self.term(term.index, path)
                yield self._formulas.in_pack(self._formula, term, len(term.values), term.index, path)
            case Apply(operation="select", operands=(condition, first, second)):
                yield from self.term(condition, path)
                yield from self.term(first, (*path, (condition, True)))
                yield from self.term(second, (*path, (condition, False)))
            case Apply(operation="&&" | "=>", operands=(first, second)):
                yield from self.term(first, path)
                yield from self.term(second, (*path, (first, True)))
            case Apply(operation="||", operands=(first, second)):
                yield from self.term(first, path)
                yield from self.term(second, (*path, (first, False)))
            case Apply():
                for each in term.operands:
                    yield from self.term(each, path)
                if term.operation in ("/", "\\", "%") and term.dtype == "int":
                    yield self._formulas.nonzero(self._formula, term, path)
                elif term.operation == "position in pack":
                    count = term.operands[1]
                    if isinstance(count, Constant):
                        yield self._formulas.in_pack(self._formula, term, int(count.value), term.operands[0], path)


def _factor(term: Term) -> tuple[Term, Term] | None:
    """Return what an index has as multiple of what is the same everywhere, and that."""
    match term:
        case Apply(operation="*", operands=(left, right)) if not right.axes:
            return left, right
        case Apply(operation="*", operands=(left, right)) if not left.axes:
            return right, left
    return None


def _skips(formula: Formula) -> bool:
    return any(place.bounds is Bounds.SKIPPED for _, place, _ in _unconditional_places(formula))


def _unconditional_places(formula: Formula) -> Iterator[tuple[Slot, IndexTerm, int]]:
    """Yield the indices that are computed at every point."""
    for write in formula.writes:
        yield from ((write.slot, place, at) for at, place in enumerate(write.places))
    for term in unconditional(*formula.roots):
        if isinstance(term, Read):
            yield from ((term.slot, place, at) for at, place in enumerate(term.places))


def _reads_data(term: Term) -> bool:
    return any(isinstance(each, Read | Next) for each in subterms(term))


def _length_of(formula: Formula, axis: int) -> Integer | None:
    extent = formula.axes[axis].extent
    match extent:
        case Constant(value=int(value)):
            return shapes.constant(value)
        case Open(value=Integer() as value):
            return value
    return None


def _mends(formula: Formula, index: Term, extent: Integer) -> tuple[str, ...]:
    """Return what would have to hold of the greatest and the least value of an index."""
    least, greatest = _extreme(formula, index, False), _extreme(formula, index, True)
    found = []
    if greatest is not None and shapes.compare("<", greatest, extent) not in (TRUE, FALSE):
        found.append(f"{greatest + 1} <= {extent}")
    if least is not None and shapes.compare(">=", least, 0) not in (TRUE, FALSE):
        found.append(f"{least} >= 0")
    return tuple(found)


def _extreme(formula: Formula, term: Term, greatest: bool) -> Integer | None:
    """Return the greatest or the least value of an index as an integer without positions; None for other forms."""
    match term:
        case Constant(value=int(value)):
            return shapes.constant(value)
        case Open(value=Integer() as value):
            return value
        case AxisPosition(axis=axis):
            length = _length_of(formula, axis)
            return shapes.constant(0) if not greatest else None if length is None else length - 1
        case Apply(operation="+" | "-" as operation, operands=(left, right)):
            first = _extreme(formula, left, greatest)
            second = _extreme(formula, right, greatest is (operation == "+"))
            if first is None or second is None:
                return None
            return first + second if operation == "+" else first - second
        case Apply(operation="*", operands=(left, right)):
            factor, other = (left, right) if not left.axes else (right, left)
            number = _extreme(formula, factor, True) if not factor.axes else None
            low = None if number is None else shapes.bounds(number)[0]
            if number is None or low is None or low < 0:
                return None
            most = _extreme(formula, other, greatest)
            return None if most is None else number * most
    return None


def _is_plainly_within(formula: Formula, index: Term, extent: Integer) -> bool:
    """Return whether an index is in bounds by comparing what is known, without z3."""
    match index:
        case AxisPosition(axis=axis):
            length = _length_of(formula, axis)
            return length is not None and shapes.compare("<=", length, extent) is TRUE
        case Constant(value=int(value)):
            return value >= 0 and shapes.compare("<", shapes.constant(value), extent) is TRUE
    return False


def _index_text(node: nodes.Node, at: int) -> str:
    index = (
        node.indices[-1]
        if isinstance(node, nodes.Access)
        else node.index
        if isinstance(node, nodes.Subscript)
        else None
    )
    if index is None:
        return "…"
    plain = not any(isinstance(each, nodes.Expanded | nodes.Zip) for each in index.items)
    return written(index.items[at] if plain and at < len(index.items) else index).strip("[],")


def _plain(name: str) -> str:
    return name.partition("[")[0]
