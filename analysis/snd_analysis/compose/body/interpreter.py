"""The walker of statements, shared by all interpreters (2.10).

An interpreter defines the results of invocations, branches and loops: composing gives them tensors with shapes, running
gives them arrays. Labels, blocks and expressions mean the same for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

from snd_analysis.base import Layers
from snd_analysis.compose.body.results import Targets
from snd_analysis.compose.body.scoped_names import Naming
from snd_analysis.compose.body.state import BodyState, ResultValues
from snd_analysis.compose.failure import Failure
from snd_analysis.model import ControlFlow, Graph, Operation, TensorValue
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes

RightSide: TypeAlias = "nodes.Branch | nodes.Loop | nodes.Callable"


class Interpreter(Protocol):
    """The results of the constructs of a body. The methods return None for unknown results."""

    state: BodyState
    naming: Naming

    @property
    def composing(self) -> Interpreter:
        """Return an interpreter that composes the same body without running any part of it."""

    def statement(self, component: nodes.Component) -> None:
        """Evaluate one statement and assign its results."""

    def invocation(self, call: nodes.Call, name: OperatorName, targets: Targets) -> ResultValues | None:
        """Return the results of an invocation. Raise EvaluationError if an expression has no value."""

    def branch(self, node: nodes.Branch, targets: Targets) -> ResultValues | None:
        """Return the results of a branch. Raise EvaluationError if a condition has no value."""

    def loop(self, node: nodes.Loop, targets: Targets) -> ResultValues | None:
        """Return the results of a loop. Raise EvaluationError if an expression has no value."""


def right_side(interpreter: Interpreter, value: RightSide, targets: Targets) -> ResultValues | None:
    """Return the results of a statement; None if they are not known, or an expression has no value, which is noted."""
    try:
        match value:
            case nodes.Branch():
                return interpreter.branch(value, targets)
            case nodes.Loop():
                return interpreter.loop(value, targets)
            case _:
                return call(interpreter, value, targets)
    except EvaluationError as error:
        interpreter.state.note_failure(error)
        return None


def call(interpreter: Interpreter, value: nodes.Callable, targets: Targets) -> ResultValues | None:
    """Return the results of an invocation, a block or an expression; None if they are not known.

    Raise EvaluationError if an expression has no value.
    """
    state = interpreter.state
    match value:
        case nodes.Labelled():
            return call(interpreter, value.value, targets.labelled(value.label.text))
        case nodes.Region():
            return _region(interpreter, value, targets)
        case nodes.Call():
            name = state.template.resolution.targets.get(value.function)
            if isinstance(name, OperatorName):
                return interpreter.invocation(value, name, targets)
    return [state.tensor(value, targets.name(0))]


def _region(interpreter: Interpreter, region: nodes.Region, targets: Targets) -> ResultValues | None:
    state, results = interpreter.state, None
    with state.labelled(targets.label):
        for item in region.items:
            if isinstance(item, nodes.Component):
                interpreter.statement(item)
            elif isinstance(item, nodes.Yield) and results is None:
                results = [state.tensor(each, targets.name(at)) for at, each in enumerate(item.values)]
    return results


# ---- parts of control flow -------------------------------------------------------------------------------------------
def part(
    interpreter: Interpreter,
    name: str,
    node: nodes.Callable,
    targets: Targets,
    inputs: Mapping[str, TensorValue] | None = None,
) -> tuple[ResultValues | None, Graph]:
    """Return the results of one part of a control flow construct, and the part as a graph of its own.

    Raise EvaluationError if an expression in it has no value.
    """
    state = interpreter.state
    operations, state.operations = state.operations, []
    tensors, state.tensors = state.tensors, Layers()
    try:
        values = call(interpreter, node, targets)
        outputs = {targets.name(at) or str(at): value for at, value in enumerate(values or ())}
        graph = Graph(name, inputs or {}, outputs, {}, {}, state.tensors.whole(), tuple(state.operations))
    finally:
        state.operations, state.tensors = operations, tensors
    return values, graph


def tried(
    interpreter: Interpreter, body: nodes.Callable, targets: Targets
) -> tuple[ResultValues | None, list[Failure]]:
    """Return the results of a body with the current values of its names, and its failures; the state is restored."""
    state = interpreter.state
    before, checks = len(state.failures), len(state.checks)
    try:
        results, _ = part(interpreter, "body", body, targets)
    except EvaluationError:
        results = None
    found = state.failures[before:]
    del state.failures[before:]
    del state.checks[checks:]
    return results, found


def add_operation(
    state: BodyState,
    control: ControlFlow,
    node: nodes.Node,
    inputs: tuple[TensorValue, ...],
    results: ResultValues | None,
    targets: Targets,
) -> None:
    """Add a control flow operation to the graph."""
    scope = state.scope_below(targets.label)
    outputs = tuple(results or ())
    state.operations.append(Operation(None, scope, {}, {}, inputs, outputs, state.place(node), None, control))
