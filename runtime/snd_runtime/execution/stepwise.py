"""A body that is composed and run at once, statement by statement, because what it comes to depends on data (3.1).

Each result has the shape of its array when the next statement is composed: so extents, lengths of packs, compile-time
conditions and assertions are all known where they are needed, by the same code that composes graphs.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from snd_analysis import shapes
from snd_analysis.compose.binding import Given
from snd_analysis.compose.branches import scopes_of_branch, static_condition
from snd_analysis.compose.composer import Composer, Values
from snd_analysis.compose.decomposition import tensors_of
from snd_analysis.compose.failure import Site
from snd_analysis.compose.instance import Instance
from snd_analysis.compose.loops import (
    MOST_ITERATIONS,
    final,
    initial,
    iterations,
    lengths_agree,
    let,
    nothing_collected,
    scopes_of_loop,
    unrolled,
)
from snd_analysis.compose.results import Targets, assign, made_output
from snd_analysis.model import Loop, Operation, Place, Tensor, TensorKind, TensorValue, empty_pack, item_of_empty
from snd_analysis.names.symbols import OperatorName
from snd_analysis.shapes import FALSE, TRUE
from snd_analysis.syntax import nodes
from snd_analysis.values import NULL, UNDEFINED, EvaluationError, Pack
from snd_analysis.values import item as item_of
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.compilation import Undecided, compiled_loop, scope_is_passed_on, scope_of_graph
from snd_runtime.execution.failing import check_bounds, raise_failure
from snd_runtime.execution.lifetimes import LEAST_BYTES
from snd_runtime.execution.plain import array_dtype, bytes_of, fits, plain, static_shape, tensor_of
from snd_runtime.execution.prepared import prepared, weight_of
from snd_runtime.execution.program import Frame, check_count, filled, integer
from snd_runtime.execution.state import State, joined, truth
from snd_runtime.lowering.arithmetic import INT, Array
from snd_runtime.lowering.lowered import Argument

# Loops with fewer iterations are composed as they are run.
_LONG = 16


class Stepwise(Composer):
    """One run of one body. ``instance`` is bound to the shapes of ``inputs``."""

    def __init__(
        self,
        state: State,
        instance: Instance,
        inputs: Sequence[Argument],
        scope: str,
        iterations: tuple[int, ...],
        is_root: bool,
    ) -> None:
        self._state = state
        self._outer_scope = scope
        self._iterations = iterations
        self._is_root = is_root
        self._bound = instance
        self._is_probing = False
        self._scope_is_passed_on = scope_is_passed_on(instance)
        self._last_uses = prepared(instance).last_uses
        self._counted: set[Tensor] = set()
        """The results that take part of the budget."""
        self._arrays: ChainMap[Tensor, Array] = ChainMap()
        own = state.session.declared(instance.unit, _given(instance))
        raise_failure(own)
        super().__init__(state.session, own)
        for declared, value in zip(own.inputs, inputs, strict=True):
            self._let(declared, value)
        constants = prepared(instance).constants(state.real, state.budget) if own.constants else {}
        for name, declared in own.constants.items():
            self._let(declared, constants[name])
        for name, declared in own.variables.items():
            self._let(declared, state.variables.value(joined(scope, name), declared))

    def run_composition(self) -> list[Argument]:
        """The outputs, after updates. Raises EvaluationFailed."""
        self._run(self.unit.components, 0)
        self.finish_outputs()
        raise_failure(self.instance)
        outputs = []
        for member, declared in zip(self.unit.outputs, self.instance.outputs, strict=True):
            value = self.argument(self.outputs.get(member.symbol, UNDEFINED), self.unit.declared(member.symbol))
            check_bounds(member.name, declared, value)
            outputs.append(value)
        self._update()
        return outputs

    def update(self, outputs: Sequence[Argument]) -> None:
        """Updates variables, where formulas have computed the outputs. Raises EvaluationFailed."""
        for member, value in zip(self.unit.outputs, outputs, strict=True):
            self.scope.values[member.symbol] = tensor = tensor_of(value, member.name)
            self._let(tensor, value)
        self._update()

    def _update(self) -> None:
        self._run(self.unit.updates, len(self.unit.components))
        for name, value in self.updated.items():
            self._state.variables.store(joined(self._outer_scope, name), self.argument(value, None))

    def _run(self, entries: Sequence[tuple[int, nodes.Component]], first: int) -> None:
        done = self._state.done
        for number, (base, component) in enumerate(entries):
            self.base = base
            self.statement(component)
            self._free(first + number)
            if self._is_root:
                self._state.advance(done + number + 1)

    def _free(self, number: int) -> None:
        """Forgets the results that no statement after this one names."""
        values, last = self.scope.values, self._last_uses
        dead = {
            tensor
            for symbol in [symbol for symbol, at in last.items() if at == number]
            for tensor in tensors_of(values.get(symbol))
            if tensor in self._counted
        }
        if sum(self._arrays[tensor].nbytes for tensor in dead) < LEAST_BYTES:
            return
        alive = {
            tensor
            for symbol, value in values.items()
            if last.get(symbol, number + 1) > number
            for tensor in tensors_of(value)
        }
        kept = {tensor for value in (*self.outputs.values(), *self.updated.values()) for tensor in tensors_of(value)}
        for tensor in dead - alive - kept:
            array = self._arrays.pop(tensor)
            self._counted.discard(tensor)
            self._state.budget.release(array.size, array.itemsize)

    # ---- arrays ------------------------------------------------------------------------------------------------------
    def _let(self, tensor: TensorValue, value: Argument) -> None:
        if isinstance(tensor, Tensor):
            assert isinstance(value, np.ndarray)
            self._arrays[tensor] = value
        elif isinstance(tensor, Pack) and value is not None:
            for one, array in zip(tensor.items or (), value, strict=True):
                self._let(one, array)

    def argument(self, value: TensorValue, place: Place | None) -> Argument:
        """What a tensor or pack stands for. Raises EvaluationFailed if that is not known."""
        if value is NULL:
            return None
        if isinstance(value, Pack) and value.items is not None:
            return tuple(self._array(item, place) for item in value.items)
        return self._array(value, place)

    def _array(self, value: TensorValue, place: Place | None) -> Array:
        if isinstance(value, Tensor):
            known = self._arrays.get(value)
            if known is None and value.kind is TensorKind.CONSTANT:
                known = self._arrays[value] = self._constant(value, place)
            if known is not None:
                return known
        raise EvaluationFailed("unknown-value", "what this comes to is not known", place)

    def _constant(self, tensor: Tensor, place: Place | None) -> Array:
        shape = static_shape(tensor)
        try:
            value = plain(tensor.value)
        except ValueError:
            value = None
        if value is None or shape is None or tensor.dtype is None:
            raise EvaluationFailed("unknown-value", "the value of a constant is not known", place)
        if not fits(value):
            raise EvaluationFailed("int-overflow", f"{value} does not fit into 64 bits", place)
        dtype = array_dtype(tensor.dtype, self._state.real)
        self._state.budget.allocate(f"'{tensor.name}'", int(np.prod(shape, dtype=object)), dtype.itemsize, place)
        return np.full(shape, value, dtype)

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
        self._let(made, value)
        self._counted.update(tensors_of(made))
        self._show(made, value)
        return made

    def _show(self, tensor: TensorValue, value: Argument) -> None:
        if self._state.watch is None:
            return
        outputs = set() if self._is_root or self._labels else {member.name for member in self.unit.outputs}
        names = {each.name.partition("[")[0] for each in tensors_of(tensor)}
        if not names & outputs:
            self._state.show(self._outer_scope, tensor, value, self._iterations)

    # ---- statements --------------------------------------------------------------------------------------------------
    def statement(self, component: nodes.Component) -> None:
        """Composes and runs one statement. Raises EvaluationFailed."""
        if self._is_probing:
            super().statement(component)
            return
        place = self.place(component)
        self._state.budget.check_time(place)
        values = self._right_side(component.value, self.naming.targets(component))
        raise_failure(self.instance)
        if values is None or UNDEFINED in values:
            raise EvaluationFailed("unknown-value", "what this comes to is not known", place)
        assign(self, component, values)
        raise_failure(self.instance)

    def invocation(self, call: nodes.Call, name: OperatorName, targets: Targets) -> Values | None:
        """Runs an invocation. Raises EvaluationFailed."""
        unit = self.session.unit(name)
        if unit is None or self._is_probing:
            return super().invocation(call, name, targets)
        given = self.given(call)
        place = self.place(call.function)
        instance = self.session.instance(unit, given)
        for failure in instance.failures:
            self.blame(failure, call, unit)
        raise_failure(self.instance)
        if not instance.valid:
            raise EvaluationFailed("unknown-value", f"'{unit.shown}' can't be composed here", place)
        inputs = [self.argument(value, place) for value in given.inputs]
        label = self.scope_of(targets)
        if self._scope_is_passed_on and not targets.is_written:
            label = None
        scope = self._outer_scope if label is None else joined(self._outer_scope, label)
        scope = scope_of_graph(instance, targets.is_written) or scope
        budget = self._state.budget
        used = budget.used
        try:
            outputs = self._state.invoke(instance, inputs, scope, self._iterations)
        except EvaluationFailed as failed:
            raise failed.via(Site(place, f"'{unit.shown}' is invoked here")) from None
        budget.settle(used + sum(bytes_of(value) for value in outputs))
        return [
            self._named(value, member.name, targets, at, place, instance.outputs[at])
            for at, (value, member) in enumerate(zip(outputs, unit.outputs, strict=True))
        ]

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
                raise EvaluationFailed("unknown-value", "the condition is not known", self.place(case.condition))
            if static is TRUE or (static is None and self._holds(case.condition, of_condition)):
                return self.call(case.consequent, of_consequent)
        return self.call(node.alternative, scopes[-1][-1])

    def _holds(self, condition: nodes.Callable, targets: Targets) -> bool:
        place = self.place(condition)
        values = self.call(condition, targets)
        found = truth(self.argument(values[0], place)) if values is not None and len(values) == 1 else None
        raise_failure(self.instance)
        if found is None:
            raise EvaluationFailed("condition-shape", "a condition is one bool", place)
        return found

    # ---- loops -------------------------------------------------------------------------------------------------------
    def loop(self, node: nodes.Loop, targets: Targets) -> Values | None:
        """Runs a loop. Raises EvaluationFailed."""
        if self._is_probing:
            return super().loop(node, targets)
        carries = [initial(self, carry) for carry in node.carries]
        packs = [self.tensor(scan.value, scan.name.text) for scan in node.scans]
        if not lengths_agree(self, node, packs):
            return None
        place = self.place(node)
        number = self._count(node, packs, place)
        raise_failure(self.instance)
        if node.keyword.text == "unroll" and number is not None and number <= MOST_ITERATIONS:
            return unrolled(self, node, carries, packs, number, targets)
        values = self._at_once(node, number, targets)
        return self._repeat(node, carries, packs, number, targets) if values is None else values

    def _at_once(self, node: nodes.Loop, number: int | None, targets: Targets) -> Values | None:
        """Runs a long loop whose shapes are all known, its body being composed once; None if it is none."""
        if number is None or number < _LONG or node.conditions or self._state.watch is not None:
            return None
        operation = self._composed(node, targets)
        if operation is None or not isinstance(operation.control, Loop):
            return None
        try:
            made = compiled_loop(self._bound, operation.control, operation.place, self._arrays, weight_of)
        except Undecided:
            return None
        frame = Frame(self._state, len(made.slots), self._outer_scope, self._iterations, self._is_root)
        for tensor, slot in made.slots.items():
            frame.arrays[slot] = self._arrays.get(tensor)
        for each in made.fixed:
            frame.arrays[each.slot] = filled(self._state, each)
        results: Values = []
        for value, found in zip(operation.outputs, made.repetition.run(frame), strict=True):
            result = _written_out(value, found)
            self._let(result, found)
            self._counted.update(tensors_of(result))
            results.append(result)
        return results

    def _composed(self, node: nodes.Loop, targets: Targets) -> Operation | None:
        """A loop as an operation of its own; None if only the run tells all about it, or it has mistakes."""
        instance, operations, checks = self.instance, self.operations, len(self.checks)
        failures, dynamic = len(instance.failures), len(instance.dynamic)
        self.operations, self._is_probing = [], True
        try:
            super().loop(node, targets)
            made = self.operations
        except EvaluationError:
            made = []
        finally:
            self.operations, self._is_probing = operations, False
        undecided = len(self.checks) > checks or len(instance.failures) > failures or len(instance.dynamic) > dynamic
        del self.checks[checks:]
        del instance.failures[failures:]
        return made[0] if len(made) == 1 and not undecided else None

    def _count(self, node: nodes.Loop, packs: Values, place: Place) -> int | None:
        lengths = [pack.length.value or 0 for pack in packs if isinstance(pack, Pack)]
        number, _ = iterations(self, node, packs)
        written = node.iteration.count if node.iteration is not None else None
        value = None if written is None else self.scope.evaluate(written)
        if isinstance(value, Tensor):
            found = integer(self.argument(value, place), place)
            check_count(found, lengths, place)
            return found
        return None if number is None else number.value

    def _repeat(
        self, node: nodes.Loop, carries: Values, packs: Values, number: int | None, targets: Targets
    ) -> Values | None:
        budget, around, place = self._state.budget, self._iterations, self.place(node)
        first, used, kept = carries, budget.used, 0
        collected: list[list[TensorValue]] | None = None
        before = [each.condition for each in node.conditions if not each.post]
        after = [each.condition for each in node.conditions if each.post]
        of_condition, of_body = scopes_of_loop(self, node, targets)
        try:
            for at in count() if number is None else range(number):
                budget.check_time(place)
                self._iterations = (*around, at)
                self._arrays = self._arrays.new_child()
                self._enter(node, carries, packs, at)
                if not all(self._holds(condition, of_condition) for condition in before):
                    self._leave([], place)
                    break
                results = self.call(node.body, of_body)
                raise_failure(self.instance)
                if results is None or UNDEFINED in results or len(results) < len(carries):
                    raise EvaluationFailed("unknown-value", "what the loop comes to is not known", place)
                carries = self._carried(node, first, results[: len(carries)], targets)
                items = [self._item(value, targets, at, number_of) for number_of, value in enumerate(results)][
                    len(carries) :
                ]
                self._leave([*carries, *items], place)
                collected = collected or [[] for _ in items]
                for pack, item in zip(collected, items, strict=True):
                    pack.append(item)
                    kept += bytes_of(self.argument(item, place))
                budget.settle(used + kept + sum(bytes_of(self.argument(value, place)) for value in carries))
                if after:
                    self._enter(node, carries, packs, at)
                    if not all(self._holds(condition, of_condition) for condition in after):
                        break
        finally:
            self._iterations = around
        if collected is None:
            return [*carries, *self._nothing(node, carries, packs, targets)]
        results = [*carries, *(Pack(row) for row in collected)]
        self._counted.update(tensor for value in results for tensor in tensors_of(value))
        return results

    def _enter(self, node: nodes.Loop, carries: Values, packs: Values, at: int) -> None:
        """Lets the names that a loop declares stand for what they are in one iteration."""
        for carry, value in zip(node.carries, carries, strict=True):
            let(self, carry.name, value)
        for scan, pack in zip(node.scans, packs, strict=True):
            let(self, scan.name, item_of(pack, shapes.constant(at)) if isinstance(pack, Pack) else UNDEFINED)
        if node.iteration is not None and node.iteration.index is not None:
            name = node.iteration.index
            index = Tensor(self.scoped(name.text), "int", (), TensorKind.LOCAL, self.place(name))
            self._let(index, np.array(at, INT))
            let(self, name, index)

    def _leave(self, kept: Values, place: Place) -> None:
        """Forgets the tensors of an iteration but those that are carried on or collected."""
        arrays = [self.argument(value, place) for value in kept]
        self._counted.difference_update(self._arrays.maps[0])
        self._arrays = self._arrays.parents
        for value, array in zip(kept, arrays, strict=True):
            self._let(value, array)

    def _carried(self, node: nodes.Loop, first: Values, carries: Values, targets: Targets) -> Values:
        """The carried variables after an iteration, of the shapes that they began with."""
        found: Values = []
        for at, (carry, before, now) in enumerate(zip(node.carries, first, carries, strict=True)):
            value = final(self, node, carry, before, now, targets, at)
            raise_failure(self.instance)
            if isinstance(value, Tensor):
                self._let(value, self.argument(now, None))
            found.append(value if isinstance(value, Tensor) else now)
        return found

    def _item(self, value: TensorValue, targets: Targets, iteration: int, at: int) -> TensorValue:
        """A result of the body, as an item of the pack that collects it."""
        if not isinstance(value, Tensor):
            return value
        named = replace(value, name=self.scoped(targets.item_name(at, iteration) or f"result[{iteration}]"))
        self._let(named, self._array(value, value.place))
        return named

    def _nothing(self, node: nodes.Loop, carries: Values, packs: Values, targets: Targets) -> Values:
        """The packs that a loop without iterations collects: empty ones, whose types its composition tells."""
        found = nothing_collected(self, node, carries, packs, targets)
        if len(found) < targets.count - len(carries) or not all(map(_item_is_known, found)):
            message = "there is nothing to scan, so nothing tells the types and shapes of what the loop would collect"
            raise EvaluationFailed("unknown-value", message, self.place(node))
        return found

    def probed(self, body: nodes.Callable, targets: Targets) -> Values | None:
        """What the body of a loop would give; nothing is run."""
        self._is_probing = True
        try:
            return super().probed(body, targets)
        finally:
            self._is_probing = False


def _written_out(value: TensorValue, found: Argument) -> TensorValue:
    """A pack with a tensor for each item: those of long ones are one and the same where they are composed."""
    run = value.run if isinstance(value, Pack) else None
    if run is None or not isinstance(run.element, Tensor) or found is None:
        return value
    like = run.element
    name = like.name.removesuffix("[]")
    return Pack(
        [Tensor(f"{name}[{at}]", like.dtype, like.shape, like.kind, like.place) for at in range(len(found))],
        dtype=like.dtype,
    )


def _item_is_known(pack: TensorValue) -> bool:
    item = item_of_empty(pack) if isinstance(pack, Pack) else None
    return item is not None and static_shape(item) is not None


def _given(instance: Instance) -> Given:
    """What binds an instance once more."""
    scope = instance.scope
    dtypes = tuple(scope.dtypes[generic.name.text] for generic in instance.unit.generics)
    attributes = {name: value for name, value in instance.attributes.items() if value is not UNDEFINED}
    return Given(dtypes, attributes, instance.inputs)
