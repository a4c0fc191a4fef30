"""The conditions of one case of an operator: indices in bounds, divisors, extents, elements written once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import isfinite

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose import Specialization, ValueScope
from snd_analysis.compose.formulas import (
    IN_PACK,
    LATE,
    Apply,
    AxisPosition,
    Bounds,
    Constant,
    ConstantItem,
    Formula,
    FormulaFailed,
    FormulaTensors,
    IndexTerm,
    Next,
    OpenPack,
    OpenValue,
    Read,
    Slot,
    Term,
    constant_formula,
    elaborate_formula,
    subterms,
    unconditional,
)
from snd_analysis.proofs.coverage import FormulaWrite, Writing, coverage
from snd_analysis.proofs.declared import (
    check_facts,
    declared_goals,
    failing_goals,
    input_facts,
)
from snd_analysis.proofs.goal import (
    FALSE,
    UNDECIDED,
    Expression,
    Gap,
    Goal,
    Point,
    Posed,
    all_of,
    equal,
    implies,
    negation,
    number,
    truth,
)
from snd_analysis.proofs.limits import MILLISECONDS, MOST_TOLD_APART
from snd_analysis.proofs.logic import Logic
from snd_analysis.proofs.mends import bounding_conditions, length_of
from snd_analysis.proofs.partial_operations import DIVIDES, defined_goals, may_fail, text_of_failure
from snd_analysis.proofs.preimages import nonzero_divisors_in
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer
from snd_analysis.symbolic.values import NULL, Maybe, Pack

_LATE = frozenset(each.name for each in LATE)
_ARITHMETIC = (
    nodes.Binary, nodes.Unary, nodes.Operator, nodes.Parenthesized, nodes.Qualified, nodes.Name, nodes.Literal,
    nodes.Cast, nodes.TypeName,
)  # fmt: skip
"""Parts of formulas that are evaluated at the points if a condition of the points protects them."""
Path = tuple[tuple[Term, bool], ...]
"""The conditions of branches that lead to a term, with the values that they have there."""


def goals_of(specialization: Specialization, logic: Logic) -> Iterator[Posed]:
    """Yield the conditions, declarations first; nothing if the operator does not allow the case."""
    template = specialization.template
    facts = (*input_facts(specialization, logic), *check_facts(specialization, logic))
    if specialization.failures or not specialization.valid:
        yield from failing_goals(specialization, facts)
        return
    declared, holding = declared_goals(specialization, logic, facts)
    yield from declared
    has_formulas = template.formulas or any(each.node.default is not None for each in template.constants)
    if has_formulas and not lacks_extents(specialization):
        # Declarations report their own failures: formulas are only looked at where the declarations hold.
        for chosen, more in _told_apart(specialization, logic):
            yield from _Formulas(chosen, logic, (*holding, *more)).goals()


def _told_apart(
    specialization: Specialization, logic: Logic
) -> Iterator[tuple[Specialization, tuple[Expression, ...]]]:
    """Yield a specialization for each choice of helper symbols that are null, and the facts of the choice."""
    scope = specialization.scope
    open_ = [
        (symbol, value)
        for symbol, value in scope.values.items()
        if symbol.kind is SymbolKind.USING and isinstance(value, Maybe)
    ]
    if len(open_) > MOST_TOLD_APART:
        open_ = []
    for choice in product((True, False), repeat=len(open_)):
        values = {
            symbol: value.value if is_there else NULL for (symbol, value), is_there in zip(open_, choice, strict=True)
        }
        present = [logic.truth(value.present) for _, value in open_]
        facts = tuple(each if is_there else negation(each) for each, is_there in zip(present, choice, strict=True))
        chosen = ValueScope(specialization.template, {**scope.values, **values}, scope.dtypes)
        yield replace(specialization, scope=chosen), facts


def lacks_extents(specialization: Specialization) -> bool:
    """Return whether a tensor has an extent that only the tensors of an empty pack could tell: no formula runs then."""
    if not any(isinstance(each, Pack) and each.items == () for each in specialization.inputs):
        return False
    template, values = specialization.template, specialization.scope.values
    declared = (each.node.shape for each in (*template.outputs, *template.constants, *template.variables))
    named = {symbol for shape in declared if shape is not None for symbol in template.symbols(shape)}
    kinds = (SymbolKind.EXTENT, SymbolKind.USING)
    return any(symbol.kind in kinds and values.get(symbol) is NULL for symbol in named)


# ---- formulas --------------------------------------------------------------------------------------------------------
class _Formulas:
    def __init__(self, specialization: Specialization, logic: Logic, facts: tuple[Expression, ...]) -> None:
        self._specialization = specialization
        self._template = specialization.template
        self.logic = logic
        self.facts = facts
        self._writers: dict[Slot, list[FormulaWrite]] = {}
        self._domains: dict[tuple[Formula, Point], tuple[Expression, ...]] = {}
        self._incomplete: set[object] = set()

    def goals(self) -> Iterator[Posed]:
        try:
            self._tensors = FormulaTensors(self._specialization, is_open=True, is_general=True)
        except FormulaFailed as failed:
            yield Gap(failed.message)
            return
        yield from self._of_constants()
        for base, node in self._template.formulas:
            if node.unroll is not None:
                yield from defined_goals(self._specialization.scope, base, node.unroll.count, self.logic, self.facts)
            try:
                for formula in elaborate_formula(self._specialization, self._tensors, base, node):
                    yield from self._of_formula(formula)
                    for write in formula.writes if formula.operator == "=" else ():
                        self._writers.setdefault(write.slot, []).append(FormulaWrite(formula, write, _skips(formula)))
            except EvaluationError as error:
                self._incomplete.add(self._template.resolution.targets.get(node.target.name))
                yield from self._failing(base, node, error)
        yield from self._coverage()

    def _of_constants(self) -> Iterator[Posed]:
        """Yield the goals about the values of constants."""
        for member in self._template.constants:
            default = member.node.default
            if default is None:
                continue
            if not default.bounds:
                yield from defined_goals(self._specialization.scope, member.base, default.value, self.logic, self.facts)
                continue
            value = self._tensors.values.get(member.symbol)
            slots = (value.items or ()) if isinstance(value, Pack) else (value,)
            for at, slot in enumerate(slots):
                if not isinstance(slot, Slot):
                    yield Gap(f"how many tensors '{member.name}' has is not known", member.base, default)
                    continue
                item = at if isinstance(value, Pack) else None
                try:
                    formula = constant_formula(self._specialization, self._tensors, member, slot, item)
                    yield from self._of_formula(formula)
                except EvaluationError as error:
                    yield from self._failing(member.base, default, error)

    def _failing(self, base: int, node: nodes.Node, error: EvaluationError) -> Iterator[Posed]:
        if error.rule in UNDECIDED:
            yield Gap(error.message, base, node)
            return
        # An operation that is evaluated before the failing one may fail first, by another rule.
        if not self.logic.is_proved(self.facts, FALSE, MILLISECONDS):
            yield Gap(f"the formula has no value for some sizes: {error.message}", base, node)
        yield from self._certain(base, error)

    def _certain(self, base: int, error: EvaluationError) -> Iterator[Goal]:
        """Yield goals that a formula fails wherever it runs.

        It most likely runs where no extent is 0; a branch for extents of 1 may keep it from failing.
        """
        text, breaks = text_of_failure(error.rule), (error.rule.name,)
        least = ((each >= 1 for each in self.logic.sizes), (), (each >= 2 for each in self.logic.sizes))
        for more in least:
            yield Goal(base, error.node, text, (*self.facts, *more), FALSE, error.message, breaks=breaks)

    def _coverage(self) -> Iterator[Posed]:
        """Yield the goals about each tensor of the outputs that '=' gives their values.

        The last of several values counts where ':=' writes as well: nothing is demanded there.
        """
        operators: dict[object, set[str]] = {}
        for _, node in self._template.formulas:
            symbol = self._template.resolution.targets.get(node.target.name)
            operators.setdefault(symbol, set()).add(node.operator.text)
        for base, node in self._template.formulas:
            symbol = self._template.resolution.targets.get(node.target.name)
            if node.operator.text != "=" or not isinstance(symbol, Symbol) or symbol in self._incomplete:
                continue
            if ":=" in operators[symbol]:
                continue
            value = self._tensors.values.get(symbol)
            if isinstance(value, OpenPack):
                value = value.slot
            slots = (value.items or ()) if isinstance(value, Pack) else (value,)
            if any(each.items and not {*each.items}.isdisjoint(slots) for each in self._writers):
                yield Gap("which tensor of a pack is written is decided in the run", base, node.target)
                continue
            for slot in slots:
                if isinstance(slot, Slot):
                    extents = [self.extent(slot, at) for at in range(slot.rank)]
                    yield from coverage(
                        base, node.target, self._writers.get(slot, ()), extents, self.logic, self.facts,
                        Writing(self.writing, self.certainly_writing), is_accumulated=len(operators[symbol]) > 1,
                    )  # fmt: skip

    def writing(self, formula: Formula, point: Point) -> tuple[Expression, ...]:
        """Return the facts in each point that a formula writes: indices below bounds, its condition, guards."""
        condition = () if formula.condition is None else (self.logic.term(formula.condition, point),)
        return (*self.domain(formula, point), *condition)

    def certainly_writing(self, formula: Formula, point: Point) -> tuple[Expression, ...]:
        """Return conditions under which a formula writes in a point: guarded indices in branches are in bounds, too."""
        places = [*_places(subterms(*formula.roots))]
        is_counted = any(place.bounds is Bounds.SKIPPED and self.extent(slot, at) is None for slot, place, at in places)
        return (*self.writing(formula, point), *self._guards(places, point), truth(not is_counted))

    def domain(self, formula: Formula, point: Point) -> tuple[Expression, ...]:
        """Return the facts in a point: indices are below their bounds, guarded indices are in bounds."""
        if (formula, point) not in self._domains:
            self._domains[formula, point] = tuple(self._holding(formula, point))
        return self._domains[formula, point]

    def _holding(self, formula: Formula, point: Point) -> Iterator[Expression]:
        yield from self.within_axes(formula, point, len(formula.axes))
        yield from self._guards(_unconditional_places(formula), point)

    def _guards(self, places: Iterable[_Place], point: Point) -> Iterator[Expression]:
        """Yield that guarded indices are in bounds."""
        for slot, place, at in places:
            if place.bounds is Bounds.SKIPPED:
                index, extent = self.logic.term(place.index, point), self.extent(slot, at)
                # An index without a value fails before anything can be skipped.
                defined = all_of(*nonzero_divisors_in(place.index, point, self.logic))
                yield implies(defined, index >= 0)
                if extent is not None:
                    yield implies(defined, index < self.logic.integer(extent))

    def within_axes(self, formula: Formula, point: Point, count: int) -> Iterator[Expression]:
        """Yield that the first indices are within their bounds."""
        for axis, each in enumerate(formula.axes[:count]):
            position = self.logic.axis(point, axis)
            yield position >= 0
            yield position < self.logic.term(each.extent, point)

    def _of_formula(self, formula: Formula) -> Iterator[Goal]:
        yield from self._of_preparations(formula)
        yield from self._of_unread_locals(formula)
        for axis, each in enumerate(formula.axes):
            before = self.within_axes(formula, formula, axis)
            yield from _Walk(self, formula, (*self.facts, *before)).term(each.extent, ())
        walk = _Walk(self, formula, (*self.facts, *self.domain(formula, formula)))
        path: Path = ()
        if formula.condition is not None:
            yield from walk.term(formula.condition, path)
            path = ((formula.condition, True),)
        for write in formula.writes:
            target = formula.node.target
            places = walk.places(write.slot, write.places, path, target)
            # A constant has no index on the left: its bounds are a condition only if they are not its extents.
            yield from (each for each in places if target.indices or not each.holds)
            for term in (*write.place_terms, write.value):
                yield from walk.term(term, path)

    def _of_unread_locals(self, formula: Formula) -> Iterator[Goal]:
        """Yield a goal without an answer for each local value of an unrolled formula that nothing reads and may fail.

        The run evaluates it in each turn, but no term of the formula contains it.
        """
        if formula.node.unroll is None:
            return
        terms = [*subterms(*formula.roots)]
        prepared = [each.node for each in formula.preparations]
        for local in formula.node.locals:
            value = local.value
            is_read = any(_is_within(term, local) for term in terms)
            if (
                not is_read
                and may_fail(value)
                and not any(each.start <= value.start and value.end <= each.end for each in prepared)
            ):
                reason = f"nothing reads '{local.name.text}', which is evaluated in each turn"
                yield Goal(formula.base, local.value, text_of_failure(rules.DIVISION_BY_ZERO), reason=reason)

    def _of_preparations(self, formula: Formula) -> Iterator[Goal]:
        """Yield the conditions of parts that are evaluated before any point, if there is one.

        Conditions that are evaluated before any point, too, keep such a part from being evaluated. Conditions of the
        points protect quotients and powers only: these fail at the points.
        """
        for each in formula.preparations:
            if not may_fail(each.node):
                continue
            known = [(condition, holds) for condition, holds in each.path if is_prepared(formula, condition)]
            facts = (*self.facts, *self.within_axes(formula, formula, each.axes), *self.holding(formula, known))
            late = tuple(self.holding(formula, each.path)) if _may_be_late(each.node) else ()
            for goal in defined_goals(self._specialization.scope, formula.base, each.node, self.logic, facts):
                yield replace(goal, facts=(*goal.facts, *late)) if _LATE.issuperset(goal.breaks) else goal

    def holding(self, formula: Formula, path: Iterable[tuple[Term, bool]]) -> Iterator[Expression]:
        """Yield that the conditions of a path have these values."""
        for condition, value in path:
            holds = self.logic.term(condition, formula)
            if holds.is_condition:
                yield holds if value else negation(holds)

    def extent(self, slot: Slot, at: int) -> Integer | None:
        """Return an extent of a tensor; None if it is counted."""
        if slot.items:
            return shapes.constant(len(slot.items)) if at == 0 else self.extent(slot.items[0], at - 1)
        shape = self._tensors.extents.get(slot)
        extent = None if shape is None else shape[at]
        return extent if isinstance(extent, Integer) else None


class _Walk:
    """The terms of a formula, with the facts where each is computed."""

    def __init__(self, formulas: _Formulas, formula: Formula, facts: tuple[Expression, ...]) -> None:
        self._formulas = formulas
        self._formula = formula
        self._logic = formulas.logic
        self._facts = facts
        self._seen: set[tuple[Term, Path]] = set()

    def places(self, slot: Slot, places: Sequence[IndexTerm], path: Path, node: nodes.Node) -> Iterator[Goal]:
        """Yield that indices are in bounds."""
        for at in range(len(places)):
            yield from self._in_bounds(slot, places, at, path, node)

    def term(self, term: Term, path: Path) -> Iterator[Goal]:
        """Yield the conditions of a term that is computed where the conditions of a path hold."""
        if isinstance(term, Constant | AxisPosition | Next | OpenValue) or (term, path) in self._seen:
            return
        self._seen.add((term, path))
        match term:
            case Read():
                for place in term.places:
                    for each in place.terms:
                        yield from self.term(each, path)
                yield from self.places(term.slot, term.places, path, term.node)
            case ConstantItem():
                yield from self.term(term.index, path)
                yield self._in_pack(term, number(len(term.values)), term.index, path)
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
                yield from self._applied(term, path)

    def _at(self, path: Path) -> tuple[Expression, ...]:
        """Return the facts that hold on a path of conditions."""
        return (*self._facts, *self._formulas.holding(self._formula, path))

    def _prepared(self, term: Term, path: Path) -> tuple[Expression, ...]:
        """Return the facts that hold where an operation is evaluated: before any point, if it needs no point.

        A local value that needs no point is evaluated before the condition after ``|`` and outside of the branches that
        use it: of a path, only the conditions within the local value hold there.
        """
        if not is_prepared(self._formula, term):
            return self._at(path)
        if (local := _local_around(self._formula, term)) is not None:
            path = tuple(each for each in path if _is_within(each[0], local))
        is_late = isinstance(term, Apply) and term.operation in (*DIVIDES, "**")
        formulas, formula = self._formulas, self._formula
        known = ((condition, value) for condition, value in path if is_late or is_prepared(formula, condition))
        return (
            *formulas.facts,
            *formulas.within_axes(formula, formula, len(formula.axes)),
            *formulas.holding(formula, known),
        )

    def _in_bounds(
        self, slot: Slot, places: Sequence[IndexTerm], at: int, path: Path, node: nodes.Node
    ) -> Iterator[Goal]:
        place = places[at]
        if place.bounds is Bounds.SKIPPED or _is_item(place.index):
            return
        formula, logic = self._formula, self._logic
        extent = self._formulas.extent(slot, at)
        dimension = at - _is_item(places[0].index)
        text = index_text(node, slot, dimension)
        if extent is None:
            yield Goal(formula.base, node, text, reason="the extent is counted")
            return
        if _is_plainly_within(formula, place.index, extent):
            yield Goal(formula.base, node, text, holds=True)
            return
        index, most = logic.term(place.index, formula), logic.integer(extent)
        used: list[tuple[Term, tuple[Expression, ...]]]
        if place.bounds is Bounds.REMAPPED and place.below is not None and place.above is not None:
            used = [(place.below, (index < 0,)), (place.above, (index >= most,))]
        else:
            used = [(place.index, ())]
        for term, when in used:
            value = logic.term(term, formula)
            goal = all_of(value >= 0, value < most)
            facts = (*self._at(path), *when)
            mends = bounding_conditions(formula, term, extent)
            yield Goal(formula.base, node, text, facts, goal, reads_data=_reads_data(term), mends=mends)

    def _applied(self, term: Apply, path: Path) -> Iterator[Goal]:
        formula = self._formula
        match term.operation, term.operands:
            case sign, (_, divisor) if sign in DIVIDES and term.dtype == "int":
                goal = negation(equal(self._logic.term(divisor, formula), 0))
                yield Goal(
                    formula.base, term.node, text_of_failure(rules.DIVISION_BY_ZERO), self._prepared(term, path), goal,
                    reads_data=_reads_data(divisor), breaks=(rules.DIVISION_BY_ZERO.name,),
                )  # fmt: skip
            case "**", (_, exponent) if term.dtype == "int":
                goal = self._logic.term(exponent, formula) >= 0
                yield Goal(
                    formula.base, term.node, text_of_failure(rules.NEGATIVE_EXPONENT), self._prepared(term, path), goal,
                    reads_data=_reads_data(exponent), breaks=(rules.NEGATIVE_EXPONENT.name,),
                )  # fmt: skip
            case "int", (operand,) if operand.dtype == "real" and not _is_finite(operand):
                yield Goal(
                    formula.base, term.node, text_of_failure(rules.CAST_TYPE), reason="a real may have no int value",
                )  # fmt: skip
            case "position in pack", (index, count):
                yield self._in_pack(term, self._logic.term(count, formula), index, path)

    def _in_pack(self, term: ConstantItem | Apply, count: Expression, index: Term, path: Path) -> Goal:
        value = self._logic.term(index, self._formula)
        goal = all_of(value + count >= 0, value < count)
        text = "each item is in its pack"
        facts = self._prepared(term, path)
        return Goal(self._formula.base, term.node, text, facts, goal, reads_data=_reads_data(index))


def _may_be_late(node: nodes.Node) -> bool:
    """Return whether a part can be evaluated at the points. Lists and ranges are needed before."""
    return isinstance(node, _ARITHMETIC) and all(isinstance(each, _ARITHMETIC) for each in nodes.descendants(node))


_Place = tuple[Slot, IndexTerm, int]
"""An index, with its tensor and dimension."""


def _skips(formula: Formula) -> bool:
    """Return whether a guarded index may skip points, also one in a branch."""
    places = (*_unconditional_places(formula), *_places(subterms(*formula.roots)))
    return any(place.bounds is Bounds.SKIPPED for _, place, _ in places)


def _unconditional_places(formula: Formula) -> Iterator[_Place]:
    """Yield the indices that are computed at every point."""
    for write in formula.writes:
        yield from ((write.slot, place, at) for at, place in enumerate(write.places))
    yield from _places(unconditional(*formula.roots))


def _places(terms: Iterable[Term]) -> Iterator[_Place]:
    """Yield the indices of the elements that are read."""
    for term in terms:
        if isinstance(term, Read):
            yield from ((term.slot, place, at) for at, place in enumerate(term.places))


def _reads_data(term: Term) -> bool:
    return any(isinstance(each, Read | Next) for each in subterms(term))


def is_prepared(formula: Formula, term: Term) -> bool:
    """Return whether a term is evaluated before any point: no element, and no index that is not unrolled, is in it."""
    if _reads_data(term):
        return False
    unrolled = frozenset[int]().union(*(axis.extent.axes for axis in formula.axes))
    unroll = formula.node.unroll
    if unroll is not None and unroll.name is not None and formula.axes and formula.axes[0].name == unroll.name.text:
        unrolled |= {0}
    return term.axes <= unrolled


def _local_around(formula: Formula, term: Term) -> nodes.Local | None:
    """Return the local value that a term is computed for; None if it stands elsewhere in its formula."""
    return next((each for each in formula.node.locals if _is_within(term, each)), None)


def _is_within(term: Term, local: nodes.Local) -> bool:
    return isinstance(term, Apply) and local.start <= term.node.start and term.node.end <= local.end


def _is_finite(term: Term) -> bool:
    """Return whether a real is a finite number for all data: an int as a real, rounded or not."""
    match term:
        case Apply(operation="real", operands=(operand,)):
            return operand.dtype == "int"
        case Constant(value=float(value)):
            return isfinite(value)
        case Apply(operation="floor" | "ceil" | "round" | "abs" | "sign" | "negate" | "+" | "-" | "*" | "<?" | ">?"):
            return all(map(_is_finite, term.operands))
        case Apply(operation="/", operands=(first, Constant(value=float(value)))):
            return value != 0 and _is_finite(first)
    return False


def _is_plainly_within(formula: Formula, index: Term, extent: Integer) -> bool:
    """Return whether comparing known values shows that an index is in bounds."""
    match index:
        case AxisPosition(axis=axis):
            length = length_of(formula, axis)
            return length is not None and shapes.compare("<=", length, extent) is TRUE
        case Constant(value=int(value)):
            return value >= 0 and shapes.compare("<", shapes.constant(value), extent) is TRUE
    return False


def _is_item(index: Term) -> bool:
    """Return whether an index chooses a tensor of a pack: another goal keeps it in its pack."""
    return isinstance(index, Apply) and index.operation == IN_PACK


def index_text(node: nodes.Node, slot: Slot, dimension: int) -> str:
    """Return the text of the condition that an index of an access is in bounds."""
    return f"the index '{_index_text(node, dimension)}' of '{_plain(slot.name)}' is in bounds"


def _index_text(node: nodes.Node, at: int) -> str:
    index = (
        node.indices[-1]
        if isinstance(node, nodes.Access) and node.indices
        else node.index
        if isinstance(node, nodes.Subscript)
        else None
    )
    if index is None:
        return "…"
    plain = not any(isinstance(each, nodes.Expanded | nodes.Zip) for each in index.items)
    if plain and at < len(index.items):
        return written(index.items[at])
    return written(index).removeprefix("[").removesuffix("]").removesuffix(",")


def _plain(name: str) -> str:
    return name.partition("[")[0]
