"""From a composed body to a program: slots for tensors, and after which step nothing reads them any more."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Specialization, passes_scope_on, specialization_of
from snd_analysis.model import Branch, Graph, Loop, Operation, Place, Tensor, TensorKind, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, Pack
from snd_runtime.execution.plain import plain, static_shape
from snd_runtime.execution.program import (
    Choice,
    ControlPart,
    Fixed,
    InvokeAction,
    Program,
    ProgramStep,
    Reference,
    Repetition,
    ResultSlots,
    slots_of,
)


class Undecided(Exception):  # noqa: N818 - it is no fault
    """A body contains something that only earlier statements decide, when they have run."""


def compiled(specialization: Specialization, weigh: Callable[[Specialization], int]) -> Program:
    """Return the body of a specialization as a program.

    Raise Undecided if not all of its shapes and branches are known.
    """
    body = specialization.body
    if body is None or specialization.checks or body.checks:
        raise Undecided
    return _Compilation(specialization, body, weigh).program()


class LoopProgram(Struct, frozen=True):
    """A loop with known shapes in a body whose shapes depend on data."""

    repetition: Repetition
    slots: Mapping[Tensor, int]
    fixed: tuple[Fixed, ...]


def compiled_loop(
    specialization: Specialization,
    loop: Loop,
    place: Place,
    known: Container[Tensor],
    weigh: Callable[[Specialization], int],
) -> LoopProgram:
    """Return a loop of the body of a specialization; ``known`` are the tensors that have arrays. Raise Undecided."""
    return _Compilation(specialization, loop.body, weigh).loop(loop, place, known)


class _Compilation:
    def __init__(self, specialization: Specialization, body: Graph, weigh: Callable[[Specialization], int]) -> None:
        self._specialization = specialization
        self._body = body
        self._weigh = weigh
        self._slots: dict[Tensor, int] = {}
        self._fixed: dict[Tensor, Fixed] = {}
        self._declared = {
            tensor
            for values in (specialization.constants, specialization.variables)
            for tensor in _all(values.values())
        }
        self._outputs = set(_all(body.outputs.values()))
        self._single = scope_is_passed_on(specialization)
        self._place = specialization.template.place(0, specialization.template.definition.name)

    def program(self) -> Program:
        body, specialization = self._body, self._specialization
        inputs = tuple(self._reference(value) for value in specialization.inputs)
        updates = tuple((name, self._reference(value)) for name, value in body.updates.items())
        outputs: Sequence[Reference] = ()
        if specialization.template.is_composite:
            outputs = [self._reference(value) for value in body.outputs.values()]
        else:  # formulas compute them, and updates may read them
            outputs = [self._reference(value) for value in specialization.outputs]
        steps = self._steps(body.operations)
        update_steps = self._steps(body.update_operations)
        kept = slots_of([*outputs, *(reference for _, reference in updates)])
        freeing = with_free_slots([*steps, *update_steps], kept)
        constants = [
            (name, self._reference(value)) for name, value in specialization.constants.items() if self._used(value)
        ]
        variables = [
            (name, self._reference(value), value)
            for name, value in specialization.variables.items()
            if self._used(value)
        ]
        return Program(
            len(self._slots),
            inputs,
            tuple(self._fixed.values()),
            tuple(constants),
            tuple(variables),
            tuple(freeing[: len(steps)]),
            tuple(outputs),
            tuple(freeing[len(steps) :]),
            updates,
            sum(step.weight for step in freeing),
        )

    def loop(self, loop: Loop, place: Place, known: Container[Tensor]) -> LoopProgram:
        """Return one loop. Captured tensors get slots first: these stay from iteration to iteration."""
        for tensor in _named(loop):
            if tensor in known:
                self._slot(tensor)
        repetition, _ = self._repetition(loop, place)
        return LoopProgram(repetition, self._slots, tuple(self._fixed.values()))

    def _used(self, value: TensorValue) -> bool:
        return any(tensor in self._slots for tensor in tensors_of(value))

    # ---- tensors -----------------------------------------------------------------------------------------------------
    def _reference(self, value: TensorValue) -> Reference:
        if isinstance(value, Tensor):
            return self._slot(value)
        if value is NULL:
            return None
        if isinstance(value, Pack) and value.items is not None and len(value.items) == len(value.segments):
            return tuple(self._slot(item) for item in value.items)
        raise Undecided

    def _slot(self, tensor: object) -> int:
        if not isinstance(tensor, Tensor):
            raise Undecided
        slot = self._slots.get(tensor)
        if slot is None:
            shape = static_shape(tensor)
            if shape is None or tensor.dtype is None:
                raise Undecided
            slot = self._slots[tensor] = len(self._slots)
            if tensor.kind is TensorKind.CONSTANT and tensor not in self._declared:
                self._fixed[tensor] = _fixed(tensor, slot, tensor.dtype, shape, self._place)
        return slot

    # ---- operations --------------------------------------------------------------------------------------------------
    def _steps(self, operations: Iterable[Operation]) -> list[ProgramStep]:
        return [self._step(operation) for operation in operations]

    def _step(self, operation: Operation) -> ProgramStep:
        action: InvokeAction | Choice | Repetition
        control = operation.control
        self._place = operation.place
        if isinstance(control, Branch):
            action, weight = self._choice(control, operation.place)
        elif isinstance(control, Loop):
            action, weight = self._repetition(control, operation.place)
        else:
            action, weight = self._invocation(operation)
        results = tuple(
            ResultSlots(self._reference(value), value, any(tensor in self._outputs for tensor in tensors_of(value)))
            for value in operation.outputs
        )
        return ProgramStep(action, results, operation.place, weight)

    def _invocation(self, operation: Operation) -> tuple[InvokeAction, int]:
        specialization = specialization_of(operation)
        if specialization is None or not specialization.valid or operation.checks:
            raise Undecided
        passed_on = self._single and not operation.labelled
        inputs = tuple(self._reference(value) for value in operation.inputs)
        root = scope_of_graph(specialization, operation.labelled)
        return InvokeAction(specialization, inputs, operation.label, passed_on, root, operation.place), self._weigh(
            specialization
        )

    def _choice(self, branch: Branch, place: Place) -> tuple[Choice, int]:
        cases = []
        weights = []
        for case in branch.cases:
            if not isinstance(case.condition, Graph):
                raise Undecided
            condition, first = self._part(case.condition, place)
            consequent, second = self._part(case.consequent, place)
            cases.append((condition, consequent))
            weights.append(first + second)
        alternative, weight = self._part(branch.alternative, place)
        return Choice(tuple(cases), alternative), max(weight, *weights)

    def _repetition(self, loop: Loop, place: Place) -> tuple[Repetition, int]:
        count, counter = None, None
        if isinstance(loop.count, Integer):
            count = loop.count.value
            if count is None:
                raise Undecided
        elif isinstance(loop.count, Tensor):
            counter = self._slot(loop.count)
        elif loop.count is not None:
            raise Undecided
        carried = tuple((self._reference(each.local), self._reference(each.source)) for each in loop.carried)
        scanned = []
        for each in loop.scanned:
            pack = self._reference(each.source)
            if not isinstance(pack, tuple):
                raise Undecided
            # There is no item of a pack without items.
            local = self._reference(each.local) if pack else None
            scanned.append((local, pack))
        index = None if loop.index is None else self._slot(loop.index)
        first = len(self._slots)
        before = None if loop.before is None else self._part(loop.before, place)
        after = None if loop.after is None else self._part(loop.after, place)
        body, weight = self._part(loop.body, place)
        # Captured tensors have slots already, unless they exist from the beginning.
        made = tuple(
            slot
            for tensor, slot in self._slots.items()
            if slot >= first and tensor not in self._declared and tensor not in self._fixed
        )
        conditions = sum(each[1] for each in (before, after) if each is not None)
        lengths = [len(pack) for _, pack in scanned]
        times = count if count is not None else lengths[0] if lengths else 1
        repetition = Repetition(
            carried, tuple(scanned), index, count, counter,
            None if before is None else before[0], None if after is None else after[0], body, place, made,
            tuple(_names(loop, [*(local for local, _ in (*carried, *scanned)), index])),
            loop.is_unchanging,
        )  # fmt: skip
        return repetition, (weight + conditions) * max(times, 0)

    def _part(self, graph: Graph, place: Place) -> tuple[ControlPart, int]:
        results = tuple(self._reference(value) for value in graph.outputs.values())
        steps = with_free_slots(self._steps(graph.operations), slots_of(results))
        return ControlPart(tuple(steps), results, place), sum(step.weight for step in steps)


def _names(loop: Loop, references: Sequence[Reference]) -> Iterator[tuple[Reference, str, Place]]:
    """Yield the names that a loop declares, in the order of ``references``: carried, scanned, index."""
    values = [each.local for each in (*loop.carried, *loop.scanned)]
    for value, reference in zip([*values, loop.index or NULL], references, strict=True):
        tensor = next(iter(tensors_of(value)), None)
        if tensor is not None and tensor.place is not None and reference is not None:
            yield reference, tensor.name, tensor.place


def _named(control: Branch | Loop) -> Iterator[Tensor]:
    """Yield the tensors that the graphs of a construct name, at any depth."""
    for graph in control.parts.values():
        yield from _all(graph.outputs.values())
        for operation in graph.operations:
            yield from _all(operation.inputs)
            if operation.control is not None:
                yield from _named(operation.control)


def _all(values: Iterable[TensorValue]) -> Iterator[Tensor]:
    for value in values:
        yield from tensors_of(value)


def _fixed(tensor: Tensor, slot: int, dtype: str, shape: tuple[int, ...], place: Place) -> Fixed:
    try:
        value = plain(tensor.value)
    except ValueError:
        raise Undecided from None
    if value is None or isinstance(value, tuple):
        raise Undecided
    return Fixed(slot, tensor.name, value, dtype, shape, place)


# ---- scopes ----------------------------------------------------------------------------------------------------------
def scope_is_passed_on(specialization: Specialization) -> bool:
    """Return whether the only operation of a body has no scope of its own, unless a label says so (2.10, Labelling)."""
    return specialization.body is not None and passes_scope_on(specialization.body)


def scope_of_graph(specialization: Specialization, labelled: bool) -> str | None:
    """Return the scope of a graph that is invoked without a label of its own, which does not depend on where."""
    return specialization.template.name.name if specialization.template.is_graph and not labelled else None


# ---- how long tensors are needed -------------------------------------------------------------------------------------
def with_free_slots(steps: Sequence[ProgramStep], kept: set[int]) -> list[ProgramStep]:
    """Return the steps, each with its results that no later step reads."""
    last: dict[int, int] = {}
    made: set[int] = set()
    for at, step in enumerate(steps):
        results = slots_of(result.slots for result in step.results)
        made |= results
        for slot in step.action.reads() | results:
            last[slot] = at
    free: list[list[int]] = [[] for _ in steps]
    for slot in made - kept:
        free[last[slot]].append(slot)
    return [replace(step, free=tuple(sorted(slots))) for step, slots in zip(steps, free, strict=True)]
