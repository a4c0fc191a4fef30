"""Steps of a loop whose results don't depend on earlier iterations are computed for all iterations at once.

The weights of a recurrent layer are read once then, not once for each item of a sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Specialization
from snd_analysis.model import Tensor
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.binding import bound
from snd_runtime.execution.flat.leaf import LeafInvocation
from snd_runtime.execution.plain import static_shape
from snd_runtime.execution.prepared import prepared
from snd_runtime.execution.program import Frame, ProgramStep, Repetition, slots_of
from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.lowered import Argument
from snd_runtime.lowering.rows import are_alike_by_row

_LEAST_SHARED = 1 << 12
"""Minimum number of elements that all iterations share: hoisting the read of fewer saves no time."""


class Ahead(Struct, frozen=True):
    """An operator that reads one item of a pack in each iteration: the first one computes the results of all."""

    leaf: LeafInvocation
    at: int
    """Position of the item among the inputs of the leaf."""
    pack: tuple[int, ...]
    result: int
    stacked: dict[int, Specialization | None]
    """The operator for all items, once it is known; None if there is none."""

    def reads(self) -> set[int]:
        """Return the slots of the inputs."""
        return self.leaf.reads()

    def run(self, frame: Frame) -> Sequence[Argument]:
        """Return the result for this iteration."""
        number = frame.iterations[-1]
        if number == 0:
            frame.ahead[self.result] = self._all(frame)
        results = frame.ahead[self.result]
        if number == len(self.pack) - 1:
            frame.ahead[self.result] = None
        return self.leaf.run(frame) if results is None else [results[number]]

    def _all(self, frame: Frame) -> Array | None:
        """Return the results of all iterations; None if they can't be computed at once."""
        items = [array for slot in self.pack if (array := frame.arrays[slot]) is not None]
        state, inputs = frame.state, [frame.read(each) for each in self.leaf.inputs]
        count = len(items)
        try:
            state.budget.allocate("all items", (count, items[0].size), items[0].itemsize, None)
            state.budget.release(count * items[0].size, items[0].itemsize)
            inputs[self.at] = np.concatenate(items)
            if count not in self.stacked:
                self.stacked[count] = self._specialization(frame, inputs)
            found = self.stacked[count]
            if found is None:
                return None
            used = state.budget.used
            (output,) = state.invoke(found, inputs, self.leaf.scope.within(frame), frame.iterations)
            state.budget.settle(used)
        except EvaluationFailed:  # the iterations report any failure
            return None
        assert isinstance(output, np.ndarray)
        return output.reshape(count, len(output) // count, *output.shape[1:])

    def _specialization(self, frame: Frame, inputs: Sequence[Argument]) -> Specialization | None:
        one = self.leaf.specialization
        found = bound(frame.state.session, one, inputs)
        ready = prepared(found)
        is_alike = ready.is_only_formulas and are_alike_by_row(prepared(one).lowered, ready.lowered, self.at)
        return found if is_alike else None


def with_hoisted_steps(loop: Repetition) -> Repetition:
    """Return a loop with steps that compute all iterations ahead, where that is worth it."""
    if loop.before is not None or loop.after is not None or loop.counter is not None:
        return loop  # there may be fewer iterations than items
    steps = tuple(_ahead(loop, step) for step in loop.body.steps)
    return replace(loop, body=replace(loop.body, steps=steps))


def _ahead(loop: Repetition, step: ProgramStep) -> ProgramStep:
    leaf = step.action
    if not isinstance(leaf, LeafInvocation) or len(step.results) != 1 or not isinstance(step.results[0].slots, int):
        return step
    packs = {item: pack for item, pack in loop.scanned if isinstance(item, int)}
    scanned = [at for at, each in enumerate(leaf.inputs) if each in packs]
    carried = slots_of([*(local for local, _ in loop.carried), *(local for local, _ in loop.scanned), loop.index])
    written = {*loop.locals, *carried}.union(
        *(slots_of([each.slots for each in one.results]) for one in loop.body.steps)
    )
    if len(scanned) != 1 or len(leaf.reads() & written) != 1:
        return step
    (at,) = scanned
    pack = packs[leaf.inputs[at]]  # type: ignore[index]
    shapes = [static_shape(each) if isinstance(each, Tensor) else None for each in leaf.specialization.inputs]
    shared = sum(prod(shape) for number, shape in enumerate(shapes) if number != at and shape is not None)
    own = shapes[at]
    if own is None or not own or not prod(own) or len(pack) < 2 or shared < max(_LEAST_SHARED, prod(own)):
        return step
    if loop.count not in (None, len(pack)) or not prepared(leaf.specialization).is_only_formulas:
        return step
    return replace(step, action=Ahead(leaf, at, pack, step.results[0].slots, {}))
