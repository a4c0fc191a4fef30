"""Composing the statements of a body, as a pass over them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from snd_analysis.base import Layers, OperatorName
from snd_analysis.compose.body.results import assign
from snd_analysis.compose.checks.counterexamples import invokes_obligations
from snd_analysis.compose.composing import Composing
from snd_analysis.compose.reuse.lasting_model import StatementModel, first_name, given_outside, given_to, may_last
from snd_analysis.model import TensorValue
from snd_analysis.skriptnd.names import StatementPart
from snd_analysis.skriptnd.syntax import nodes


class ComposingOfStatements:
    """Composition of statements, except those with reported problems."""

    def __init__(self, composing: Composing) -> None:
        self._composing = composing
        self._reached: dict[OperatorName, tuple[object, object]] = {}

    def outside(self) -> Mapping[Hashable, object]:
        """Return all facts that statements may receive, except additions of other statements."""
        composing = self._composing
        found = given_outside(composing.state.scope)
        for name in composing.state.template.invoked:
            found[name] = self._definition(name)
        return found

    def _definition(self, name: OperatorName) -> tuple[object, object]:
        """Return the named definition, with all definitions that it reaches. The result is cached."""
        found = self._reached.get(name)
        if found is None:
            template = self._composing.callees.template(name)
            reached = None if template is None else self._composing.callees.reached(template)
            found = self._reached[name] = template, reached
        return found

    def may_last(self, part: StatementPart) -> bool:
        """Return whether nothing is wrong or ambiguous, and operations are known by no names but their own."""
        return not self._composing.naming.scopes and may_last(self._composing.state.template, part)

    def given(self, part: StatementPart) -> object | None:
        """Return the values of the symbols that are named, and the definitions that are invoked with all they reach."""
        composing = self._composing
        given = given_to(composing.state.scope, part)
        if given is None:
            return None
        given.extend(map(self._definition, part.operators))
        if composing.naming.scopes:
            given.append(
                [composing.naming.key(each.node) for each in part.single if isinstance(each.node, nodes.Component)]
            )
        return given

    def add(self, known: StatementModel) -> bool:
        """Add an earlier result. Raise OverBudgetError."""
        self._composing.state.use(known.steps, known.used)
        self._add(known)
        return True

    def _add(self, known: StatementModel) -> None:
        composing, state = self._composing, self._composing.state
        state.steps += known.steps
        state.used.update(dict.fromkeys(known.used))
        state.operations.extend(known.operations)
        state.tensors.add(known.tensors)
        state.scope.values.add(known.values)
        state.outputs.update(known.outputs)
        state.updated.update(known.updated)
        state.checks.extend(known.checks)
        state.dynamic.update(known.dynamic)
        composing.invokes_obligations = composing.invokes_obligations or known.invokes_obligations

    def run(self, part: StatementPart) -> None:
        """Compose a statement."""
        composing, state = self._composing, self._composing.state
        component = part.node
        assert isinstance(component, nodes.Component)
        base = state.template.resolution.starts[component]
        state.begin(base, component)
        if state.template.is_wrong(base, component):
            assign(state, component, None)
            return
        first = len(state.operations)
        composing.statement(component)
        composing.note_obligations(first)

    def work_out(self, part: StatementPart, versions: tuple[StatementModel, ...]) -> tuple[StatementModel, bool]:
        """Compose a statement, and return its additions."""
        composing, state = self._composing, self._composing.state
        failures = len(state.failures)
        composing.made_before = _results(versions)
        found = self._composed(part)
        composing.made_before = {}
        self._add(found)
        return found, len(state.failures) == failures

    def _composed(self, part: StatementPart) -> StatementModel:
        """Return the additions of a statement without adding them."""
        state = self._composing.state
        values = state.scope.values
        named = (*part.symbols, *part.given)
        before = [values.get(symbol) for symbol in named]
        around = state.operations, state.tensors, state.outputs, state.updated, state.checks, state.dynamic
        steps, used = state.steps, state.used
        state.operations, state.tensors, state.outputs = [], Layers(), {}
        state.steps, state.used = 0, {}
        state.updated, state.checks, state.dynamic = {}, [], {}
        try:
            self.run(part)
            changed = {
                symbol: values[symbol]
                for symbol, value in zip(named, before, strict=True)
                if symbol in values and values[symbol] is not value
            }
            return StatementModel(
                tuple(state.operations), state.tensors.whole(), changed, state.outputs, state.updated,
                tuple(state.checks), state.dynamic, invokes_obligations(state.template, state.operations),
                state.steps, tuple(state.used),
            )  # fmt: skip
        finally:
            state.operations, state.tensors, state.outputs, state.updated, state.checks, state.dynamic = around
            state.steps, state.used = steps, used

    def together(self, found: Sequence[StatementModel]) -> StatementModel:
        """Return the additions of a row."""
        tensors: dict[str, TensorValue] = {}
        together = StatementModel(
            tuple(operation for each in found for operation in each.operations), tensors, {}, {}, {},
            tuple(check for each in found for check in each.checks), {},
            any(each.invokes_obligations for each in found),
            sum(each.steps for each in found), tuple({used: None for each in found for used in each.used}),
        )  # fmt: skip
        for each in found:
            tensors.update(each.tensors)
            together.values.update(each.values)
            together.outputs.update(each.outputs)
            together.updated.update(each.updated)
            together.dynamic.update(each.dynamic)
        return together


def _results(versions: tuple[StatementModel, ...]) -> dict[str, list[TensorValue]]:
    """Return the results of operations, by the names of their first tensors."""
    found: dict[str, list[TensorValue]] = {}
    for version in versions:
        for operation in version.operations:
            for output in operation.outputs:
                found.setdefault(first_name(output), []).append(output)
    return found
