"""Formulas (2.12) as nodes: every term becomes a tensor over the index space, every write a reshape or a scatter.

Values that are the same in every run are computed here, with the arithmetic of the runtime, so that indices and masks
that depend on no data are constants. A sum of products becomes an Einsum.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from onnx import TensorProto

from snd_analysis.compose.formulas import (
    Analysis,
    Apply,
    AxisPosition,
    Bounds,
    Constant,
    ConstantItem,
    Formula,
    FormulaFailed,
    FormulaTensors,
    IndexTerm,
    Read,
    Slot,
    Term,
    Write,
    elaborate,
)
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import entries_of
from snd_analysis.symbolic.values import NULL, Pack
from snd_runtime.errors import EvaluationFailed
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering import constant_values
from snd_runtime.lowering.arithmetic import COMPARISONS, INTEGER_OPERATIONS, LOGIC, REAL_OPERATIONS, cast
from snd_runtime.lowering.domains import points_in_order
from snd_runtime.lowering.sequence import parallel_axes
from snd_runtime.lowering.writing import ACCUMULATORS, identity
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import NUMPY
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.limits import MOST_STEPS
from snd_server.exchange.onnx_export.scope import TYPES, NodeScope, rounded

Array: TypeAlias = np.ndarray[Any, Any]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_REDUCTIONS = {"+=": "ReduceSum", "*=": "ReduceProd", "<?=": "ReduceMin", ">?=": "ReduceMax"}
_COMBINING = {"+=": "Add", "*=": "Mul", "<?=": "Min", ">?=": "Max", "&=": "And", "|=": "Or"}
_SCATTERING = {"+=": "add", "*=": "mul", "<?=": "min", ">?=": "max", "&=": "min", "|=": "max"}
_REAL = {
    "+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "**": "Pow", "negate": "Neg", "<?": "Min", ">?": "Max",
    "abs": "Abs", "sign": "Sign", "sqrt": "Sqrt", "exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos",
    "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh",
    "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh", "erf": "Erf", "floor": "Floor", "ceil": "Ceil",
}  # fmt: skip
_INT = {
    "+": "Add", "-": "Sub", "*": "Mul", "%": "Mod", "**": "Pow", "negate": "Neg", "<?": "Min", ">?": "Max",
    "abs": "Abs", "sign": "Sign",
}  # fmt: skip
_COMPARISON = {"<": "Less", "<=": "LessOrEqual", ">": "Greater", ">=": "GreaterOrEqual", "==": "Equal"}
_LOGIC = {"&&": "And", "||": "Or", "^": "Xor", "all": "And", "any": "Or"}


class FixedValue(Struct, frozen=True, eq=False):
    """A value that is the same in every run, over the space: extents of 1 where it does not vary."""

    array: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)


class ComputedValue(Struct, frozen=True, eq=False):
    """A value that nodes compute, over the space."""

    name: str
    shape: tuple[int, ...]


SpaceValue: TypeAlias = "FixedValue | ComputedValue"


def write_formulas(call: ScopedCall) -> None:
    """Write an operator by its formulas. Raise Unsuitable."""
    try:
        _Writer(call).write()
    except (FormulaFailed, EvaluationFailed) as failed:
        raise Unsuitable(failed.message) from None


class _Writer:
    """The current tensors of one operator, formula by formula."""

    def __init__(self, call: ScopedCall) -> None:
        self.call = call
        self.scope = call.scope
        self.tensors = FormulaTensors(call.callee)
        self.contents: dict[Slot, str] = {}

    def write(self) -> None:
        call, template = self.call, self.call.callee.template
        for at, member in enumerate(template.inputs):
            self._give(member.symbol, call.items(at))
        for member in template.variables:
            names = self.scope.variable(member.name)
            assert names is not None, "what writes the function gives its variables names"
            self._give(member.symbol, names)
        if template.constants:
            found = constant_values(call.callee, np.dtype(np.float32), Budget(Limits()))
            for member in template.constants:
                value = found[member.name]
                arrays = [value] if isinstance(value, np.ndarray) else list(value or ())
                self._give(member.symbol, [self.scope.constant(each, each.dtype) for each in arrays])
        operators = {
            target: node.operator.text
            for _, node in entries_of(template.definition, nodes.BlockKind.LOWER, nodes.Lowering)
            if isinstance(target := template.resolution.targets.get(node.target.name), Symbol)
        }
        self.starts = {
            slot: operators.get(member.symbol, "=")
            for member in template.outputs
            for slot in self._slots(member.symbol)
        }
        for formula in elaborate(call.callee, self.tensors):
            self._formula(formula)
        for member, names in zip(template.outputs, call.names, strict=True):
            for slot, name in zip(self._slots(member.symbol), names, strict=True):
                self.scope.node("Identity", [self.content(slot)], name)

    def _slots(self, symbol: Symbol) -> list[Slot]:
        value = self.tensors.values[symbol]
        return [each for each in (value.segments if isinstance(value, Pack) else (value,)) if isinstance(each, Slot)]

    def _give(self, symbol: Symbol, names: Sequence[str]) -> None:
        if self.tensors.values[symbol] is not NULL:
            self.contents.update(zip(self._slots(symbol), names, strict=True))

    def content(self, slot: Slot) -> str:
        """Return the name of the current value of a tensor."""
        if slot not in self.contents:
            if slot.items:
                axes = self.scope.constant([0])
                parts = [self.scope.node("Unsqueeze", [self.content(item), axes]) for item in slot.items]
                return self.scope.node("Concat", parts, axis=0)
            return self.scope.constant(self._start(slot), NUMPY[slot.dtype])
        return self.contents[slot]

    def _start(self, slot: Slot) -> Array:
        dtype = np.dtype(NUMPY[slot.dtype])
        operator = self.starts.get(slot, "=")
        start = identity(operator, dtype) if operator in ACCUMULATORS else "" if slot.dtype == "str" else dtype.type(0)
        return np.full(extents_of(slot), start, dtype)

    def store(self, slot: Slot, name: str) -> None:
        """Let a tensor be this from now on."""
        self.contents[slot] = name
        for at, item in enumerate(slot.items):
            self.contents[item] = self.scope.node("Gather", [name, self.scope.constant(at)], axis=0)
        for other in self.contents.keys() - {slot}:
            if slot in other.items:
                del self.contents[other]

    def _formula(self, formula: Formula) -> None:
        if formula.counters:
            raise Unsuitable("the number of its results depends on data")
        lengths = []
        for axis in formula.axes:
            if not isinstance(axis.extent, Constant):
                raise Unsuitable("an index runs as far as the data say")
            lengths.append(max(int(axis.extent.value), 0))
        if 0 in lengths:
            return
        if next(formula.own_reads(), None) is None:
            _Space(self, formula, [(0, length) for length in lengths]).run()
            return
        parallel = parallel_axes(Analysis(lengths), formula)
        steps = [1 if axis in parallel else length for axis, length in enumerate(lengths)]
        if prod(steps) > MOST_STEPS:
            raise Unsuitable(f"it takes {prod(steps):,} steps, each of which depends on those before")
        for position in points_in_order(steps):
            ranges = [
                (0, length) if axis in parallel else (position[axis], position[axis] + 1)
                for axis, length in enumerate(lengths)
            ]
            _Space(self, formula, ranges).run()


def extents_of(slot: Slot) -> tuple[int, ...]:
    """Return the extents of a tensor. Raise Unsuitable if one is counted."""
    found = tuple(extent for extent in slot.shape if extent is not None)
    if len(found) != slot.rank:
        raise Unsuitable(f"the extents of '{slot.name}' depend on data")
    return found


class _Space:
    """A formula over a part of its index space: terms become values over it."""

    def __init__(self, writer: _Writer, formula: Formula, ranges: Sequence[tuple[int, int]]) -> None:
        self.writer = writer
        self.scope: NodeScope = writer.scope
        self.formula = formula
        self.ranges = ranges
        self.shape = tuple(stop - start for start, stop in ranges)
        self._values: dict[Term, SpaceValue] = {}
        self._masks: list[SpaceValue] = []
        self._branch: SpaceValue | None = None

    # ---- running -----------------------------------------------------------------------------------------------------
    def run(self) -> None:
        made = []
        for write in self.formula.writes:
            self._masks, self._values = [], {}
            if self._contracted(write):
                continue
            if self.formula.condition is not None:
                self._demand(self.value(self.formula.condition))
            places = [self._index(write.slot, place, at) for at, place in enumerate(write.places)]
            value = self.value(write.value)
            made.append((write.slot, places, value, list(self._masks)))
        every = [mask for *_, masks in made for mask in masks]
        for slot, places, value, _ in made:
            self._write(slot, places, value, self._together(every))

    def _demand(self, mask: SpaceValue) -> None:
        """Skip the points at which this does not hold; within a branch, where the branch is taken."""
        if self._branch is not None:
            mask = self.apply("=>", "bool", [self._branch, mask])
        if not isinstance(mask, FixedValue) or not mask.array.all():
            self._masks.append(mask)

    def _together(self, masks: Sequence[SpaceValue]) -> SpaceValue | None:
        found: SpaceValue | None = None
        for mask in masks:
            found = mask if found is None else self.apply("&&", "bool", [found, mask])
        return None if isinstance(found, FixedValue) and found.array.all() else found

    # ---- values ------------------------------------------------------------------------------------------------------
    def name(self, value: SpaceValue) -> str:
        """Return the name of a value."""
        return value.name if isinstance(value, ComputedValue) else self.scope.constant(value.array, value.array.dtype)

    def value(self, term: Term) -> SpaceValue:
        """Return the value of a term over the space."""
        # Skipped points depend on the branch.
        if self._branch is not None:
            return self._computed(term)
        if term not in self._values:
            self._values[term] = self._computed(term)
        return self._values[term]

    def _computed(self, term: Term) -> SpaceValue:
        ones = (1,) * len(self.shape)
        match term:
            case Constant():
                return FixedValue(np.full(ones, term.value, NUMPY[term.dtype]))
            case AxisPosition():
                start, stop = self.ranges[term.axis]
                shape = [1] * len(self.shape)
                shape[term.axis] = stop - start
                return FixedValue(np.arange(start, stop, dtype=np.int64).reshape(shape))
            case Read():
                return self._read(term)
            case ConstantItem():
                index = self._in_pack(self.value(term.index), len(term.values))
                values = np.asarray(term.values, NUMPY[term.dtype])
                if isinstance(index, FixedValue):
                    return FixedValue(values[index.array])
                table = self.scope.constant(values, NUMPY[term.dtype])
                return ComputedValue(self.scope.node("Gather", [table, index.name], axis=0), index.shape)
            case Apply():
                return self._applied(term)
        raise Unsuitable("its results are counted")

    def _applied(self, term: Apply) -> SpaceValue:
        operation = term.operation
        if operation in ("select", "&&", "||", "=>"):
            return self._short_circuited(term)
        operands = [self.value(operand) for operand in term.operands]
        if operation == "position in pack":
            assert isinstance(operands[1], FixedValue)
            return self._in_pack(operands[0], int(operands[1].array.reshape(-1)[0]))
        if operation == "pick":
            return self._where(operands[0], operands[1], operands[2], term.dtype)
        return self.apply(operation, term.dtype, operands, [operand.dtype for operand in term.operands])

    def _short_circuited(self, term: Apply) -> SpaceValue:
        first, *rest = term.operands
        condition = self.value(first)
        if term.operation != "select":
            when = self.apply("not", "bool", [condition]) if term.operation == "||" else condition
            return self.apply(term.operation, "bool", [condition, self._in_branch(when, rest[0])])
        if isinstance(condition, FixedValue) and condition.array.all():
            return self._in_branch(condition, rest[0])
        if isinstance(condition, FixedValue) and not condition.array.any():
            return self._in_branch(self.apply("not", "bool", [condition]), rest[1])
        consequent = self._in_branch(condition, rest[0])
        alternative = self._in_branch(self.apply("not", "bool", [condition]), rest[1])
        return self._where(condition, consequent, alternative, term.dtype)

    def _in_branch(self, when: SpaceValue, term: Term) -> SpaceValue:
        around = self._branch
        self._branch = when if around is None else self.apply("&&", "bool", [around, when])
        try:
            return self.value(term)
        finally:
            self._branch = around

    def _where(self, condition: SpaceValue, a: SpaceValue, b: SpaceValue, dtype: str) -> SpaceValue:
        if isinstance(condition, FixedValue) and isinstance(a, FixedValue) and isinstance(b, FixedValue):
            return FixedValue(np.where(condition.array, a.array, b.array))
        shape = np.broadcast_shapes(condition.shape, a.shape, b.shape)
        if dtype != "bool":
            names = [self.name(each) for each in (condition, a, b)]
            return ComputedValue(self.scope.node("Where", names), shape)
        both = self.apply("&&", "bool", [condition, a])
        neither = self.apply("&&", "bool", [self.apply("not", "bool", [condition]), b])
        return self.apply("||", "bool", [both, neither])

    def _in_pack(self, index: SpaceValue, count: int) -> SpaceValue:
        """Return an index counted from the start of a pack."""
        if isinstance(index, FixedValue):
            return FixedValue(np.where(index.array < 0, index.array + count, index.array))
        negative = self.apply("<", "bool", [index, self._scalar(0)], ["int", "int"])
        return self._where(negative, self.apply("+", "int", [index, self._scalar(count)]), index, "int")

    def _scalar(self, number: int) -> FixedValue:
        return FixedValue(np.full((1,) * len(self.shape), number, np.int64))

    def apply(
        self, operation: str, dtype: str, operands: Sequence[SpaceValue], dtypes: Sequence[str] | None = None
    ) -> SpaceValue:
        """Return the value of an operation: computed now if its operands are known."""
        given = dtypes or [dtype] * len(operands)
        shape = np.broadcast_shapes(*(operand.shape for operand in operands))
        if all(isinstance(operand, FixedValue) for operand in operands):
            with np.errstate(all="ignore"):
                return FixedValue(_folded(operation, dtype, [each.array for each in operands]))  # type: ignore[union-attr]
        if operation in _COMPARISON or operation == "!=":
            operands = self._alike(operands, given)
        names = [self.name(operand) for operand in operands]
        return ComputedValue(self._nodes(operation, dtype, names, given), shape)

    def _alike(self, operands: Sequence[SpaceValue], dtypes: Sequence[str]) -> Sequence[SpaceValue]:
        """Cast values to one type: ONNX compares numbers of one type only."""
        if len(set(dtypes)) == 1:
            if dtypes[0] == "bool":
                return [self.apply("int", "int", [each], ["bool"]) for each in operands]
            return operands
        return [self.apply("real", "real", [each], [own]) for each, own in zip(operands, dtypes, strict=True)]

    def _nodes(self, operation: str, dtype: str, names: list[str], dtypes: Sequence[str]) -> str:
        scope = self.scope
        if operation in TYPES:
            if operation == "str" or dtypes[0] == "str":
                raise Unsuitable("ONNX writes numbers in another way")
            return scope.node("Cast", names, to=TYPES[operation])
        if operation == "!=":
            return scope.node("Not", [scope.node("Equal", names)])
        if operation == "=>":
            return scope.node("Or", [scope.node("Not", names[:1]), names[1]])
        if operation == "not":
            return scope.node("Not", names)
        kind = _COMPARISON.get(operation) or _LOGIC.get(operation)
        if kind is None and dtype == "real":
            kind = _REAL.get(operation)
            if operation == "round":
                return rounded(scope, names[0])
            if operation == "frac":
                rest = scope.node("Sub", [names[0], self._truncated(names[0])])  # of an infinity, this is NaN
                return scope.node("Where", [scope.node("IsInf", names), scope.constant(0.0, np.float32), rest])
        elif kind is None and dtype == "int":
            kind = _INT.get(operation)
            if operation in ("/", "\\"):
                return self._quotient(names, operation)
        if kind is None:
            raise Unsuitable(f"there is no node for '{operation}'")
        return scope.node(kind, names)

    def _truncated(self, name: str) -> str:
        scope = self.scope
        return scope.node("Mul", [scope.node("Sign", [name]), scope.node("Floor", [scope.node("Abs", [name])])])

    def _quotient(self, names: list[str], operation: str) -> str:
        """Divide and round down, or up; ONNX rounds towards zero, and its remainder has the sign of the divisor."""
        scope, (a, b) = self.scope, names
        quotient = scope.node("Div", [scope.node("Sub", [a, scope.node("Mod", [a, b])]), b])
        if operation == "/":
            return quotient
        exact = scope.node("Equal", [scope.node("Mul", [quotient, b]), a])
        more = scope.node("Cast", [scope.node("Not", [exact])], to=TensorProto.INT64)
        return scope.node("Add", [quotient, more])

    # ---- reading -----------------------------------------------------------------------------------------------------
    def _index(self, slot: Slot, place: IndexTerm, dimension: int) -> SpaceValue:
        """Return an index, within bounds; where a guarded one is not, the point is skipped."""
        extent = extents_of(slot)[dimension]
        index = self.value(place.index)
        if place.bounds is Bounds.REMAPPED and place.below is not None and place.above is not None:
            low = self.apply("<", "bool", [index, self._scalar(0)], ["int", "int"])
            high = self.apply(">=", "bool", [index, self._scalar(extent)], ["int", "int"])
            below, above = self.value(place.below), self.value(place.above)
            index = self._where(low, below, self._where(high, above, index, "int"), "int")
        elif place.bounds is Bounds.SKIPPED:
            inside = self.apply(
                "&&",
                "bool",
                [
                    self.apply(">=", "bool", [index, self._scalar(0)], ["int", "int"]),
                    self.apply("<", "bool", [index, self._scalar(extent)], ["int", "int"]),
                ],
            )
            self._demand(inside)
        if isinstance(index, FixedValue):
            return FixedValue(np.clip(index.array, 0, max(extent - 1, 0)))
        if place.bounds is Bounds.SKIPPED or self._branch is not None or self._masks:
            index = self.apply(">?", "int", [index, self._scalar(0)])
            index = self.apply("<?", "int", [index, self._scalar(max(extent - 1, 0))])
        return index

    def _read(self, term: Read) -> SpaceValue:
        slot = term.slot
        shape = extents_of(slot)
        indices = [self._index(slot, place, at) for at, place in enumerate(term.places)]
        name = self.writer.content(slot)
        rank = len(self.shape)
        if prod(shape) == 0:
            return FixedValue(np.zeros((1,) * rank, NUMPY[slot.dtype]))
        varying = [tuple(axis for axis in range(rank) if index.shape[axis] > 1) for index in indices]
        flat = [axis for axes in varying for axis in axes]
        if len(set(flat)) == len(flat):
            return self._read_by_dimension(name, shape, indices, varying)
        linear = self._linear(indices, shape)
        found = self.scope.node("Reshape", [name, self.scope.constant([-1])])
        return ComputedValue(self.scope.node("Gather", [found, self.name(linear)], axis=0), linear.shape)

    def _read_by_dimension(
        self, name: str, shape: Sequence[int], indices: Sequence[SpaceValue], varying: Sequence[tuple[int, ...]]
    ) -> SpaceValue:
        """Gather dimensions whose indices depend on different axes one after the other, from the last."""
        scope, rank = self.scope, len(self.shape)
        for at in reversed(range(len(shape))):
            index = indices[at]
            narrow = tuple(index.shape[axis] for axis in varying[at])
            if isinstance(index, FixedValue):
                along = index.array.reshape(narrow)
                if len(narrow) == 1 and np.array_equal(along, np.arange(shape[at])):
                    continue
                if not narrow and shape[at] == 1:
                    name = scope.node("Squeeze", [name, scope.constant([at])])
                    continue
                chosen = scope.constant(along)
            else:
                chosen = scope.node("Reshape", [index.name, scope.constant(np.array(narrow, np.int64))])
            name = scope.node("Gather", [name, chosen], axis=at)
        order = [axis for axes in varying for axis in axes]
        if order != sorted(order):
            name = scope.node("Transpose", [name], perm=[order.index(axis) for axis in sorted(order)])
        wide = tuple(self.shape[axis] if axis in order else 1 for axis in range(rank))
        missing = [axis for axis in range(rank) if axis not in order]
        if missing:
            name = scope.node("Unsqueeze", [name, scope.constant(missing)])
        return ComputedValue(name, wide)

    def _linear(self, indices: Sequence[SpaceValue], shape: Sequence[int]) -> SpaceValue:
        total: SpaceValue = self._scalar(0)
        for at, index in enumerate(indices):
            step = prod(shape[at + 1 :])
            scaled = index if step == 1 else self.apply("*", "int", [index, self._scalar(step)])
            is_zero = isinstance(total, FixedValue) and total.array.size == 1 and not total.array.any()
            total = scaled if is_zero else self.apply("+", "int", [total, scaled])
        return total

    # ---- writing -----------------------------------------------------------------------------------------------------
    def _contracted(self, write: Write) -> bool:
        """Write a sum of products as an Einsum; false if it is none."""
        if self.formula.operator != "+=" or self.formula.condition is not None:
            return False
        factors = _factors(write.value)
        if len(factors) < 2 or len(self.shape) > len(_LETTERS):
            return False
        places = [self._index(write.slot, place, at) for at, place in enumerate(write.places)]
        if self._masks:
            self._masks, self._values = [], {}
            return False
        values = []
        for factor in factors:
            value = self.value(factor)
            if self._masks:  # skipped points add zero
                mask = self._together(self._masks)
                self._masks = []
                if mask is not None:
                    zero = FixedValue(np.zeros((1,) * len(self.shape), NUMPY[factor.dtype]))
                    value = self._where(mask, value, zero, factor.dtype)
            values.append(value)
        target = sorted({axis for index in places for axis in range(len(self.shape)) if index.shape[axis] > 1})
        equations, names = [], []
        scale = 1
        for value in values:
            axes = [axis for axis in range(len(self.shape)) if value.shape[axis] > 1]
            equations.append("".join(_LETTERS[axis] for axis in axes))
            narrow = self.scope.constant(np.array([value.shape[axis] for axis in axes], np.int64))
            names.append(self.scope.node("Reshape", [self.name(value), narrow]))
        used = {axis for value in values for axis in range(len(self.shape)) if value.shape[axis] > 1}
        scale = prod(self.shape[axis] for axis in range(len(self.shape)) if axis not in used and axis not in target)
        result = [axis for axis in target if axis in used]
        equation = f"{','.join(equations)}->{''.join(_LETTERS[axis] for axis in result)}"
        name = self.scope.node("Einsum", names, equation=equation)
        if scale != 1:
            name = self.scope.node("Mul", [name, self.scope.constant(scale, NUMPY[write.value.dtype])])
        shape = tuple(self.shape[axis] if axis in result else 1 for axis in range(len(self.shape)))
        name = self.scope.node("Reshape", [name, self.scope.constant(np.array(shape, np.int64))])
        self._write(write.slot, places, ComputedValue(name, shape), None, reduced=True)
        return True

    def _write(
        self,
        slot: Slot,
        places: Sequence[SpaceValue],
        value: SpaceValue,
        mask: SpaceValue | None,
        *,
        reduced: bool = False,
    ) -> None:
        """Write a value at places; points where the mask does not hold write nothing."""
        operator = self.formula.operator
        shape = extents_of(slot)
        accumulates = operator in ACCUMULATORS
        linear = self._linear(places, shape)
        target = [axis for axis in range(len(self.shape)) if linear.shape[axis] > 1]
        others = [axis for axis in range(len(self.shape)) if self.shape[axis] > 1 and axis not in target]
        if accumulates:
            if mask is not None:
                neutral = identity(operator, np.dtype(NUMPY[slot.dtype]))
                start = FixedValue(np.full((1,) * len(self.shape), neutral, NUMPY[slot.dtype]))
                value, mask = self._where(mask, value, start, slot.dtype), None
            if not reduced:
                value = self._reduced(value, others, operator, slot.dtype)
        elif others and (mask is not None or any(value.shape[axis] > 1 for axis in others)):
            # The last of several values for one element counts.
            if mask is not None:
                linear = self._expanded(linear)
                target = [axis for axis in range(len(self.shape)) if self.shape[axis] > 1]
            else:
                value = self._last(value, others)
        if mask is None and self._is_whole(shape, linear, value, others):
            assert isinstance(value, ComputedValue)
            name = self.scope.node("Squeeze", [value.name, self.scope.constant(others)]) if others else value.name
            self._store_whole(slot, name)
            return
        narrow = tuple(self.shape[axis] for axis in target)
        values = self._over(value, target)
        self._place(slot, shape, linear, narrow, values, mask, target)

    def _is_whole(self, shape: tuple[int, ...], linear: SpaceValue, value: SpaceValue, others: Sequence[int]) -> bool:
        """Return whether a value is all of a tensor, in its order, except for axes that were added up."""
        if isinstance(value, FixedValue) or not isinstance(linear, FixedValue):
            return False
        kept = tuple(extent for axis, extent in enumerate(value.shape) if axis not in others)
        return kept == shape and np.array_equal(linear.array.reshape(-1), np.arange(prod(shape)))

    def _store_whole(self, slot: Slot, name: str) -> None:
        """Assign a value to a tensor, or its combination with the present value."""
        is_fresh = slot not in self.writer.contents and not any(item in self.writer.contents for item in slot.items)
        operator = self.formula.operator
        if operator in ACCUMULATORS and not is_fresh:
            name = self.scope.node(_COMBINING[operator], [self.writer.content(slot), name])
        self.writer.store(slot, name)

    def _expanded(self, value: SpaceValue) -> SpaceValue:
        if isinstance(value, FixedValue):
            return FixedValue(np.broadcast_to(value.array, self.shape))
        whole = self.scope.constant(np.array(self.shape, np.int64))
        return ComputedValue(self.scope.node("Expand", [value.name, whole]), self.shape)

    def _last(self, value: SpaceValue, axes: Sequence[int]) -> SpaceValue:
        if isinstance(value, FixedValue):
            array = value.array
            for axis in axes:
                array = np.take(array, [-1], axis)
            return FixedValue(array)
        name, shape = value.name, list(value.shape)
        for axis in axes:
            if shape[axis] > 1:
                last = self.scope.constant([shape[axis] - 1])
                name, shape[axis] = self.scope.node("Gather", [name, last], axis=axis), 1
        return ComputedValue(name, tuple(shape))

    def _reduced(self, value: SpaceValue, axes: Sequence[int], operator: str, dtype: str) -> SpaceValue:
        """Return a value accumulated along axes."""
        varying = [axis for axis in axes if value.shape[axis] > 1]
        repeats = prod(self.shape[axis] for axis in axes if value.shape[axis] == 1)
        if isinstance(value, FixedValue):
            value = ComputedValue(self.name(value), value.shape)
        name, shape = value.name, list(value.shape)
        if varying:
            over = self.scope.constant(varying)
            if dtype == "bool":
                number = self.scope.node("Cast", [name], to=TensorProto.INT32)
                kind = "ReduceMin" if operator == "&=" else "ReduceMax"
                name = self.scope.node("Cast", [self.scope.node(kind, [number, over])], to=TensorProto.BOOL)
            else:
                name = self.scope.node(_REDUCTIONS[operator], [name, over])
            for axis in varying:
                shape[axis] = 1
        if repeats != 1 and operator in ("+=", "*="):
            kind = "Mul" if operator == "+=" else "Pow"
            name = self.scope.node(kind, [name, self.scope.constant(repeats, NUMPY[dtype])])
        return ComputedValue(name, tuple(shape))

    def _over(self, value: SpaceValue, target: Sequence[int]) -> str:
        """Return the name of a vector with the values over the axes of the target, in row-major order."""
        wide = tuple(self.shape[axis] if axis in target else 1 for axis in range(len(self.shape)))
        if isinstance(value, FixedValue):
            array = np.broadcast_to(value.array, wide).reshape(-1)
            return self.scope.constant(array, array.dtype)
        name = value.name
        if value.shape != wide:
            name = self.scope.node("Expand", [name, self.scope.constant(np.array(wide, np.int64))])
        return self.scope.node("Reshape", [name, self.scope.constant([-1])])

    def _place(
        self,
        slot: Slot,
        shape: tuple[int, ...],
        linear: SpaceValue,
        narrow: tuple[int, ...],
        values: str,
        mask: SpaceValue | None,
        target: Sequence[int],
    ) -> None:
        scope, operator, count = self.scope, self.formula.operator, prod(shape)
        if count == 0:
            return
        whole = scope.constant(np.array(shape, np.int64))
        accumulates = operator in ACCUMULATORS
        if mask is not None and any(mask.shape[axis] > 1 for axis in range(len(mask.shape)) if axis not in target):
            raise Unsuitable("what is written depends on an index that the place does not name")
        if isinstance(linear, FixedValue) and (mask is None or isinstance(mask, FixedValue)):
            wide = tuple(self.shape[axis] if axis in target else 1 for axis in range(len(self.shape)))
            at = np.broadcast_to(linear.array, wide).reshape(-1)
            chosen = np.arange(at.size)
            if isinstance(mask, FixedValue):
                chosen = chosen[np.broadcast_to(mask.array, wide).reshape(-1)]
            if not accumulates:  # of several values for one element the last counts
                _, first = np.unique(at[chosen][::-1], return_index=True)
                chosen = chosen[chosen.size - 1 - first]
            if chosen.size == 0:
                return
            places = at[chosen]
            if places.size == count and len(np.unique(places)) == count:
                order = chosen[np.argsort(places)]
                if not np.array_equal(order, np.arange(at.size)):
                    values = scope.node("Gather", [values, scope.constant(order)], axis=0)
                self._store_whole(slot, scope.node("Reshape", [values, whole]))
                return
            if chosen.size != at.size or not np.array_equal(chosen, np.arange(at.size)):
                values = scope.node("Gather", [values, scope.constant(chosen)], axis=0)
            index = scope.constant(places)
            extra = False
        else:
            named = self._over(linear, target)
            extra = mask is not None
            if mask is not None:  # one more element receives skipped writes
                kept = self._over(mask, target)
                named = scope.node("Where", [kept, named, scope.constant([count])])
            index = named
        self._scatter(slot, whole, count, index, values, extra)

    def _scatter(self, slot: Slot, whole: str, count: int, index: str, values: str, extra: bool) -> None:
        scope, operator = self.scope, self.formula.operator
        flat = scope.node("Reshape", [self.writer.content(slot), scope.constant([-1])])
        accumulates = operator in ACCUMULATORS
        is_logic = accumulates and slot.dtype == "bool"
        if is_logic:
            flat, values = (scope.node("Cast", [each], to=TensorProto.INT32) for each in (flat, values))
        if extra:
            blank = np.zeros(1, np.int32 if is_logic else NUMPY[slot.dtype])
            flat = scope.node("Concat", [flat, scope.constant(blank, blank.dtype)], axis=0)
        reduction = _SCATTERING[operator] if accumulates else None
        found = scope.node("ScatterElements", [flat, index, values], axis=0, reduction=reduction)
        if extra:
            bounds = [scope.constant([0]), scope.constant([count])]
            found = scope.node("Slice", [found, *bounds])
        if is_logic:
            found = scope.node("Cast", [found], to=TensorProto.BOOL)
        self.writer.store(slot, scope.node("Reshape", [found, whole]))


def _factors(term: Term) -> list[Term]:
    if isinstance(term, Apply) and term.operation == "*" and term.dtype in ("real", "int"):
        return [factor for operand in term.operands for factor in _factors(operand)]
    return [term]


def _folded(operation: str, dtype: str, arrays: list[Array]) -> Array:
    if operation in COMPARISONS:
        return COMPARISONS[operation](*arrays)
    if operation in LOGIC:
        return np.asarray(LOGIC[operation](*arrays))
    if operation in NUMPY:
        return cast(arrays[0], np.dtype(NUMPY[operation]))[0]
    if dtype == "int":
        return INTEGER_OPERATIONS[operation](*arrays)[0]
    return np.asarray(REAL_OPERATIONS[operation](*arrays))
