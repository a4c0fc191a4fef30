"""A composed body, ready to be run: steps over numbered slots that hold arrays.

Parts of control flow work in the slots of the body around them, so that captured tensors are simply there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Protocol, TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis import rules
from snd_analysis.compose import GREATEST_COUNT, Site, Specialization
from snd_analysis.model import Place, TensorValue
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.plain import array_dtype, bytes_of, fits
from snd_runtime.execution.state import State, joined, truth
from snd_runtime.limits import Budget
from snd_runtime.lowering.arithmetic import INT, Array
from snd_runtime.lowering.lowered import Argument

Reference: TypeAlias = "int | tuple[int, ...] | None"
"""The slot of a tensor, the slots of a pack, or None for null."""


class Frame:
    """One run of one body."""

    __slots__ = ("ahead", "arrays", "is_root", "iterations", "scope", "state")

    def __init__(self, state: State, size: int, scope: str, iterations: tuple[int, ...], is_root: bool) -> None:
        self.state = state
        self.arrays: list[Array | None] = [None] * size
        self.ahead: dict[int, Array | None] = {}
        """Results that loops computed for all of their iterations, by slot."""
        self.scope = scope
        self.iterations = iterations
        self.is_root = is_root

    def read(self, reference: Reference) -> Argument:
        """Return the value of a tensor or pack."""
        if reference is None:
            return None
        if isinstance(reference, int):
            found = self.arrays[reference]
            assert found is not None, "a tensor is read before it is computed"
            return found
        return tuple(array for slot in reference if (array := self.arrays[slot]) is not None)

    def write(self, reference: Reference, value: Argument) -> None:
        """Give a tensor or pack its value."""
        if reference is None:
            return
        if isinstance(reference, int):
            self.arrays[reference] = value  # type: ignore[assignment]
        else:
            assert value is not None
            for slot, array in zip(reference, value, strict=True):
                self.arrays[slot] = array

    def free(self, slots: Sequence[int]) -> None:
        """Forget arrays that nothing reads any more."""
        for slot in slots:
            array = self.arrays[slot]
            if array is not None:
                self.state.budget.release(array.size, array.itemsize)
                self.arrays[slot] = None


class ResultSlots(Struct, frozen=True):
    """A result of a step: where it goes, and how it is shown; the outputs of a body are shown by its caller."""

    slots: Reference
    tensor: TensorValue
    is_output: bool


class StepAction(Protocol):
    """The action of a step."""

    def reads(self) -> set[int]:
        """Return the slots that it reads."""

    def run(self, frame: Frame) -> Sequence[Argument]:
        """Return the results. Raise EvaluationFailed."""


def slots_of(references: Iterable[Reference]) -> set[int]:
    """Return the slots of tensors and packs."""
    found: set[int] = set()
    for reference in references:
        if isinstance(reference, int):
            found.add(reference)
        elif reference is not None:
            found.update(reference)
    return found


class ProgramStep(Struct):
    """An operation: an action, where its results go, and which slots nothing reads afterwards."""

    action: StepAction
    results: tuple[ResultSlots, ...]
    place: Place
    weight: int
    """Number of operations in the step."""
    free: tuple[int, ...] = ()

    def run(self, frame: Frame) -> None:
        """Run the operation. Raise EvaluationFailed."""
        state = frame.state
        budget = state.budget
        budget.check_time(self.place)
        used, done = budget.used, state.done
        values = self.action.run(frame)
        if state.quantizing.is_applied:
            values = [
                state.quantizing.result(frame.scope, result.tensor, value)
                for result, value in zip(self.results, values, strict=True)
            ]
        taken = 0
        for result, value in zip(self.results, values, strict=True):
            frame.write(result.slots, value)
            taken += value.nbytes if isinstance(value, np.ndarray) else bytes_of(value)
        budget.settle(used + taken)  # memory used within is free again
        if state.watch is not None:
            for result, value in zip(self.results, values, strict=True):
                if frame.is_root or not result.is_output:
                    state.show(frame.scope, result.tensor, value, frame.iterations)
        if self.free:
            frame.free(self.free)
        state.advance(done + self.weight)


class ControlPart(Struct, frozen=True):
    """A part of control flow."""

    steps: tuple[ProgramStep, ...]
    results: tuple[Reference, ...]
    place: Place

    def reads(self) -> set[int]:
        """Return the slots that the steps or the results read."""
        return slots_of(self.results).union(*(step.action.reads() for step in self.steps))

    def run(self, frame: Frame) -> list[Argument]:
        """Return the results."""
        for step in self.steps:
            step.run(frame)
        return [frame.read(result) for result in self.results]

    def holds(self, frame: Frame) -> bool:
        """Return the value of a condition. Raise EvaluationFailed if it is not one bool."""
        found = truth(self.run(frame)[0])
        if found is None:
            raise EvaluationFailed(rules.CONDITION_SHAPE, "a condition is one bool", self.place)
        return found


class InvokeAction(Struct, frozen=True):
    """The invocation of an operator or graph."""

    specialization: Specialization
    inputs: tuple[Reference, ...]
    label: str | None
    takes_scope: bool
    """True if it has the scope of the outer operator, unless that is the requested one (2.10, Labelling)."""
    root_scope: str | None
    """The scope of a graph that is invoked without a label of its own."""
    place: Place

    def reads(self) -> set[int]:
        """Return the slots of the inputs."""
        return slots_of(self.inputs)

    def run(self, frame: Frame) -> Sequence[Argument]:
        """Return the outputs."""
        inputs = [frame.read(each) for each in self.inputs]
        is_unlabelled = self.label is None or (self.takes_scope and not frame.is_root)
        scope = frame.scope if is_unlabelled else joined(frame.scope, self.label or "")
        if self.root_scope is not None:
            scope = self.root_scope
        try:
            return frame.state.invoke(self.specialization, inputs, scope, frame.iterations)
        except EvaluationFailed as failed:
            raise failed.via(Site(self.place, f"'{self.specialization.template.shown}' is invoked here")) from None


class Choice(Struct, frozen=True):
    """``if``."""

    cases: tuple[tuple[ControlPart, ControlPart], ...]
    alternative: ControlPart

    def reads(self) -> set[int]:
        """Return the slots that any part reads."""
        return self.alternative.reads().union(*(part.reads() for case in self.cases for part in case))

    def run(self, frame: Frame) -> Sequence[Argument]:
        """Return the results of the case that holds."""
        for condition, consequent in self.cases:
            if condition.holds(frame):
                return consequent.run(frame)
        return self.alternative.run(frame)


class Repetition(Struct, frozen=True):
    """``do``: see ``snd_analysis.model.Loop``."""

    carried: tuple[tuple[Reference, Reference], ...]
    scanned: tuple[tuple[Reference, tuple[int, ...]], ...]
    index: Reference
    count: int | None
    counter: int | None
    """The slot of the tensor that says how often, if one does."""
    before: ControlPart | None
    after: ControlPart | None
    body: ControlPart
    place: Place
    locals: tuple[int, ...]
    """The slots that an iteration writes."""
    names: tuple[tuple[Reference, str, Place], ...] = ()
    """The names that the loop declares: value, name, place of the declaration."""
    is_unchanging: bool = False
    """True if the loop never ends, once its condition holds."""

    def reads(self) -> set[int]:
        """Return the slots that any part reads, and the slots of the initial values."""
        parts = [part.reads() for part in (self.before, self.body, self.after) if part is not None]
        sources = [*(source for _, source in self.carried), *(pack for _, pack in self.scanned), self.counter]
        return slots_of(sources).union(*parts)

    def run(self, frame: Frame) -> Sequence[Argument]:
        """Return the last values of the carried variables, and the packs of collected results."""
        budget, around = frame.state.budget, frame.iterations
        carried = [frame.read(source) for _, source in self.carried]
        collected: list[list[Array]] = [[] for _ in self.body.results[len(carried) :]]
        start, kept = budget.used, 0
        number = 0
        try:
            for number in self._numbers(frame):
                budget.check_time(self.place)
                frame.iterations = (*around, number)
                self._enter(frame, carried, number)
                if self.before is not None and not self._goes_on(self.before, frame):
                    break
                if frame.state.watch_names is not None:
                    self._tell(frame)
                results = self.body.run(frame)
                carried = results[: len(carried)]
                for pack, item in zip(collected, results[len(carried) :], strict=True):
                    assert isinstance(item, np.ndarray)
                    pack.append(item)
                    kept += item.nbytes
                for slot in self.locals:
                    frame.arrays[slot] = None
                budget.settle(start + kept + sum(bytes_of(value) for value in carried))
                if self.after is not None:
                    self._enter(frame, carried, number)
                    if not self._goes_on(self.after, frame):
                        break
        except EvaluationFailed as failed:
            raise failed.via(Site(self.place, f"in iteration {number} of this loop, counted from 0")) from None
        finally:
            frame.iterations = around
        return [*carried, *(tuple(pack) for pack in collected)]

    def _goes_on(self, condition: ControlPart, frame: Frame) -> bool:
        """Return whether a condition holds. Raise EvaluationFailed if it holds for ever."""
        if not condition.holds(frame):
            return False
        if self.is_unchanging:
            message = "this loop never ends: its condition holds, and no iteration changes it"
            raise EvaluationFailed(rules.ENDLESS_LOOP, message, self.place)
        return True

    def _enter(self, frame: Frame, carried: Sequence[Argument], number: int) -> None:
        for (local, _), value in zip(self.carried, carried, strict=True):
            frame.write(local, value)
        for local, pack in self.scanned:
            frame.write(local, frame.arrays[pack[number]])
        if self.index is not None:
            frame.write(self.index, np.array(number, INT))
        if frame.state.quantizing.is_applied:
            for reference, name, _ in self.names:
                frame.write(reference, frame.state.quantizing.apply(frame.scope, name, frame.read(reference)))

    def _tell(self, frame: Frame) -> None:
        for reference, name, place in self.names:
            frame.state.tell(name, frame.read(reference), place, frame.iterations)

    def _numbers(self, frame: Frame) -> Iterator[int]:
        lengths = [len(pack) for _, pack in self.scanned]
        most = self.count if self.counter is None else integer(frame.read(self.counter), self.place)
        check_count(most, lengths, self.place)
        if most is None and lengths:
            most = min(lengths)
        return counted(most, frame.state.budget, self.place)


def counted(most: int | None, budget: Budget, place: Place) -> Iterator[int]:
    """Yield the numbers of the iterations of a loop, ``most`` of them. Raise EvaluationFailed for too many."""
    if most is not None:
        if most > GREATEST_COUNT:
            message = rules.control_flow.count_too_large(most, GREATEST_COUNT)
            raise EvaluationFailed(rules.LOOP_COUNT, message, place)
        yield from range(most)
        return
    for number in count():
        budget.iterate_without_count(place)
        yield number


def integer(value: Argument, place: Place) -> int:
    """Return the number of iterations that a tensor says. Raise EvaluationFailed if it is not one int."""
    if not isinstance(value, np.ndarray) or value.size != 1:
        raise EvaluationFailed(rules.CONDITION_SHAPE, "the number of iterations is one int", place)
    return int(value.reshape(-1)[0])


def check_count(count: int | None, lengths: Sequence[int], place: Place) -> None:
    """Raise EvaluationFailed if a loop goes beyond the end of a pack that it scans (2.10.1)."""
    for length in lengths:
        if count is not None and count > length:
            raise EvaluationFailed(rules.SCAN_LENGTHS, rules.control_flow.counts_too_far(count, length), place)


class Fixed(Struct, frozen=True):
    """A constant that is written in the body: one value for all elements."""

    slot: int
    name: str
    value: int | float | bool | str
    dtype: str
    shape: tuple[int, ...]
    place: Place
    """Place of its use."""


class Program(Struct, frozen=True):
    """A body whose shapes are all known."""

    size: int
    """Number of slots."""
    inputs: tuple[Reference, ...]
    fixed: tuple[Fixed, ...]
    constants: tuple[tuple[str, Reference], ...]
    """Declared ones, by name."""
    variables: tuple[tuple[str, Reference, TensorValue], ...]
    steps: tuple[ProgramStep, ...]
    outputs: tuple[Reference, ...]
    """Outputs; an output that formulas compute is None."""
    update_steps: tuple[ProgramStep, ...]
    updates: tuple[tuple[str, Reference], ...]
    weight: int
    """Number of operations in the program."""

    def enter(
        self,
        state: State,
        inputs: Sequence[Argument],
        constants: Mapping[str, Argument],
        scope: str,
        iterations: tuple[int, ...],
        is_root: bool,
    ) -> Frame:
        """Return a frame with everything that is there before the first step. Raise EvaluationFailed."""
        frame = Frame(state, self.size, scope, iterations, is_root)
        for reference, value in zip(self.inputs, inputs, strict=True):
            frame.write(reference, value)
        for each in self.fixed:
            frame.arrays[each.slot] = filled(state, each)
        for name, reference in self.constants:
            frame.write(reference, state.quantizing.apply(scope, name, constants[name]))
        for name, reference, declared in self.variables:
            frame.write(reference, state.variable(scope, name, declared))
        if is_root:
            for name, reference in (*self.constants, *((name, reference) for name, reference, _ in self.variables)):
                state.tell(name, frame.read(reference))
        return frame

    def compute(self, frame: Frame) -> list[Argument]:
        """Run the composition: the outputs. Raise EvaluationFailed."""
        for step in self.steps:
            step.run(frame)
        return [frame.read(reference) for reference in self.outputs]

    def update(self, frame: Frame) -> None:
        """Compute and stores the new values of variables (2.11). Raise EvaluationFailed."""
        for step in self.update_steps:
            step.run(frame)
        for name, reference in self.updates:
            frame.state.variables.store(joined(frame.scope, name), frame.read(reference))


def filled(state: State, each: Fixed) -> Array:
    """Return the array of a constant. Raise EvaluationFailed."""
    dtype = array_dtype(each.dtype, state.real)
    if not fits(each.value):
        raise EvaluationFailed(rules.INT_OVERFLOW, rules.formulas.too_wide(each.value), each.place)
    if each.shape:
        state.budget.allocate(f"'{each.name}'", each.shape, dtype.itemsize, each.place)
    return np.full(each.shape, each.value, dtype)
