"""The statements of a body, composed and run one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.body.branches import scopes_of_branch, static_condition
from snd_analysis.compose.body.composer import Composer, Values
from snd_analysis.compose.body.results import Targets, assign, made_output
from snd_analysis.compose.failure import Site
from snd_analysis.compose.specialization import Specialization
from snd_analysis.model import Place, TensorValue, empty_pack, tensors_of
from snd_analysis.skriptnd.names.symbols import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import FALSE, TRUE
from snd_analysis.symbolic.values import NULL, UNDEFINED, Pack
from snd_runtime.errors import EvaluationFailed
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


class Stepwise(Composer):
    """One run of one body. ``specialization`` is bound to the shapes of ``inputs``."""

    def __init__(
        self,
        state: State,
        specialization: Specialization,
        inputs: Sequence[Argument],
        scope: str,
        iterations: tuple[int, ...],
        is_root: bool,
    ) -> None:
        self.state = state
        self.outer_scope = scope
        self.iterations = iterations
        self.is_root = is_root
        self.bound = specialization
        self.arrays = Arrays(state)
        self._is_probing = False
        self._scope_is_passed_on = scope_is_passed_on(specialization)
        self._last_uses = prepared(specialization).last_uses
        own = state.session.declared(specialization.template, _given(specialization))
        raise_failure(own)
        super().__init__(state.session, own)
        for declared, value in zip(own.inputs, inputs, strict=True):
            self.arrays.let(declared, value)
        constants = prepared(specialization).constants(state.real, state.budget) if own.constants else {}
        for name, declared in own.constants.items():
            self._declare(name, declared, constants[name])
        for name, declared in own.variables.items():
            self._declare(name, declared, state.variables.value(joined(scope, name), declared))

    def _declare(self, name: str, declared: TensorValue, value: Argument) -> None:
        self.arrays.let(declared, value)
        if self.is_root:
            self.state.tell(name, value)

    def run_composition(self) -> list[Argument]:
        """The outputs, after updates. Raises EvaluationFailed."""
        self._run(self.template.components, 0)
        self.finish_outputs()
        raise_failure(self.specialization)
        outputs = []
        for member, declared in zip(self.template.outputs, self.specialization.outputs, strict=True):
            value = self.arrays.argument(
                self.outputs.get(member.symbol, UNDEFINED), self.template.declared(member.symbol)
            )
            check_bounds(member.name, declared, value)
            outputs.append(value)
        self._update()
        return outputs

    def update(self, outputs: Sequence[Argument]) -> None:
        """Updates variables, where formulas have computed the outputs. Raises EvaluationFailed."""
        for member, value in zip(self.template.outputs, outputs, strict=True):
            self.scope.values[member.symbol] = tensor = tensor_of(value, member.name)
            self.arrays.let(tensor, value)
        self._update()

    def _update(self) -> None:
        self._run(self.template.updates, len(self.template.components))
        for name, value in self.updated.items():
            self.state.variables.store(joined(self.outer_scope, name), self.arrays.argument(value, None))

    def _run(self, entries: Sequence[tuple[int, nodes.Component]], first: int) -> None:
        done = self.state.done
        for number, (base, component) in enumerate(entries):
            self.base = base
            self.statement(component)
            self._free(first + number)
            if self.is_root:
                self.state.advance(done + number + 1)

    def _free(self, number: int) -> None:
        """Forgets the results that no statement after this one names."""
        values, last = self.scope.values, self._last_uses
        dead = self.arrays.counted(values.get(symbol, UNDEFINED) for symbol, at in last.items() if at == number)
        if self.arrays.bytes_of(dead) < LEAST_BYTES:
            return
        alive = {
            tensor
            for symbol, value in values.items()
            if last.get(symbol, number + 1) > number
            for tensor in tensors_of(value)
        }
        kept = {tensor for value in (*self.outputs.values(), *self.updated.values()) for tensor in tensors_of(value)}
        self.arrays.free(dead - alive - kept)

    # ---- statements --------------------------------------------------------------------------------------------------
    def statement(self, component: nodes.Component) -> None:
        """Composes and runs one statement. Raises EvaluationFailed."""
        if self._is_probing:
            super().statement(component)
            return
        place = self.place(component)
        self.state.budget.check_time(place)
        targets = self.naming.targets(component)
        values = self._right_side(component.value, targets)
        raise_failure(self.specialization)
        if values is None or UNDEFINED in values:
            raise EvaluationFailed(UNKNOWN_VALUE, "what this comes to is not known", place)
        assign(self, component, values)
        raise_failure(self.specialization)
        if isinstance(component.value, nodes.Branch | nodes.Loop):
            self._show_control(component.value, targets, values)
        elif not isinstance(component.value, nodes.Call):
            self._tell_copies(component, values)

    def invocation(self, call: nodes.Call, name: OperatorName, targets: Targets) -> Values | None:
        """Runs an invocation. Raises EvaluationFailed."""
        template = self.session.template(name)
        if template is None or self._is_probing:
            return super().invocation(call, name, targets)
        given = self.given(call)
        place = self.place(call.function)
        specialization = self.session.specialization(template, given)
        for failure in specialization.failures:
            self.blame(failure, call, template)
        raise_failure(self.specialization)
        if not specialization.valid:
            raise EvaluationFailed(UNKNOWN_VALUE, f"'{template.shown}' can't be composed here", place)
        inputs = [self.arrays.argument(value, place) for value in given.inputs]
        label = self.scope_of(targets)
        if self._scope_is_passed_on and not targets.is_written:
            label = None
        scope = self.outer_scope if label is None else joined(self.outer_scope, label)
        scope = scope_of_graph(specialization, targets.is_written) or scope
        budget = self.state.budget
        used = budget.used
        try:
            outputs = self.state.invoke(specialization, inputs, scope, self.iterations)
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
        """The tensors of a result, as the left side of the statement names them."""
        found = tensor_of(value, formal)
        if isinstance(found, Pack) and not found.segments and isinstance(declared, Pack) and declared.run is not None:
            found = empty_pack(declared.run.element)
        elif isinstance(found, Pack) and not found.segments:
            found = declared
        made = made_output(self, found, formal, targets, at, place)
        self.arrays.let(made, value)
        self.arrays.count(made)
        self._show(made, value)
        return made

    def _show(self, tensor: TensorValue, value: Argument) -> None:
        if self.state.watch is None:
            return
        outputs = set() if self.is_root or self._labels else {member.name for member in self.template.outputs}
        names = {each.name.partition("[")[0] for each in tensors_of(tensor)}
        if not names & outputs:
            self.state.show(self.outer_scope, tensor, value, self.iterations)

    def _show_control(self, node: nodes.Branch | nodes.Loop, targets: Targets, values: Values) -> None:
        """Shows results of control flow, which have other names where they were computed."""
        if self.state.watch is None:
            return
        place = self.place(node)
        for at, value in enumerate(values):
            name = targets.name(at)
            if name is None or not (tensors := tensors_of(value)):
                continue
            shown = [replace(tensor, name=self.scoped(name), place=place) for tensor in tensors]
            if isinstance(value, Pack):
                shown = [replace(each, name=f"{each.name}[{number}]") for number, each in enumerate(shown)]
            with suppress(EvaluationFailed):  # of an empty pack there is nothing
                self._show(Pack(shown) if isinstance(value, Pack) else shown[0], self.arrays.argument(value, place))

    def _tell_copies(self, component: nodes.Component, values: Values) -> None:
        """Tells of what a statement gives one more name."""
        if self.state.watch_names is None:
            return
        for result, value in zip(component.results, values, strict=False):
            if isinstance(result, nodes.Result) and isinstance(result.target, nodes.Name):
                place = self.place(result.target)
                with suppress(EvaluationFailed):  # nobody may need what is not known
                    self.state.tell(result.target.text, self.arrays.argument(value, place), place, self.iterations)

    # ---- branches ----------------------------------------------------------------------------------------------------
    def branch(self, node: nodes.Branch, targets: Targets) -> Values | None:
        """Runs the branch whose condition holds. Raises EvaluationFailed."""
        if self._is_probing:
            return super().branch(node, targets)
        scopes = scopes_of_branch(self, node, targets)
        for case, (of_condition, of_consequent) in zip(node.cases, scopes, strict=False):
            static = static_condition(self, case.condition)
            if static is FALSE or static is NULL:
                continue
            if static is UNDEFINED:
                raise EvaluationFailed(UNKNOWN_VALUE, "the condition is not known", self.place(case.condition))
            if static is TRUE or (static is None and self.holds(case.condition, of_condition)):
                return self.call(case.consequent, of_consequent)
        return self.call(node.alternative, scopes[-1][-1])

    def holds(self, condition: nodes.Callable, targets: Targets) -> bool:
        """Runs a condition. Raises EvaluationFailed."""
        place = self.place(condition)
        values = self.call(condition, targets)
        found = truth(self.arrays.argument(values[0], place)) if values is not None and len(values) == 1 else None
        raise_failure(self.specialization)
        if found is None:
            raise EvaluationFailed(rules.CONDITION_SHAPE, "a condition is one bool", place)
        return found

    # ---- loops -------------------------------------------------------------------------------------------------------
    def loop(self, node: nodes.Loop, targets: Targets) -> Values | None:
        """Runs a loop. Raises EvaluationFailed."""
        return super().loop(node, targets) if self._is_probing else run_loop(self, node, targets)

    def probed(self, body: nodes.Callable, targets: Targets) -> Values | None:
        """What the body of a loop would give; nothing is run."""
        with self.probing():
            return super().probed(body, targets)

    @contextmanager
    def probing(self) -> Iterator[None]:
        """Within, everything is composed only."""
        before, self._is_probing = self._is_probing, True
        try:
            yield
        finally:
            self._is_probing = before


def _given(specialization: Specialization) -> Arguments:
    """What binds a specialization once more."""
    scope = specialization.scope
    dtypes = tuple(scope.dtypes[generic.name.text] for generic in specialization.template.generics)
    attributes = {name: value for name, value in specialization.attributes.items() if value is not UNDEFINED}
    return Arguments(dtypes, attributes, specialization.inputs)
