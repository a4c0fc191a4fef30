"""The worker process of ``snd run --engine onnxruntime``.

The graph is cut into runs of operations that can be exported, and onnxruntime computes each as one model. snd computes
the operations between them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Session, Specialization, specialization_of, variables_below
from snd_analysis.model import Operation, Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.values import NULL
from snd_runtime.evaluation.answer import EvaluationAnswer
from snd_runtime.evaluation.binding import Bound, FoundShapes
from snd_runtime.evaluation.handler import KnownFiles, evaluate, run_repeatedly
from snd_runtime.evaluation.request import WorkOrder
from snd_runtime.execution import Execution, RunResult, execute
from snd_runtime.execution.factors import Factors
from snd_runtime.execution.variables import Variables
from snd_runtime.limits import Budget
from snd_runtime.lowering.lowered import FLOAT32, Argument
from snd_server.exchange.graph_export.errors import NotExportable, Unsuitable
from snd_server.exchange.graph_export.parts import part_of, read_by, results_of
from snd_server.exchange.graph_export.root_graph import declared_constants, flat_graph
from snd_server.exchange.graph_export.tensors import constant_array
from snd_server.exchange.onnx_export.acceptance import too_large_to_load
from snd_server.exchange.onnx_export.model_writer import write_operations

Array: TypeAlias = np.ndarray[Any, Any]


def make() -> Callable[[WorkOrder, Callable[[Any], None]], EvaluationAnswer]:
    """Return the handler of a worker, see ``snd_runtime.worker.child``."""
    files, found = KnownFiles(), FoundShapes()

    def handle(order: WorkOrder, note: Callable[[Any], None]) -> EvaluationAnswer:
        return evaluate(files.snapshot(order.texts), order.request, note, found, run_by_onnxruntime)

    return handle


def run_by_onnxruntime(session: Session, given: Bound, execution: Execution, steps: int) -> RunResult:
    """Run a graph by onnxruntime, as far as it can be exported. Raise EvaluationFailed."""
    try:
        return _Engine(session, given.specialization, execution).run(given.arguments, steps)
    except Unsuitable as unsuitable:
        outcome = run_repeatedly(session, given, execution, steps)
        return replace(outcome, notes=(f"snd computed everything, not onnxruntime: {unsuitable}",))


class _Part(Struct, frozen=True, eq=False):
    """Operations that are computed at once: by onnxruntime, or one by snd where there is no ``judge``."""

    operations: tuple[Operation, ...]
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    judge: Any = None


class _Engine:
    def __init__(self, session: Session, specialization: Specialization, execution: Execution) -> None:
        self._session = session
        self._specialization = specialization
        self._execution = execution
        try:
            self._graph = flat_graph(specialization)
        except NotExportable as failed:
            raise Unsuitable(str(failed)) from None
        budget = Budget(execution.limits)
        drawing = Variables(execution.variables, execution.seed, FLOAT32, budget, Factors(session))
        self._variables: dict[str, Argument] = {}
        for name, declared in variables_below(specialization):
            if name not in self._variables:
                self._variables[name] = drawing.value(name, declared)
        self._drawn, self._unused = drawing.drawn, drawing.unused
        self._notes: dict[str, None] = {}
        self._fixed: dict[Tensor, Array] = {}
        for name, value in declared_constants(specialization, self._graph.constants).items():
            self._fixed.update(_named(self._graph.constants.get(name, NULL), value))
        operations = (*self._graph.operations, *self._graph.update_operations)
        self._parts = self._cut(operations)

    # ---- parts -------------------------------------------------------------------------------------------------------
    def _cut(self, operations: Sequence[Operation]) -> list[_Part]:
        """Return the operations in runs that can be exported, and single ones that can't."""
        runs: list[tuple[bool, list[Operation]]] = []
        for operation in operations:
            reason = self._obstacle(operation)
            if reason is not None:
                if specialization_of(operation) is None:
                    raise Unsuitable(reason)
                self._notes[f"onnxruntime can't compute {reason}: snd did"] = None
            if reason is None and runs and runs[-1][0]:
                runs[-1][1].append(operation)
            else:
                runs.append((reason is None, [operation]))
        parts: list[_Part] = []
        for at, (is_exported, run) in enumerate(runs):
            later = [operation for _, following in runs[at + 1 :] for operation in following]
            parts.append(self._part(run, later) if is_exported else _Part(tuple(run)))
        return parts

    def _obstacle(self, operation: Operation) -> str | None:
        try:
            self._written([operation], list(results_of([operation])))
        except NotExportable as failed:
            return "; ".join(map(str, failed.problems))
        return None

    def _part(self, operations: Sequence[Operation], later: Sequence[Operation]) -> _Part:
        wanted = {tensor for operation in later for tensor in read_by(operation)}
        for value in (*self._graph.outputs.values(), *self._graph.updates.values()):
            wanted.update(tensors_of(value))
        outputs = [tensor for tensor in results_of(operations) if tensor in wanted]
        model, inputs = self._written(operations, outputs)
        too_large = too_large_to_load(model)
        if too_large is not None:
            raise Unsuitable(too_large)
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        judge = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=onnxruntime.get_available_providers()
        )
        return _Part(tuple(operations), tuple(inputs), tuple(outputs), judge)

    def _written(self, operations: Sequence[Operation], outputs: Sequence[Tensor]) -> tuple[Any, list[Tensor]]:
        graph = part_of(self._graph, operations, outputs, self._fixed)
        inputs = [tensor for value in graph.inputs.values() for tensor in tensors_of(value)]
        return write_operations(self._specialization, graph, self._variables), inputs

    # ---- running -----------------------------------------------------------------------------------------------------
    def run(self, arguments: Sequence[Argument], steps: int) -> RunResult:
        """Run the graph ``steps`` times; variables keep their new values. Raise EvaluationFailed."""
        graph = self._graph
        values: dict[Tensor, Array] = {}
        for _ in range(steps):
            values = dict(self._fixed)
            formals = self._specialization.template.inputs
            for member, argument in zip(formals, arguments, strict=True):
                values.update(_named(graph.inputs.get(member.name, NULL), argument))
            for name, value in graph.variables.items():
                values.update(_named(value, self._variables.get(name)))
            for part in self._parts:
                self._compute(part, values)
            for name, value in graph.updates.items():
                self._variables[name] = _collected(value, values)
        outputs = {name: _collected(value, values) for name, value in graph.outputs.items()}
        named = {member.name: outputs.get(member.name) for member in self._specialization.template.outputs}
        updated = tuple(sorted(graph.updates))
        return RunResult(
            named, dict(self._variables), self._drawn, self._unused, updated=updated, notes=tuple(self._notes)
        )

    def _compute(self, part: _Part, values: dict[Tensor, Array]) -> None:
        if part.judge is not None:
            names = [each.name for each in part.judge.get_inputs()]
            given = [values[tensor] for tensor in part.inputs]
            found = part.judge.run(None, dict(zip(names, given, strict=True)))
            values.update(zip(part.outputs, found, strict=True))
            return
        (operation,) = part.operations
        callee = specialization_of(operation)
        assert callee is not None
        scope = f"{operation.label}." if operation.label else ""
        variables = {
            name.removeprefix(scope): value for name, value in self._variables.items() if name.startswith(scope)
        }
        inputs = [_collected(value, values) for value in operation.inputs]
        outcome = execute(self._session, callee, inputs, replace(self._execution, variables=variables))
        for result, computed in zip(operation.outputs, outcome.outputs.values(), strict=True):
            values.update(_named(result, computed))


def _named(value: TensorValue, array: Argument) -> Mapping[Tensor, Array]:
    tensors = [*tensors_of(value)]
    if array is None:
        return {}
    arrays = [array] if isinstance(array, np.ndarray) else list(array)
    if len(tensors) != len(arrays):
        raise Unsuitable("the number of tensors of a pack is known in the run only")
    return dict(zip(tensors, arrays, strict=True))


def _collected(value: TensorValue, values: Mapping[Tensor, Array]) -> Argument:
    if value is NULL:
        return None
    found = [values[each] if each in values else constant_array(each) for each in tensors_of(value)]
    return found[0] if isinstance(value, Tensor) else tuple(found)
