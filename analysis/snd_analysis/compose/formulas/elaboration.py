"""The formulas of a specialization: their expressions taken apart, their loops unrolled where need be (2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from math import prod

from snd_analysis import rules
from snd_analysis.compose.formulas.accesses import VariesWith, access, is_pack_index
from snd_analysis.compose.formulas.expressions import Expressions
from snd_analysis.compose.formulas.formula import UNKNOWN_VALUE, Axis, Formula, FormulaFailed, Write
from snd_analysis.compose.formulas.operands import TERMS, Operations, Partial
from snd_analysis.compose.formulas.packing import pack_item
from snd_analysis.compose.formulas.tensors import FormulaTensors
from snd_analysis.compose.formulas.terms import Constant, OpenValue, Slot, Term, Terms
from snd_analysis.compose.limits import LONGEST_PACK, MOST_FORMULAS
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Member
from snd_analysis.model import Place as SourcePlace
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, UNDEFINED, OperationError, Pack, Value, default_value


def elaborate(specialization: Specialization, tensors: FormulaTensors) -> Iterator[Formula]:
    """Yield the formulas in order of execution, unrolled over index bounds and packs of tensors of different shapes.

    Raise FormulaFailed for an expression without a value.
    """
    for base, node in specialization.template.formulas:
        with _placed(specialization, base):
            yield from elaborate_formula(specialization, tensors, base, node)


def elaborate_formula(
    specialization: Specialization, tensors: FormulaTensors, base: int, node: nodes.Lowering
) -> Iterator[Formula]:
    """Yield the formulas that one formula is unrolled into. Raise EvaluationError."""
    for count, formula in enumerate(_Elaboration(specialization, tensors, base, node).formulas()):
        if count >= MOST_FORMULAS:
            message = f"this would have to be unrolled more than {MOST_FORMULAS:,} times"
            raise EvaluationError(node, rules.VALUE_TOO_LARGE, message)
        yield formula


def elaborate_constant(
    specialization: Specialization, tensors: FormulaTensors, member: Member, slot: Slot, item: int | None = None
) -> Formula:
    """Return the formula that gives a constant, or an item of a pack of constants, its values (2.7).

    Raise FormulaFailed if it has none.
    """
    if member.node.default is None:
        place = specialization.template.declared(member.symbol)
        raise FormulaFailed(UNKNOWN_VALUE, f"'{member.name}' has no value", place)
    with _placed(specialization, member.base):
        return constant_formula(specialization, tensors, member, slot, item)


def constant_formula(
    specialization: Specialization, tensors: FormulaTensors, member: Member, slot: Slot, item: int | None
) -> Formula:
    """Return the same for a constant that has a value. Raise EvaluationError."""
    node, default = member.node, member.node.default
    assert default is not None
    target = nodes.Access(node.name.start, node.name.end, node.name, ())
    sign = nodes.Operator(node.name.end, default.start, "=")
    formula = nodes.Lowering(node.start, node.end, None, (), target, sign, default.value, default.bounds, None)
    return _Elaboration(specialization, tensors, member.base, formula).constant(slot, item)


@contextmanager
def _placed(specialization: Specialization, base: int) -> Iterator[None]:
    try:
        yield
    except EvaluationError as error:
        raise FormulaFailed(error.rule, error.message, specialization.template.place(base, error.node)) from None


class _Elaboration:
    def __init__(
        self, specialization: Specialization, tensors: FormulaTensors, base: int, node: nodes.Lowering
    ) -> None:
        self._specialization = specialization
        self._tensors = tensors
        self._terms = Terms()
        self._operations = Operations(self._terms)
        self._base = base
        self._node = node
        self._fixed: list[tuple[str, int]] = []
        self._stacks_open = False
        self._turns: tuple[Axis, ...] = ()
        """The axis along which a loop is unrolled whose number of turns is not known."""

    def formulas(self) -> Iterator[Formula]:
        unroll = self._node.unroll
        if unroll is None:
            yield from self._unrolled({})
            return
        expressions = self._expressions()
        count = expressions.evaluate(unroll.count)
        if isinstance(count, OpenValue) and self._tensors.is_general:
            # Each turn of the loop is a point along one more axis.
            name = "" if unroll.name is None else unroll.name.text
            self._turns = (Axis(name, count),)
            position = self._terms.position(0)
            yield from self._unrolled({} if unroll.name is None else {self._symbol(unroll.name): position})
            return
        if not isinstance(count, Integer) or count.value is None:
            raise EvaluationError(unroll.count, UNKNOWN_VALUE, "how often to unroll must be known")
        if count.value < 0:
            raise EvaluationError(unroll.count, rules.LOOP_COUNT, rules.control_flow.negative_count(count))
        if count.value > MOST_FORMULAS:
            message = f"a formula is unrolled {MOST_FORMULAS:,} times at most, but here {count.value:,} times"
            raise EvaluationError(unroll.count, rules.LOOP_COUNT, message)
        for at in range(count.value):
            if unroll.name is None:
                yield from self._unrolled({})
                continue
            self._fixed = [(unroll.name.text, at)]
            yield from self._unrolled({self._symbol(unroll.name): shapes.constant(at)})

    def _expressions(self) -> Expressions:
        expressions = Expressions(self._specialization, self._tensors, self._terms)
        expressions.stacks_open = self._stacks_open
        return expressions

    def _symbol(self, name: nodes.Name) -> Symbol:
        symbol = self._specialization.template.resolution.targets.get(name)
        if not isinstance(symbol, Symbol):
            raise EvaluationError(name, UNKNOWN_VALUE, f"'{name.text}' stands for nothing")
        return symbol

    # ---- unrolling ---------------------------------------------------------------------------------------------------
    def _unrolled(self, bindings: dict[Symbol, Value], fixed: dict[int, int] | None = None) -> Iterator[Formula]:
        """Yield the formula, or one for each position along the axes that something depends on that must be known."""
        try:
            formula = self._formula(bindings, fixed or {})
        except VariesWith as varies:
            if self._turns:
                raise EvaluationError(varies.node, UNKNOWN_VALUE, "how often to unroll must be known") from None
            yield from self._unrolled_along(bindings, fixed or {}, varies)
        else:
            if formula is not None:
                yield formula

    def _unrolled_along(
        self, bindings: dict[Symbol, Value], fixed: dict[int, int], varies: VariesWith
    ) -> Iterator[Formula]:
        axis = max(varies.axes) if not self._is_ordered() else min(set(range(max(varies.axes) + 1)) - fixed.keys())
        names = [*self._names(bindings, fixed)]
        extent = names[axis][1]
        if not isinstance(extent, Constant) and self._tensors.is_general and not self._stacks_open:
            self._stacks_open = True
            yield from self._unrolled(bindings, fixed)
            return
        if not isinstance(extent, Constant):
            message = f"the bound of '{names[axis][0]}' must be known: something of a different kind depends on it"
            raise EvaluationError(varies.node, UNKNOWN_VALUE, message)
        for at in range(int(extent.value)):
            yield from self._unrolled(bindings, {**fixed, axis: at})

    def _is_ordered(self) -> bool:
        """Return whether the order of the loops matters."""
        return self._node.operator.text == ":=" or bool(self._tensors.counters)

    def _names(self, bindings: dict[Symbol, Value], fixed: dict[int, int]) -> Iterator[tuple[str, Term]]:
        """Yield names and extents of axes, as far as the latter are known."""
        expressions = self._expressions()
        expressions.bindings.update(bindings)
        count = 0
        for bound in self._node.bounds:
            try:
                extents = self._extents(expressions, bound)
            except VariesWith:
                return
            yield from extents
            self._bind(expressions, bound, [*range(count, count + len(extents))], fixed)
            count += len(extents)

    # ---- one formula -------------------------------------------------------------------------------------------------
    def _formula(self, bindings: dict[Symbol, Value], fixed: dict[int, int]) -> Formula | None:
        node = self._node
        expressions = self._expressions()
        expressions.bindings.update(bindings)
        axes: list[Axis] = [*self._turns]
        for bound in node.bounds:
            expressions.axes = len(axes)
            extents = self._extents(expressions, bound)
            for name, extent in extents:
                at = fixed.get(len(axes))
                if extent.axes and at is None and not self._tensors.is_general:
                    raise VariesWith(bound, extent.axes)
                if isinstance(extent, OpenValue) and not extent.is_positive and not self._tensors.is_general:
                    raise EvaluationError(bound, UNKNOWN_VALUE, "whether this index takes any value is not known")
                axes.append(Axis(name, self._terms.constant("int", 1) if at is not None else extent))
                if isinstance(extent, Constant) and int(extent.value) <= 0:
                    # It never runs, so what it says of items that aren't there doesn't matter.
                    return self._without_points(expressions, axes)
            self._bind(expressions, bound, [*range(len(axes) - len(extents), len(axes))], fixed)
        expressions.axes = len(axes)
        for local in node.locals:
            expressions.bindings[self._symbol(local.name)] = expressions.evaluate(local.value)
        condition = None
        if node.condition is not None:
            value = expressions.evaluate(node.condition)
            if value is shapes.FALSE:
                return self._without_points(expressions, axes)
            if value is not shapes.TRUE:
                condition = self._term(expressions, node.condition, value)
        try:
            with expressions.where(shapes.TRUE if condition is None else condition):
                writes = self._writes(expressions)
        except EvaluationError as error:
            if expressions.late is None or error.rule != UNKNOWN_VALUE:
                raise
            raise expressions.late from None  # the value is needed before any point
        if not writes:
            return self._without_points(expressions, axes)
        return Formula(
            tuple(axes), node.operator.text, writes, condition, node, self._base, self._place(node),
            (*self._fixed, *((axes[axis].name, at) for axis, at in sorted(fixed.items()))),
            tuple(expressions.preparations),
        )  # fmt: skip

    def _without_points(self, expressions: Expressions, axes: Sequence[Axis]) -> Formula | None:
        """Return a formula that writes nothing, with the preparations before its points; None if there are none."""
        if not expressions.preparations:
            return None
        return Formula(
            tuple(axes), self._node.operator.text, (), None, self._node, self._base, self._place(self._node),
            preparations=tuple(expressions.preparations),
        )  # fmt: skip

    def constant(self, slot: Slot, item: int | None) -> Formula:
        """Return the values of a constant, row-major in the order of its bounds; else one for all, or a list of them.

        Each item of a pack of constants has one value for all of its elements.
        """
        node = self._node
        expressions = self._expressions()
        axes: list[Axis] = []
        for bound in node.bounds:
            expressions.axes = len(axes)
            extents = self._extents(expressions, bound)
            axes += [Axis(name, extent) for name, extent in extents]
            self._bind(expressions, bound, [*range(len(axes) - len(extents), len(axes))], {})
        expressions.axes = len(axes)
        try:
            value = expressions.evaluate(node.value)
        except EvaluationError:
            value, axes = self._written_out(expressions, axes), []
        if item is not None and isinstance(value, Pack) and value.items is not None:
            value = value.items[item]
        if not axes:
            if isinstance(value, Pack) and 0 in slot.shape:
                value = default_value(slot.dtype)  # of no element
            if isinstance(value, Pack):
                try:
                    value = self._operations.item(node.value, value.items or (), self._row_major(slot))
                except OperationError as failure:
                    raise expressions.blamed(node.value, failure) from None
            axes = [
                Axis(f"{slot.name}[{at}]", self._terms.constant("int", extent or 0))
                for at, extent in enumerate(slot.shape)
            ]
        places = tuple(self._terms.place(self._terms.position(axis)) for axis in range(len(axes)))
        write = Write(slot, places, self._term(expressions, node.value, value, slot.dtype))
        return Formula(
            tuple(axes), "=", (write,), None, node, self._base, self._place(node),
            preparations=tuple(expressions.preparations),
        )  # fmt: skip

    def _written_out(self, expressions: Expressions, axes: Sequence[Axis]) -> Value:
        """Return the values of a constant at all points: its indices are compile-time values (2.7).

        Raise EvaluationError for the value that fails.
        """
        counts = [int(axis.extent.value) for axis in axes if isinstance(axis.extent, Constant)]
        if len(counts) < len(axes) or not axes:
            return expressions.evaluate(self._node.value)
        if prod(counts) > LONGEST_PACK:
            message = (
                f"the elements of this constant are computed one by one, {LONGEST_PACK:,} at most, but it has "
                f"{prod(counts):,}"
            )
            raise EvaluationError(self._node.value, rules.VALUE_TOO_LARGE, message)
        values = []
        for point in product(*map(range, counts)):
            self._bind_all(expressions, dict(enumerate(point)))
            values.append(expressions.evaluate(self._node.value))
        return Pack(values)

    def _bind_all(self, expressions: Expressions, fixed: dict[int, int]) -> None:
        """Bind the indices of a constant at a point."""
        count = 0
        for bound in self._node.bounds:
            extents = self._extents(expressions, bound)
            self._bind(expressions, bound, [*range(count, count + len(extents))], fixed)
            count += len(extents)

    def _row_major(self, slot: Slot) -> Term:
        index: Value = shapes.constant(0)
        for at, extent in enumerate(slot.shape):
            scaled = self._operations.binary("*", self._node, index, shapes.constant(extent or 0))
            index = self._operations.binary("+", self._node, scaled, self._terms.position(at))
        return self._operations.term(index)

    def _place(self, node: nodes.Node) -> SourcePlace:
        return self._specialization.template.place(self._base, node)

    def _extents(self, expressions: Expressions, bound: nodes.IndexBound) -> list[tuple[str, Term]]:
        value = expressions.evaluate(bound.bound)
        if not isinstance(value, Pack):
            return [(bound.name.text, self._term(expressions, bound.bound, value, "int"))]
        if value.items is None or len(value.items) > LONGEST_PACK:
            raise EvaluationError(bound.bound, UNKNOWN_VALUE, "the number of indices must be known, and small")
        extents = [self._term(expressions, bound.bound, item, "int") for item in value.items]
        return [(f"{bound.name.text}[{at}]", extent) for at, extent in enumerate(extents)]

    def _bind(self, expressions: Expressions, bound: nodes.IndexBound, axes: list[int], fixed: dict[int, int]) -> None:
        positions: list[Value] = [
            shapes.constant(fixed[axis]) if axis in fixed else self._terms.position(axis) for axis in axes
        ]
        is_pack = isinstance(expressions.evaluate(bound.bound), Pack)
        expressions.bindings[self._symbol(bound.name)] = Pack(positions, dtype="int") if is_pack else positions[0]

    def _writes(self, expressions: Expressions) -> tuple[Write, ...]:
        node = self._node
        symbol = self._symbol(node.target.name)
        target = self._tensors.values.get(symbol, UNDEFINED)
        if target is UNDEFINED:
            raise EvaluationError(node.target, UNKNOWN_VALUE, "how many tensors there are is not known")
        for index in node.target.indices[:-1]:
            subscript = nodes.Subscript(node.target.start, node.target.end, _name_of(node.target), index)
            assert is_pack_index(index)
            try:
                target = pack_item(expressions, subscript, target, index)
            except OperationError as failure:
                raise expressions.blamed(subscript, failure) from None
        value = expressions.evaluate(node.value)
        if target is NULL:
            return ()
        elements = access(expressions, node.target, target, node.target.indices[-1])
        if elements is None:
            raise EvaluationError(node.target, rules.NULL_NOT_ALLOWED, "an index of the left side is null")
        if value is NULL or isinstance(value, Partial):
            raise EvaluationError(node.value, rules.NULL_NOT_ALLOWED, "the right side of the formula is null")
        values: tuple[Value, ...] = (value,) * len(elements.items)
        if isinstance(value, Pack):
            given = value.items
            if not elements.is_pack or given is None or len(given) != len(elements.items):
                message = f"{value.length} values can't be assigned to {len(elements.items)} elements"
                raise EvaluationError(node.value, rules.LENGTH_MISMATCH, message)
            values = given
        return tuple(
            Write(slot, places, self._term(expressions, node.value, one, slot.dtype))
            for (slot, places), one in zip(elements.items, values, strict=True)
        )

    def _term(self, expressions: Expressions, node: nodes.Node, value: Value, dtype: str | None = None) -> Term:
        if value is NULL or isinstance(value, Partial):
            raise EvaluationError(node, rules.NULL_NOT_ALLOWED, "this is null")
        if not isinstance(value, TERMS) and not isinstance(value, Pack | Slot):
            return expressions.term(node, value, dtype)
        if isinstance(value, TERMS):
            return value
        raise EvaluationError(node, rules.UNEXPECTED_PACK, "this is not a single value")


def _name_of(target: nodes.Access) -> nodes.Qualified:
    return nodes.Qualified(target.name.start, target.name.end, (target.name,))


__all__ = ["elaborate"]
