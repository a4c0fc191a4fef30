"""Programs without invocations of composed operators: their steps move to the outer body, fused where possible.

This form runs repeatedly if nobody watches intermediate values. The values are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Site
from snd_analysis.compose.formulas import Slot
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.compilation import with_free_slots
from snd_runtime.execution.flat.entry import Entry
from snd_runtime.execution.flat.fused import Claim, FusedFormulas
from snd_runtime.execution.flat.hoisting import with_hoisted_steps
from snd_runtime.execution.flat.leaf import Chain, LeafInvocation, StepScope
from snd_runtime.execution.limits import MOST_CONSTANT_ELEMENTS, MOST_FLAT_STEPS
from snd_runtime.execution.prepared import PreparedSpecialization, prepared
from snd_runtime.execution.program import (
    Choice,
    ControlPart,
    InvokeAction,
    Program,
    ProgramStep,
    Reference,
    Repetition,
    slots_of,
)
from snd_runtime.execution.state import joined
from snd_runtime.lowering.fusion import Fused, FusedFormula


def flattened(program: Program, is_root: bool) -> Program:
    """Return an equivalent program in which composed operators are inlined as far as possible."""
    if program.weight > MOST_FLAT_STEPS:
        return program
    work = _Flattening(program.size)
    kept = slots_of([*program.outputs, *(reference for _, reference in program.updates)])
    read_later = {slot for step in program.update_steps for slot in step.action.reads()}
    steps = work.steps(program.steps, _Around(StepScope(), is_root, ()), kept | read_later)
    freeing = with_free_slots([*steps, *program.update_steps], kept)
    return replace(
        program, size=work.size, steps=tuple(freeing[: len(steps)]), update_steps=tuple(freeing[len(steps) :])
    )


class _Around(Struct, frozen=True):
    """The operator that a step stands in."""

    scope: StepScope
    is_root: bool
    chain: Chain


class _Inlined(Struct, frozen=True):
    """A composed operator whose steps can move to the outer body, and the outer slots for its own."""

    ready: PreparedSpecialization
    program: Program
    slots: Mapping[int, int]

    def renamed(self, reference: Reference) -> Reference:
        if isinstance(reference, int):
            return self.slots[reference]
        return None if reference is None else tuple(self.slots[slot] for slot in reference)


class _Flattening:
    def __init__(self, size: int) -> None:
        self.size = size

    def steps(self, steps: Sequence[ProgramStep], around: _Around, kept: set[int]) -> list[ProgramStep]:
        """Return the steps of a body, or part of one; ``kept`` are the slots that are read after them."""
        return self._fused([*self._inlined(steps, around)], kept)

    # ---- composed operators ------------------------------------------------------------------------------------------
    def _inlined(self, steps: Sequence[ProgramStep], around: _Around) -> Iterator[ProgramStep]:
        for step in steps:
            match step.action:
                case InvokeAction():
                    yield from self._invoked(step, step.action, around)
                case Choice() as choice:
                    cases = tuple((self._part(a, around), self._part(b, around)) for a, b in choice.cases)
                    yield replace(step, action=Choice(cases, self._part(choice.alternative, around)))
                case Repetition() as loop:
                    yield replace(step, action=self._repeated(loop, around))
                case _:
                    yield step

    def _part(self, part: ControlPart, around: _Around) -> ControlPart:
        kept = slots_of(part.results)
        steps = with_free_slots(self.steps(part.steps, around, kept), kept)
        return replace(part, steps=tuple(steps))

    def _repeated(self, loop: Repetition, around: _Around) -> Repetition:
        first = self.size
        before, after = (None if part is None else self._part(part, around) for part in (loop.before, loop.after))
        made = replace(loop, before=before, after=after, body=self._part(loop.body, around))
        made = replace(made, locals=(*made.locals, *range(first, self.size)))
        return with_hoisted_steps(made)

    def _invoked(self, step: ProgramStep, action: InvokeAction, around: _Around) -> Iterator[ProgramStep]:
        scope = _scope_of(action, around)
        chain = (Site(action.place, f"'{action.specialization.template.shown}' is invoked here"), *around.chain)
        inlined = self._inlinable(step, action)
        if inlined is None:
            yield replace(step, action=LeafInvocation(action.specialization, action.inputs, scope, chain))
            return
        program, renamed = inlined.program, inlined.renamed
        if program.fixed or program.constants or program.variables:
            fixed = tuple(replace(each, slot=inlined.slots[each.slot]) for each in program.fixed)
            constants = tuple((name, renamed(each)) for name, each in program.constants)
            variables = tuple((name, renamed(each), declared) for name, each, declared in program.variables)
            yield ProgramStep(Entry(inlined.ready, fixed, constants, variables, scope, chain), (), step.place, 0)
        inner = _Around(scope, False, chain)
        for each in program.steps:
            assert isinstance(each.action, InvokeAction)
            moved = replace(each.action, inputs=tuple(map(renamed, each.action.inputs)))
            results = tuple(replace(result, slots=renamed(result.slots)) for result in each.results)
            yield from self._invoked(replace(each, action=moved, results=results), moved, inner)

    def _inlinable(self, step: ProgramStep, action: InvokeAction) -> _Inlined | None:
        ready = prepared(action.specialization)
        program = ready.program if ready.is_only_composed else None
        if program is None or sum(prod(each.shape) for each in program.fixed) > MOST_CONSTANT_ELEMENTS:
            return None
        if not all(isinstance(each.action, InvokeAction) for each in program.steps):
            return None
        made = [slot for each in program.steps for result in each.results for slot in slots_of([result.slots])]
        given = _matched(program.inputs, action.inputs)
        found = _matched(program.outputs, [result.slots for result in step.results])
        if given is None or found is None or len({*found}) < len(_listed(program.outputs)) or not {*found} <= {*made}:
            return None
        slots = given | found
        named = [each.slot for each in program.fixed]
        named += _listed([reference for _, reference in program.constants])
        named += _listed([reference for _, reference, _ in program.variables])
        for slot in (*named, *made):
            if slot not in slots:
                slots[slot] = self.size
                self.size += 1
        return _Inlined(ready, program, slots)

    # ---- element-wise operators --------------------------------------------------------------------------------------
    def _fused(self, steps: Sequence[ProgramStep], kept: set[int]) -> list[ProgramStep]:
        """Join operators over the same points; independent steps between them come first."""
        readers = Counter(slot for step in steps for slot in step.action.reads()) + Counter(kept)
        done: list[ProgramStep] = []
        group: list[tuple[ProgramStep, FusedFormula]] = []
        made: dict[int, FusedFormula] = {}

        def finish() -> None:
            if group:
                done.append(_joined_steps(group, readers))
            group.clear()
            made.clear()

        for step in steps:
            member = self._member(step)
            if member is not None and group:
                shape = group[0][1].direct.shape
                is_joined = member.direct.shape == shape and not member.reads_elsewhere(made)
                if not is_joined and (
                    member.direct.size >= prod(shape) or not made.keys().isdisjoint(step.action.reads())
                ):
                    finish()
                elif not is_joined:
                    done.append(_joined_steps([(step, member)], readers))
                    continue
            if member is not None:
                group.append((step, member))
                made[member.result] = member
                continue
            if not made.keys().isdisjoint(step.action.reads()):
                finish()
            done.append(step)
        finish()
        return done

    def _member(self, step: ProgramStep) -> FusedFormula | None:
        action = step.action
        if not isinstance(action, LeafInvocation):
            return None
        ready = prepared(action.specialization)
        if not ready.is_only_formulas or len(action.inputs) < len(action.specialization.inputs):
            return None
        try:
            lowered = ready.lowered
        except EvaluationFailed:
            return None
        direct = lowered.element_wise
        if direct is None:
            return None
        tensors: dict[Slot, int] = {}
        inputs = zip(action.specialization.template.inputs, action.inputs, strict=True)
        for member, reference in (*inputs, (action.specialization.template.outputs[0], step.results[0].slots)):
            slot = lowered.tensors.values[member.symbol]
            if isinstance(slot, Slot) and isinstance(reference, int):
                tensors[slot] = reference
            elif isinstance(slot, Slot) or reference is not None:
                return None
        return (
            FusedFormula(direct, tensors)
            if all(load.slot is None or load.slot in tensors for load in direct.loads)
            else None
        )


def _joined_steps(group: Sequence[tuple[ProgramStep, FusedFormula]], readers: Mapping[int, int]) -> ProgramStep:
    """Return one step for the steps of a group; ``readers`` is the number of steps that read a slot."""
    inside = Counter(slot for step, _ in group for slot in step.action.reads())
    last = group[-1][1].result
    kept = {member.result for _, member in group if readers[member.result] > inside[member.result]} or {last}
    made = {member.result for _, member in group}
    claims = []
    for step, member in group:
        assert isinstance(step.action, LeafInvocation)
        template, slot = step.action.specialization.template, member.direct.slot
        place = template.declared(template.outputs[0].symbol)
        is_kept = member.result in kept
        claims.append(Claim(slot.name, member.direct.shape, slot.dtype, place, is_kept, step.action.chain))
    fused = Fused([member for _, member in group], [*kept])
    results = tuple(step.results[0] for step, member in group if member.result in kept)
    step = group[-1][0]
    inputs = tuple(sorted({*inside} - made))
    return ProgramStep(
        FusedFormulas(fused, inputs, tuple(claims)), results, step.place, sum(each.weight for each, _ in group)
    )


def _scope_of(action: InvokeAction, around: _Around) -> StepScope:
    if action.root_scope is not None:
        return StepScope(action.root_scope, True)
    if action.label is None or (action.takes_scope and not around.is_root):
        return around.scope
    return replace(around.scope, name=joined(around.scope.name, action.label))


def _listed(references: Sequence[Reference]) -> list[int]:
    return [slot for each in references for slot in ((each,) if isinstance(each, int) else each or ())]


def _matched(formal: Sequence[Reference], actual: Sequence[Reference]) -> dict[int, int] | None:
    """Return the actual slot for each slot of an operator; None if they do not correspond one to one."""
    if len(formal) != len(actual):
        return None
    slots: dict[int, int] = {}
    for one, other in zip(formal, actual, strict=True):
        if one is None:
            continue
        if type(one) is not type(other) or len(_listed([one])) != len(_listed([other])):
            return None
        slots.update(zip(_listed([one]), _listed([other]), strict=True))
    return slots
