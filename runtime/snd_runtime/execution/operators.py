"""Execution of operators: by formulas, by composition, or by an intrinsic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snd_analysis.compose import Specialization
from snd_analysis.skriptnd.names import is_library
from snd_runtime.conditions import OperatorRun, demand, stored
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.decompositions import check_decomposition
from snd_runtime.execution.failing import check_bounds
from snd_runtime.execution.flat import repeated_program
from snd_runtime.execution.prepared import PreparedSpecialization, prepared
from snd_runtime.execution.state import State
from snd_runtime.execution.stepwise import Stepwise
from snd_runtime.intrinsics import BoundIntrinsic
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import NO_EVALUATION, UNKNOWN_VALUE


def invoke(
    state: State, specialization: Specialization, inputs: Sequence[Argument], scope: str, iterations: tuple[int, ...]
) -> Sequence[Argument]:
    """Return the outputs of a specialization whose inputs have known shapes. Raise EvaluationFailed."""
    return run_specialization(state, specialization, inputs, scope, iterations, is_root=False)


def run_specialization(
    state: State,
    specialization: Specialization,
    inputs: Sequence[Argument],
    scope: str,
    iterations: tuple[int, ...] = (),
    *,
    is_root: bool,
) -> Sequence[Argument]:
    """Return the outputs of a specialization, the one that was asked for if ``is_root``. Raise EvaluationFailed."""
    if specialization.checks:  # all that they depend on should be known
        check = specialization.checks[0]
        raise EvaluationFailed(UNKNOWN_VALUE, f"this condition can't be evaluated: {check.message}", check.place)
    template = specialization.template
    wrong = template.wrong_body
    if wrong is not None:
        message = f"'{template.shown}' can't run: its '@{wrong.kind}' has mistakes, which 'snd check' reports"
        raise EvaluationFailed(NO_EVALUATION, message, template.place(0, wrong))
    ready = prepared(specialization)
    arguments = list(inputs)
    if len(arguments) < len(specialization.inputs) or any(each is None for each in arguments):
        arguments = ready.with_defaults(arguments, state.real)
    quantizing = state.quantizing
    quantizing.enter(specialization, scope)
    if quantizing.is_applied:
        arguments = _quantized_inputs(state, specialization, arguments, scope, is_root)
    conditions = ready.conditions
    if conditions is None:
        return _outputs(state, ready, arguments, scope, iterations, is_root)
    tensors = dict(zip((member.name for member in template.inputs), arguments, strict=True))
    call = OperatorRun(ready.attributes, tensors)
    demand(ready.operator, conditions.before, call)
    outputs = stored(conditions, call, _outputs(state, ready, arguments, scope, iterations, is_root))
    tensors |= zip((member.name for member in template.outputs), outputs, strict=True)
    demand(ready.operator, conditions.after, call)
    return outputs


def _outputs(
    state: State,
    ready: PreparedSpecialization,
    arguments: list[Argument],
    scope: str,
    iterations: tuple[int, ...],
    is_root: bool,
) -> Sequence[Argument]:
    """Run the formulas, the composition or the intrinsic."""
    specialization, quantizing = ready.specialization, state.quantizing
    template = specialization.template
    if not template.is_composite:
        outputs = _computed(state, ready, arguments, scope)
        if ready.has_updates:
            _update(state, specialization, arguments, outputs, scope, iterations)
        return outputs
    # The formulas know nothing of the tensors inside of the composition.
    if not ready.has_formulas or quantizing.leads_into(scope):
        return _composed(state, ready, arguments, scope, iterations, is_root)
    outputs = _computed(state, ready, arguments, scope)
    compares = state.compares and not quantizing.is_applied
    if compares or ready.has_updates:
        composed = _composed(state, ready, arguments, scope, iterations, is_root)
        if compares:
            check_decomposition(specialization, outputs, composed)
    return outputs


def _composed(
    state: State,
    ready: PreparedSpecialization,
    arguments: list[Argument],
    scope: str,
    iterations: tuple[int, ...],
    is_root: bool,
) -> Sequence[Argument]:
    """Run the composition and the updates: the outputs."""
    program = ready.program
    ready.runs += 1
    is_repeated = ready.runs > 1 and state.is_unobserved
    if is_root and is_repeated:
        state.repeat()
    if program is None:
        return Stepwise(state, ready.specialization, arguments, scope, iterations, is_root).run_composition()
    if is_repeated and (is_root or iterations or state.is_repeated):
        program = repeated_program(ready, is_root=is_root, compiles=state.compiles) or program
    constants = ready.constants(state.real, state.budget) if program.constants else {}
    frame = program.enter(state, arguments, constants, scope, iterations, is_root)
    outputs = program.compute(frame)
    if ready.has_updates:
        program.update(frame)
    return outputs


def _computed(state: State, ready: PreparedSpecialization, arguments: list[Argument], scope: str) -> Sequence[Argument]:
    specialization = ready.specialization
    template = specialization.template
    if ready.has_formulas:
        variables = {name: state.variable(scope, name, declared) for name, declared in specialization.variables.items()}
        outputs = ready.lowered.run(arguments, variables, real=state.real, budget=state.budget, compiles=state.compiles)
    elif ready.intrinsic is not None:
        outputs = _intrinsic(state, ready, arguments, scope)
    elif ready.has_updates and not template.outputs:
        outputs = ()
    else:
        message = f"'{template.shown}' has neither a composition nor formulas, and there is no intrinsic for it"
        if template.name.name.startswith("_") and is_library(template.name.path):
            message = "snd knows the shape of this operation only, not its values"  # its author wrote another name
        raise EvaluationFailed(NO_EVALUATION, message)
    if specialization.dynamic:
        for member, declared, value in zip(template.outputs, specialization.outputs, outputs, strict=True):
            check_bounds(member.name, declared, value)
    if state.quantizing.is_applied:
        named = zip(template.outputs, outputs, strict=True)
        outputs = tuple(state.quantizing.apply(scope, member.name, value) for member, value in named)
    return outputs


def _quantized_inputs(
    state: State, specialization: Specialization, arguments: list[Argument], scope: str, is_root: bool
) -> list[Argument]:
    found = []
    for member, value in zip(specialization.template.inputs, arguments, strict=True):
        quantized = state.quantizing.apply(scope, member.name, value)
        if is_root and quantized is not value:
            state.tell(member.name, quantized)
        found.append(quantized)
    return found


def _update(
    state: State,
    specialization: Specialization,
    arguments: list[Argument],
    outputs: Sequence[Argument],
    scope: str,
    iterations: tuple[int, ...],
) -> None:
    """Update the variables of an operator whose outputs formulas compute."""
    ready = prepared(specialization)
    program = ready.program
    if program is None:
        Stepwise(state, specialization, arguments, scope, iterations, False).update(outputs)
        return
    constants = ready.constants(state.real, state.budget) if program.constants else {}
    frame = program.enter(state, arguments, constants, scope, iterations, False)
    for reference, value in zip(program.outputs, outputs, strict=True):
        frame.write(reference, value)
    program.update(frame)


def _intrinsic(
    state: State, ready: PreparedSpecialization, arguments: list[Argument], scope: str
) -> tuple[Argument, ...]:
    specialization = ready.specialization
    assert ready.intrinsic is not None
    try:
        attributes = ready.attributes
    except ValueError:
        raise EvaluationFailed(UNKNOWN_VALUE, "the value of an attribute is not known") from None
    with np.errstate(all="ignore"):
        return ready.intrinsic(
            BoundIntrinsic(
                attributes,
                specialization.scope.dtypes,
                tuple(arguments),
                ready.output_shapes,
                state.real,
                state.generator(scope),
                state.budget,
                None,
            )
        )
