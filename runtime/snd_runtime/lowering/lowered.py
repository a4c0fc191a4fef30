"""An operator whose formulas can be run: from arrays to arrays (2.12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import cached_property
from itertools import groupby, zip_longest
from math import prod
from typing import Any, TypeAlias

import numpy as np

from snd_analysis.compose import Specialization
from snd_analysis.compose.formulas import (
    Analysis,
    Constant,
    Formula,
    FormulaFailed,
    FormulaTensors,
    Read,
    Slot,
    colliding_axes,
    elaborate,
    elaborate_constant,
    subterms,
)
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import entries_of
from snd_analysis.symbolic.values import NULL, Pack
from snd_runtime.errors import EvaluationFailed
from snd_runtime.limits import MOST_RANK, Budget, Limits
from snd_runtime.lowering.accumulation import Accumulation
from snd_runtime.lowering.arithmetic import STR, Array
from snd_runtime.lowering.assignment import assign
from snd_runtime.lowering.compiled.accesses import Statement
from snd_runtime.lowering.compiled.calls import CompiledCall
from snd_runtime.lowering.compiled.kernels import Kernel
from snd_runtime.lowering.compiled.nests import kernel
from snd_runtime.lowering.compiled.padding import TensorPart, filling
from snd_runtime.lowering.counting import Counted, count
from snd_runtime.lowering.direct import Direct, direct
from snd_runtime.lowering.domains import Box
from snd_runtime.lowering.evaluation import ActivePoints, Evaluation
from snd_runtime.lowering.memory import Memory, array_types
from snd_runtime.lowering.sequence import run_in_order
from snd_runtime.lowering.writing import ACCUMULATORS, identity
from snd_runtime.rules import LIMIT_EXCEEDED

Argument: TypeAlias = "Array | Sequence[Array] | None"
"""An array, the arrays of a pack, or None for null."""


@contextmanager
def elaborating() -> Iterator[None]:
    """Fail as evaluations do where a formula can't be taken apart."""
    try:
        yield
    except FormulaFailed as failed:
        raise EvaluationFailed(failed.rule, failed.message, failed.place) from None


def checked(formula: Formula) -> Formula:
    """Return a formula that NumPy can compute. Raise EvaluationFailed for any other."""
    if len(formula.axes) > MOST_RANK:
        message = f"this has {len(formula.axes)} indices, but snd computes with {MOST_RANK} dimensions at most"
        raise EvaluationFailed(LIMIT_EXCEEDED, message, formula.source)
    return formula


FLOAT32 = np.dtype(np.float32)


class Lowered:
    """The formulas of one specialization, taken apart; they can be run any number of times.

    The specialization must be valid and all of its extents known except extents that the formulas count.
    """

    def __init__(self, specialization: Specialization) -> None:
        self.specialization = specialization
        with elaborating():
            self.tensors = FormulaTensors(specialization)
            self.formulas: tuple[Formula, ...] = tuple(map(checked, elaborate(specialization, self.tensors)))
            formulas = (*self._constant_formulas(), *self.formulas)
        self._plans = tuple(_Plan(tuple(each)) for _, each in groupby(formulas, _counted_with))
        self._claimed = frozenset(_written_whole(self._plans))
        self._operators = _accumulators(specialization)

    def run(
        self,
        inputs: Sequence[Argument],
        variables: Mapping[str, Argument] | None = None,
        *,
        real: np.dtype[Any] = FLOAT32,
        budget: Budget | None = None,
        compiles: bool = False,
    ) -> tuple[Argument, ...]:
        """Return the outputs, in order. ``variables`` are by name. ``compiles`` is True if kernels are worth it.

        Raise EvaluationFailed for an expression without a value, an index out of bounds, and exceeded limits;
        ValueError for arguments of the wrong kind or shape.
        """
        template = self.specialization.template
        memory = Memory(real, budget or Budget(Limits()), compiles)
        for member, value in zip(template.inputs, inputs, strict=True):
            self._give(memory, member.symbol, value)
        for member in template.variables:
            self._give(memory, member.symbol, (variables or {})[member.name])
        self._allocate(memory)
        counted: Counted = {}
        with np.errstate(all="ignore"):
            for plan in self._plans:
                plan.run(memory, counted)
        return tuple(self._result(memory, member.symbol, counted) for member in template.outputs)

    def calls(self, real: np.dtype[Any]) -> list[CompiledCall] | None:
        """Return the calls that compute the outputs as contiguous tensors; None if they can't all be compiled."""
        written = [slot for _, slot, _ in self._made()]
        fills = {slot: operator for _, slot, operator in self._made() if slot not in self._claimed}
        begun = self._begun({slot for slot, operator in fills.items() if operator in (None, "+=")})
        made = [self._filling(slot, operator, real) for slot, operator in fills.items() if slot not in begun]
        made += [
            plan.calls(real, begins=plan in begun.values())
            for plan, following in zip_longest(self._plans, self._plans[1:])
            if following is None or begun.get(plan.zeros) is not following  # type: ignore[arg-type]
        ]
        if None in made:
            return None
        calls = [call for each in made for call in each or ()]
        # The tensors of a pack lie one after the other in a tensor that formulas take it for.
        stacks = dict.fromkeys(key for call in calls for key in call.places() if isinstance(key, Slot) and key.items)
        pieces = {stack: [*self._pieces(stack, real)] for stack in stacks}
        before = [piece.onto(stack) for stack in stacks if stack not in written for piece in pieces[stack]]
        after = [piece.out_of(stack) for stack in stacks if stack in written for piece in pieces[stack]]
        return [*before, *calls, *after]

    def _begun(self, zeros: Set[Slot]) -> dict[Slot, _Plan]:
        """Return which formula each tensor begins with that needs none of the zeros that it has otherwise.

        ``zeros`` are the tensors that have them from the beginning. Others have them from the formula before.
        """
        found, seen, before = dict[Slot, _Plan](), set[Slot](), None
        for plan in self._plans:
            slot = plan.begun
            if slot is not None and (slot in zeros - seen or (before is not None and before.zeros is slot)):
                found[slot] = plan
            seen |= {
                *plan.formula.slots,
                *(each.slot for each in subterms(*plan.formula.roots) if isinstance(each, Read)),
            }
            before = plan
        return found

    @staticmethod
    def _pieces(stack: Slot, real: np.dtype[Any]) -> Iterator[TensorPart]:
        size = prod(_known(stack.items[0])) * array_types(real)[stack.dtype].itemsize
        return (TensorPart(item, number * size, size) for number, item in enumerate(stack.items))

    @staticmethod
    def _filling(slot: Slot, operator: str | None, real: np.dtype[Any]) -> list[CompiledCall] | None:
        if None in slot.shape or slot.dtype == "str":
            return None
        dtype = array_types(real)[slot.dtype]
        first = np.full(1, 0 if operator is None else identity(operator, dtype), dtype)
        return [filling(slot, prod(_known(slot)), first)]

    @cached_property
    def element_wise(self) -> Direct | None:
        """The only formula, if it has a value for every element of the only output."""
        outputs = self.specialization.template.outputs
        if len(self._plans) != 1 or len(outputs) != 1:
            return None
        found = self._plans[0].direct
        is_one = found is not None and found.slot is self.tensors.values[outputs[0].symbol]
        return found if is_one and found is not None and found.is_whole and found.is_total else None

    def _constant_formulas(self) -> Iterator[Formula]:
        for member in self.specialization.template.constants:
            value = self.tensors.values[member.symbol]
            for item, slot in enumerate(value.segments) if isinstance(value, Pack) else ((None, value),):
                if isinstance(slot, Slot):
                    yield elaborate_constant(self.specialization, self.tensors, member, slot, item)

    # ---- arguments ---------------------------------------------------------------------------------------------------
    def _give(self, memory: Memory, symbol: Symbol, value: Argument) -> None:
        slot = self.tensors.values[symbol]
        if isinstance(slot, Slot):
            if value is None or not hasattr(value, "dtype"):
                raise ValueError(f"'{symbol.name}' is one tensor")
            memory.set(slot, _converted(memory, slot, value))
        elif isinstance(slot, Pack):
            items = [] if value is None else list(value)
            if len(items) != len(slot.segments):
                raise ValueError(f"'{symbol.name}' is a pack of {len(slot.segments)} tensors, not {len(items)}")
            for one, item in zip(slot.segments, items, strict=True):
                assert isinstance(one, Slot)
                memory.set(one, _converted(memory, one, item))
        elif value is not None:
            raise ValueError(f"'{symbol.name}' is null")

    # ---- results -----------------------------------------------------------------------------------------------------
    def _allocate(self, memory: Memory) -> None:
        """Allocate outputs, filled with default values or the initial values of accumulations."""
        for symbol, slot, operator in self._made():
            place = self.specialization.template.declared(symbol)
            if slot in self._claimed:
                memory.claim(slot, _known(slot), place)
            elif None not in slot.shape:
                array = memory.allocate(slot, _known(slot), place)
                if operator is not None:
                    array[...] = identity(operator, array.dtype)

    def _made(self) -> Iterator[tuple[Symbol, Slot, str | None]]:
        """Yield the written tensors, each with the operator that accumulates it; a pack as one."""
        template = self.specialization.template
        for member in (*template.constants, *template.outputs):
            value = self.tensors.values[member.symbol]
            slots = value.segments if isinstance(value, Pack) else (value,)
            found = tuple(slot for slot in slots if isinstance(slot, Slot))
            stack = self.tensors.stacked(found) if isinstance(value, Pack) and found else None
            for slot in found if stack is None else [stack]:
                yield member.symbol, slot, self._operators.get(member.symbol)

    def _result(self, memory: Memory, symbol: Symbol, counted: Counted) -> Argument:
        value = self.tensors.values[symbol]
        if value is NULL:
            return None
        if isinstance(value, Pack):
            return tuple(self._array(memory, slot, counted) for slot in value.segments if isinstance(slot, Slot))
        assert isinstance(value, Slot)
        return self._array(memory, value, counted)

    def _array(self, memory: Memory, slot: Slot, counted: Counted) -> Array:
        if not memory.has(slot):
            # No formula counts its elements.
            shape = tuple(
                counted[symbol][0] if extent is None and symbol in counted else extent or 0
                for extent, symbol in zip(slot.shape, slot.counters, strict=True)
            )
            memory.allocate(slot, shape, None)
        return memory.array(slot)


def lower(specialization: Specialization) -> Lowered:
    """Return the formulas of a specialization, ready to be run. Raise EvaluationFailed if they can't be."""
    return Lowered(specialization)


def constant_values(specialization: Specialization, real: np.dtype[Any], budget: Budget) -> dict[str, Argument]:
    """Return the constants that a specialization declares, by name (2.7).

    Raise EvaluationFailed if one has no value.
    """
    with elaborating():
        tensors = FormulaTensors(specialization, outputs=False)
    memory = Memory(real, budget)
    found: dict[str, Argument] = {}
    for member in specialization.template.constants:
        value = tensors.values[member.symbol]
        slots = [slot for slot in (value.segments if isinstance(value, Pack) else (value,)) if isinstance(slot, Slot)]
        arrays = []
        for item, slot in enumerate(slots):
            arrays.append(memory.allocate(slot, _known(slot), specialization.template.declared(member.symbol)))
            with elaborating():
                at = item if isinstance(value, Pack) else None
                formula = elaborate_constant(specialization, tensors, member, slot, at)
            with np.errstate(all="ignore"):
                _Plan((formula,)).run(memory, {})
        found[member.name] = tuple(arrays) if isinstance(value, Pack) else arrays[0]
    return found


def _accumulators(specialization: Specialization) -> dict[Symbol, str]:
    """Return the operators by which outputs are accumulated."""
    template = specialization.template
    found = {}
    for _, node in entries_of(template.definition, nodes.BlockKind.LOWER, nodes.Lowering):
        symbol = template.resolution.targets.get(node.target.name)
        if isinstance(symbol, Symbol) and node.operator.text in ACCUMULATORS:
            found[symbol] = node.operator.text
    return found


class _Plan:
    """A formula with the analysis of its run, and the formulas that it was unrolled into, if they count together."""

    def __init__(self, formulas: tuple[Formula, ...]) -> None:
        self.formula = formula = formulas[0]
        self._formulas = formulas
        self._counts = bool(formula.counters)
        self._reads_itself = next(formula.own_reads(), None) is not None
        self._analysis: Analysis | None = None
        self.direct: Direct | None = None
        self._accumulations: tuple[Accumulation, ...] = ()
        extents = [axis.extent.value for axis in formula.axes if isinstance(axis.extent, Constant)]
        if len(extents) == len(formula.axes):
            self._analysis = Analysis([max(int(extent), 0) for extent in extents])
            if not self._counts and not self._reads_itself:
                self.direct = direct(formula, self._analysis)

    @property
    def zeros(self) -> Slot | None:
        """The tensor that this makes zero, and nothing else."""
        if self.direct is None or not self.direct.is_whole:
            return None
        value = self.formula.writes[0].value
        return self.direct.slot if isinstance(value, Constant) and value.dtype == "real" and value.value == 0 else None

    @cached_property
    def begun(self) -> Slot | None:
        """The only tensor that the formula adds to, if the formula can initialize the tensor by itself; else None."""
        if self._analysis is None or self._counts or self._reads_itself or self.formula.operator != "+=":
            return None
        if len(self.formula.writes) != 1 or prod(self._analysis.extents) == 0:
            return None
        (accumulation,) = self._accumulated(self._analysis)
        return self.formula.slots[0] if accumulation.can_begin else None

    def calls(self, real: np.dtype[Any], *, begins: bool = False) -> list[CompiledCall] | None:
        """Return the calls that compute the formula; None if they can't all be compiled."""
        analysis = self._analysis
        if analysis is None or self._counts or self._reads_itself:
            return None
        if prod(analysis.extents) == 0:
            return []
        if self.formula.operator in ("=", ":="):
            loops = self._gathering if self.direct is None else self.direct.kernel
            call = None if loops is None else loops.call(real)
            return None if call is None else [call]
        found = [each.calls(real, begins=begins) for each in self._accumulated(analysis)]
        return None if None in found else [call for calls in found for call in calls or ()]

    @cached_property
    def _gathering(self) -> Kernel | None:
        """The formula as loops, if it assigns elements whose indices are computed."""
        formula, analysis = self.formula, self._analysis
        if analysis is None or formula.condition is not None or len(formula.writes) != 1:
            return None
        (write,) = formula.writes
        forms = analysis.affine_places(write.places)
        lengths = {axis: extent for axis, extent in enumerate(analysis.extents) if extent > 1}
        if forms is None or colliding_axes(forms, lengths):
            return None
        return kernel([Statement(write, "=", analysis, lambda slot: slot)])

    def _accumulated(self, analysis: Analysis) -> tuple[Accumulation, ...]:
        """Return the writes of the formula over these extents."""
        if self._accumulations:
            return self._accumulations
        found = tuple(Accumulation(analysis, self.formula, write) for write in self.formula.writes)
        if analysis is self._analysis:
            self._accumulations = found
        return found

    def run(self, memory: Memory, counted: Counted) -> None:
        """Run the formula. Raise EvaluationFailed."""
        formula, analysis = self.formula, self._analysis
        memory.budget.check_time(formula.source)
        if self.direct is not None:
            if self.direct.run(memory):
                return
            if not memory.has(self.direct.slot):
                memory.make(self.direct.slot, _known(self.direct.slot))
        if self._counts:
            count(memory, [(_analysis(memory, each), each) for each in self._formulas], counted)
            return
        if analysis is None:
            analysis = _analysis(memory, formula)
        if prod(analysis.extents) == 0:
            return
        if self._reads_itself:
            run_in_order(memory, analysis, formula)
        elif formula.operator in ("=", ":="):
            assign(memory, analysis, formula)
        else:
            for each in self._accumulated(analysis):
                each.run(memory)


def _written_whole(plans: Sequence[_Plan]) -> Iterator[Slot]:
    """Yield the tensors whose arrays the first formula that writes them makes."""
    seen: set[Slot] = set()
    for plan in plans:
        slots = {each for slot in plan.formula.slots for each in (slot, *slot.items)}
        if plan.direct is not None and plan.direct.is_whole and seen.isdisjoint(slots):
            yield plan.direct.slot
        seen |= slots


def _counted_with(formula: Formula) -> object:
    """Return the key that the unrolled formulas of a counting one share."""
    return formula.node if formula.counters else formula


def _analysis(memory: Memory, formula: Formula) -> Analysis:
    return Analysis([_extent(memory, formula, axis) for axis in range(len(formula.axes))])


def _extent(memory: Memory, formula: Formula, axis: int) -> int:
    evaluation = Evaluation(memory, Analysis([1] * len(formula.axes)), formula, Box(((0, 1),) * len(formula.axes)))
    return max(int(evaluation.value(formula.axes[axis].extent, ActivePoints()).reshape(-1)[0]), 0)


def _known(slot: Slot) -> tuple[int, ...]:
    return tuple(extent for extent in slot.shape if extent is not None)


def _converted(memory: Memory, slot: Slot, value: Any) -> Array:
    array = np.asarray(value)
    dtype = memory.dtypes[slot.dtype]
    if array.shape != slot.shape:
        raise ValueError(f"'{slot.name}' has the shape {list(_known(slot))}, not {list(array.shape)}")
    if array.dtype != dtype and not (array.dtype.kind in "fiu" and dtype.kind == "f") and not (
        array.dtype.kind in "iu" and dtype.kind == "i"
    ) and not (dtype == STR and array.dtype.kind in "UO"):  # fmt: skip
        raise ValueError(f"'{slot.name}' is {slot.dtype}, not {array.dtype}")
    return array.astype(dtype, copy=False)
