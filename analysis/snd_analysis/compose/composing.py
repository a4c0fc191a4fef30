"""Composing the body of a graph or operator, statement by statement (2.10, 2.11, chapter 3)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.body.branches import branch
from snd_analysis.compose.body.interpreter import right_side
from snd_analysis.compose.body.outputs import blame, invoked_at
from snd_analysis.compose.body.results import Targets, assign, made_output
from snd_analysis.compose.body.scoped_names import Callees, Naming
from snd_analysis.compose.body.state import BodyState, ResultValues
from snd_analysis.compose.budget import OverBudgetError
from snd_analysis.compose.checks.counterexamples import invokes_obligations
from snd_analysis.compose.checks.transposition import transposed_argument
from snd_analysis.compose.failure import Site
from snd_analysis.compose.freshen import Freshening, concerned
from snd_analysis.compose.loops.composed import loop
from snd_analysis.compose.reuse.lasting_model import alike, first_name
from snd_analysis.model import Operation, TensorValue
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import NULL, Value, substitute


class Composing:
    """Interprets statements by their shapes: an ``Interpreter`` that adds operations to a graph."""

    def __init__(self, callees: Callees, state: BodyState, naming: Naming) -> None:
        self.callees = callees
        self.state = state
        self.naming = naming
        self.made_before: Mapping[str, list[TensorValue]] = {}
        """Earlier results of the current statement, by name. They replace equal new results."""
        self._began: float = callees.budget.done
        """The step count at the start of this body.

        Infinite within a loop: the loop is blamed for the cost of its body.
        """
        self.invokes_obligations = False
        """True if the operations bring any obligation with them."""

    @property
    def composing(self) -> Composing:
        """Itself: it runs nothing."""
        return self

    def statement(self, component: nodes.Component) -> None:
        """Compose one statement."""
        state = self.state
        state.step()
        first = len(state.operations)
        values = right_side(self, component.value, self.naming.targets(component))
        state.first_operation = first
        assign(state, component, values)

    def note_obligations(self, first: int) -> None:
        """Note whether the operations from ``first`` on bring any obligation with them."""
        if not self.invokes_obligations:
            self.invokes_obligations = invokes_obligations(self.state.template, self.state.operations[first:])

    def branch(self, node: nodes.Branch, targets: Targets) -> ResultValues | None:
        """Return the results of a branch. Raise EvaluationError if a condition has no value."""
        self.state.step()
        return branch(self, node, targets)

    def loop(self, node: nodes.Loop, targets: Targets) -> ResultValues | None:
        """Return the results of a loop. Raise EvaluationError if an expression has no value."""
        self.state.step()
        around, began = self._began, self.callees.budget.done
        self._began = math.inf
        try:
            return loop(self, node, targets)
        except OverBudgetError as error:
            error.via(Site(self.state.place(node.keyword), "the loop is composed here"), min(around, began))
            raise
        finally:
            self._began = around

    def invocation(self, call: nodes.Call, name: OperatorName, targets: Targets) -> ResultValues | None:
        """Return the results of an invocation; None if it is not valid.

        Raise EvaluationError if an expression has no value.
        """
        state, template = self.state, self.callees.template(name)
        if template is None:
            return None
        state.step()
        given = arguments(state, call)
        try:
            specialization, actual = self.callees.shared_specialization(template, given)
        except OverBudgetError as error:
            error.via(invoked_at(state, call), self._began)
            raise
        state.used[specialization] = None
        failures = specialization.failures
        if (
            any(failure.rule is rules.ASSERTION_FAILS for failure in failures)
            and template.in_library
            and not state.template.in_library
        ):
            transposed = transposed_argument(self.callees, template, given)
            failures = failures if transposed is None else (transposed,)
        for failure in failures:
            blame(state, failure, call, template)
        if not specialization.valid:
            return None
        place = state.place(call.function)
        outputs = tuple(
            made_output(state, output, member.name, targets, at, place)
            for at, (output, member) in enumerate(zip(specialization.outputs, template.outputs, strict=True))
        )
        attributes, checks = specialization.attributes, specialization.checks
        if actual:
            attributes = {name: substitute(value, actual) for name, value in attributes.items()}
            checks = tuple(replace(check, condition=shapes.substitute(check.condition, actual)) for check in checks)
        if specialization.dynamic or actual:
            freshening = Freshening(concerned(specialization.dynamic, specialization.outputs), actual)
            outputs = tuple(freshening.tensors(output) for output in outputs)
            state.dynamic.update(freshening.extents)
        if self.made_before:
            outputs = tuple(map(self._as_before, outputs))
        state.operations.append(
            Operation(
                name, state.scope_below(targets.label), specialization.scope.dtypes, attributes,
                given.inputs, outputs, place, specialization, labelled=targets.is_written, checks=checks,
            )
        )  # fmt: skip
        return list(outputs)

    def _as_before(self, output: TensorValue) -> TensorValue:
        known = self.made_before.get(first_name(output), ())
        return next((each for each in known if alike(each, output)), output)


def arguments(state: BodyState, call: nodes.Call) -> Arguments:
    """Return the arguments of an invocation. Raise EvaluationError if an expression has no value."""
    dtypes = tuple(state.scope.element_type(item) for item in call.generics.items) if call.generics else ()
    attributes: dict[str, Value] = {}
    for item in call.attributes.items if call.attributes is not None else ():
        attributes[item.name.text] = state.scope.evaluate(item.value)
    inputs = tuple(
        NULL if isinstance(argument, nodes.Tilde) else state.tensor(argument, None) for argument in call.arguments
    )
    return Arguments(dtypes, attributes, inputs)
