"""The statements of a body, composed and run one by one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose import Arguments, Composing, Site, Specialization, arguments
from snd_analysis.compose.body import (
    BodyState,
    Naming,
    ResultValues,
    Targets,
    assign,
    blame,
    call,
    finished_outputs,
    made_output,
    right_side,
    scopes_of_branch,
    static_condition,
)
from snd_analysis.model import Place, Tensor, TensorValue, empty_pack, tensor_value, tensors_of
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import FALSE, TRUE
from snd_analysis.symbolic.values import UNDEFINED, Pack, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.binding import reason
from snd_runtime.execution.compilation import scope_is_passed_on, scope_of_graph
from snd_runtime.execution.failing import check_bounds, raise_failure
from snd_runtime.execution.lifetimes import LEAST_BYTES
from snd_runtime.execution.plain import bytes_of, tensor_of
from snd_runtime.execution.prepared import prepared
from snd_runtime.execution.state import State, joined, truth
from snd_runtime.execution.stepwise.arrays import Arrays
from snd_runtime.execution.stepwise.loops import run_loop
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import UNKNOWN_VALUE


class Stepwise:
    """One run of one body: an ``Interpreter`` of its statements that knows the array of each tensor.

    ``specialization`` is bound to the shapes of ``inputs``.
    """

    def __init__(
        self,
        run: State,
        specialization: Specialization,
        inputs: Sequence[Argument],
        scope: str,
        iterations: tuple[int, ...],
        is_root: bool,
    ) -> None:
        self.run = run
        self.outer_scope = scope
        self.iterations = iterations
        self.is_root = is_root
        self.specialization = specialization
        self.template = specialization.template
        self.arrays = Arrays(run)
        self._scope_is_passed_on = scope_is_passed_on(specialization) and not is_root
        ready = prepared(specialization)
        self._last_uses = ready.last_uses
        declared = run.session.declared(self.template, _given(specialization))
        raise_failure(declared.failures)
        self.state = BodyState(declared, run.session.budget)
        self.naming = Naming(run.session, self.template)
        self.composing = Composing(run.session, self.state, self.naming)
        """Composer of parts that are not run: the body of a loop without iterations, a loop that becomes a program."""
        for formal, value in zip(declared.inputs, inputs, strict=True):
            self.arrays.let(formal, value)
        constants = ready.constants(run.real, run.budget) if declared.constants else {}
        for name, tensor in declared.constants.items():
            self._declare(name, tensor, run.quantizing.apply(scope, name, constants[name]))
        for name, tensor in declared.variables.items():
            self._declare(name, tensor, run.variable(scope, name, tensor))

    def _declare(self, name: str, declared: TensorValue, value: Argument) -> None:
        self.arrays.let(declared, value)
        if self.is_root:
            self.run.tell(name, value)

    def run_composition(self) -> list[Argument]:
        """Run the body, and return the outputs after updates. Raise EvaluationFailed."""
        self._run(self.template.components, 0)
        finished = finished_outputs(self.state)
        raise_failure(self.state.failures)
        outputs = []
        for member, declared in zip(self.template.outputs, finished, strict=True):
            value = self.arrays.argument(
                self.state.outputs.get(member.symbol, UNDEFINED), self.template.declared(member.symbol)
            )
            check_bounds(member.name, declared, value)
            outputs.append(value)
        self._update()
        return outputs

    def update(self, outputs: Sequence[Argument]) -> None:
        """Update variables, where formulas have computed the outputs. Raise EvaluationFailed."""
        for member, value in zip(self.template.outputs, outputs, strict=True):
            self.state.scope.values[member.symbol] = tensor = tensor_of(value, member.name)
            self.arrays.let(tensor, value)
        self._update()

    def _update(self) -> None:
        self._run(self.template.updates, len(self.template.components))
        for name, value in self.state.updated.items():
            self.run.variables.store(joined(self.outer_scope, name), self.arrays.argument(value, None))

    def _run(self, entries: Sequence[tuple[int, nodes.Component]], first: int) -> None:
        done = self.run.done
        for number, (base, component) in enumerate(entries):
            self.state.begin(base)
            self.statement(component)
            self._free(first + number)
            if self.is_root:
                self.run.advance(done + number + 1)

    def _free(self, number: int) -> None:
        """Forget the results that no statement after this one names."""
        values, last = self.state.scope.values, self._last_uses
        dead = self.arrays.counted(values.get(symbol, UNDEFINED) for symbol, at in last.items() if at == number)
        if self.arrays.bytes_of(dead) < LEAST_BYTES:
            return
        alive = {
            tensor
            for symbol, value in values.items()
            if last.get(symbol, number + 1) > number
            for tensor in tensors_of(value)
        }
        results = (*self.state.outputs.values(), *self.state.updated.values())
        kept = {tensor for value in results for tensor in tensors_of(value)}
        self.arrays.free(dead - alive - kept)

    # ---- statements --------------------------------------------------------------------------------------------------
    def statement(self, component: nodes.Component) -> None:
        """Compose and runs one statement. Raise EvaluationFailed."""
        place = self.state.place(component)
        self.run.budget.check_time(place)
        targets = self.naming.targets(component)
        values = right_side(self, component.value, targets)
        raise_failure(self.state.failures)
        if values is None or UNDEFINED in values:
            raise EvaluationFailed(UNKNOWN_VALUE, "the value of this is not known", place)
        if self.run.quantizing.is_applied and isinstance(component.value, nodes.Branch | nodes.Loop):
            values = [self.quantized(value, targets.name(at), place) for at, value in enumerate(values)]
        assign(self.state, component, values)
        raise_failure(self.state.failures)
        if isinstance(component.value, nodes.Branch | nodes.Loop):
            self._show_control(component.value, targets, values)
        elif not isinstance(component.value, nodes.Call):
            self._tell_copies(component, values)

    def invocation(self, call: nodes.Call, name: OperatorName, targets: Targets) -> ResultValues | None:
        """Run an invocation. Raise EvaluationFailed."""
        template = self.run.session.template(name)
        if template is None:
            return None
        given = arguments(self.state, call)
        place = self.state.place(call.function)
        specialization = self.run.session.specialization(template, given)
        for failure in specialization.failures:
            blame(self.state, failure, call, template)
        raise_failure(self.state.failures)
        if not specialization.valid:
            raise EvaluationFailed(UNKNOWN_VALUE, reason(template, given), place)
        inputs = [self.arrays.argument(value, place) for value in given.inputs]
        label = self.state.scope_below(targets.label)
        if self._scope_is_passed_on and not targets.is_written:
            label = None
        scope = self.outer_scope if label is None else joined(self.outer_scope, label)
        scope = scope_of_graph(specialization, targets.is_written) or scope
        budget = self.run.budget
        used = budget.used
        try:
            outputs = self.run.invoke(specialization, inputs, scope, self.iterations)
        except EvaluationFailed as failed:
            raise failed.via(Site(place, f"'{template.shown}' is invoked here")) from None
        budget.settle(used + sum(bytes_of(value) for value in outputs))
        return [
            self._named(value, member.name, targets, at, place, specialization.outputs[at])
            for at, (value, member) in enumerate(zip(outputs, template.outputs, strict=True))
        ]

    def _named(
        self, value: Argument, formal: str, targets: Targets, at: int, place: Place, declared: TensorValue
    ) -> TensorValue:
        """Return the tensors of a result, with the names on the left side of the statement."""
        found = tensor_of(value, formal)
        if isinstance(found, Pack) and not found.segments and isinstance(declared, Pack) and declared.run is not None:
            found = empty_pack(declared.run.element)
        elif isinstance(found, Pack) and not found.segments:
            found = declared
        made = made_output(self.state, found, formal, targets, at, place)
        value = self.run.quantizing.result(self.outer_scope, made, value)
        self.arrays.let(made, value)
        self.arrays.count(made)
        self._show(made, value)
        return made

    def quantized(self, value: Value, name: str | None, place: Place) -> TensorValue:
        """Return a tensor or pack, quantized as its name demands. Raise EvaluationFailed."""
        if isinstance(value, Pack) and value.items is not None:
            return Pack([self.quantized(item, name, place) for item in value.items], dtype=value.dtype)
        if not isinstance(value, Tensor) or name is None:
            return tensor_value(value)
        array = self.arrays.array(value, place)
        quantized = self.run.quantizing.apply(self.outer_scope, self.state.scoped(name), array)
        if quantized is array:
            return value
        made = replace(value)
        self.arrays.let(made, quantized)
        return made

    def _show(self, tensor: TensorValue, value: Argument) -> None:
        if self.run.watch is None:
            return
        outputs = set() if self.is_root or self.state.labels else {member.name for member in self.template.outputs}
        names = {each.name.partition("[")[0] for each in tensors_of(tensor)}
        if not names & outputs:
            self.run.show(self.outer_scope, tensor, value, self.iterations)

    def _show_control(self, node: nodes.Branch | nodes.Loop, targets: Targets, values: ResultValues) -> None:
        """Show results of control flow, which have other names where they were computed."""
        if self.run.watch is None:
            return
        place = self.state.place(node)
        for at, value in enumerate(values):
            name = targets.name(at)
            if name is None or not (tensors := tensors_of(value)):
                continue
            shown = [replace(tensor, name=self.state.scoped(name), place=place) for tensor in tensors]
            if isinstance(value, Pack):
                shown = [replace(each, name=f"{each.name}[{number}]") for number, each in enumerate(shown)]
            with suppress(EvaluationFailed):  # of an empty pack there is nothing
                self._show(Pack(shown) if isinstance(value, Pack) else shown[0], self.arrays.argument(value, place))

    def _tell_copies(self, component: nodes.Component, values: ResultValues) -> None:
        """Report the result of a statement under its further names."""
        if self.run.watch_names is None:
            return
        for result, value in zip(component.results, values, strict=False):
            if isinstance(result, nodes.Result) and isinstance(result.target, nodes.Name):
                place = self.state.place(result.target)
                with suppress(EvaluationFailed):  # unknown values may be unused
                    self.run.tell(result.target.text, self.arrays.argument(value, place), place, self.iterations)

    # ---- branches ----------------------------------------------------------------------------------------------------
    def branch(self, node: nodes.Branch, targets: Targets) -> ResultValues | None:
        """Run the branch whose condition holds. Raise EvaluationFailed."""
        scopes = scopes_of_branch(self, node, targets)
        for case, (of_condition, of_consequent) in zip(node.cases, scopes, strict=False):
            static = static_condition(self.state, case.condition)
            if static is FALSE:
                continue
            if static is UNDEFINED:
                raise EvaluationFailed(UNKNOWN_VALUE, "the condition is not known", self.state.place(case.condition))
            if static is TRUE or (static is None and self.holds(case.condition, of_condition)):
                return call(self, case.consequent, of_consequent)
        return call(self, node.alternative, scopes[-1][-1])

    def holds(self, condition: nodes.Callable, targets: Targets) -> bool:
        """Run a condition. Raise EvaluationFailed."""
        place = self.state.place(condition)
        values = call(self, condition, targets)
        found = truth(self.arrays.argument(values[0], place)) if values is not None and len(values) == 1 else None
        raise_failure(self.state.failures)
        if found is None:
            raise EvaluationFailed(rules.CONDITION_SHAPE, "a condition is one bool", place)
        return found

    # ---- loops -------------------------------------------------------------------------------------------------------
    def loop(self, node: nodes.Loop, targets: Targets) -> ResultValues | None:
        """Run a loop. Raise EvaluationFailed."""
        return run_loop(self, node, targets)


def _given(specialization: Specialization) -> Arguments:
    """Return arguments that bind the same specialization again."""
    scope = specialization.scope
    dtypes = tuple(scope.dtypes[generic.name.text] for generic in specialization.template.generics)
    attributes = {name: value for name, value in specialization.attributes.items() if value is not UNDEFINED}
    return Arguments(dtypes, attributes, specialization.inputs)
