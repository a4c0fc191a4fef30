"""A composed graph as an ONNX model: nodes, functions for composed operators, control flow, state.

An operator is written by its counterpart in ONNX, if there is one; else as a function of the model, made from its
composition or from its formulas. Operations that can't be written are noted, and the rest is written nevertheless.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from msgspec import Struct
from onnx import TensorProto, helper, numpy_helper

from snd_analysis.compose import Session, Specialization, decompose, quantizations_below
from snd_analysis.model import Branch, Graph, Loop, Operation, Quantization, Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Pack
from snd_runtime.lowering.lowered import Argument
from snd_server.exchange.graph_export.errors import NotExportable, Unsuitable
from snd_server.exchange.graph_export.operation_writer import OperationWriter, variable_names
from snd_server.exchange.graph_export.quantizing import quantizing_operation
from snd_server.exchange.graph_export.root_graph import (
    declared_constants,
    defaults_of_inputs,
    module_of,
    with_open_inputs,
)
from snd_server.exchange.graph_export.tensors import arrays_of_variable
from snd_server.exchange.onnx_export import counterparts as _counterparts  # noqa: F401 - fills the table
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.formulas import write_formulas
from snd_server.exchange.onnx_export.quantized import linear_of, write_linear
from snd_server.exchange.onnx_export.registry import COUNTERPARTS
from snd_server.exchange.onnx_export.scope import IR_VERSION, OPERATOR_SET, TYPES, NodeScope, Root
from snd_server.exchange.onnx_export.sizes import for_any_size

STATE_SUFFIX = ".next"
"""Suffix of the name of a variable for the output with its new value."""


class Function(Struct, frozen=True, eq=False):
    """A function of the model, for one kind of invocation of an operator."""

    domain: str
    name: str
    variables: tuple[str, ...]
    """The variables that it takes after its inputs, by the names that they have in it."""
    updates: Mapping[str, int]
    """The variables whose new values it gives after its outputs, with the number of their tensors."""


def write_model(
    specialization: Specialization,
    variables: Mapping[str, Argument],
    *,
    flat: bool = False,
    traced: bool = False,
    quantizing: Session | None = None,
) -> onnx.ModelProto:
    """Return a graph or operator with these variables, by scoped name, as a model.

    ``flat`` writes no functions for operators of the model itself. ``traced`` makes an output of every named tensor.
    ``quantizing`` quantizes the tensors in ``@quantize`` by operators of that session; names lead through operators of
    the model then, so these are written flat. Raise NotExportable with all operators that can't be exported.
    """
    if quantizing is not None and specialization.body is not None and quantizations_below(specialization.body):
        return _ModelWriter(True, traced, quantizing).model(specialization, variables)
    try:
        return _ModelWriter(flat, traced).model(specialization, variables)
    except NotExportable:
        if flat:
            raise
        # An attribute may be an extent that no input of its operator has: it is known only at the invocation.
        return _ModelWriter(True, traced).model(specialization, variables)


def write_operations(
    specialization: Specialization, graph: Graph, variables: Mapping[str, Argument]
) -> onnx.ModelProto:
    """Return a part of the flat graph of a specialization as a model. Raise NotExportable."""
    return _ModelWriter(True, False).graph_model(specialization, graph, variables)


class _ModelWriter(OperationWriter[NodeScope, ScopedCall, Function]):
    without_form = "ONNX has no such node, and there is neither a composition nor a formula to take its place"

    def __init__(self, flat: bool, traced: bool, quantizing: Session | None = None) -> None:
        super().__init__(flat, COUNTERPARTS)
        self._traced = traced
        self._quantizing = quantizing
        self._protos: list[onnx.FunctionProto] = []
        self._taken: set[tuple[str, str]] = set()

    def model(self, specialization: Specialization, variables: Mapping[str, Argument]) -> onnx.ModelProto:
        """Return a graph or operator as a model. Raise NotExportable."""
        return self.graph_model(specialization, self.root_graph(specialization), variables)

    def graph_model(
        self, specialization: Specialization, graph: Graph, variables: Mapping[str, Argument]
    ) -> onnx.ModelProto:
        """Return a graph, or a part of the graph, of a specialization as a model. Raise NotExportable."""
        root = Root(is_function=False)
        scope = NodeScope(root)
        for name in graph.outputs:  # their names are known outside
            root.fresh(name)
        inputs = _declare_inputs(scope, graph.inputs.values())
        for defaulted, default in defaults_of_inputs(specialization, graph).items():
            root.constants[scope.names[defaulted]] = default  # an initializer of its name makes an input optional
        state = self._variables(scope, graph, variables)
        _bind_constants(scope, specialization, graph)
        for given in (graph.inputs, graph.variables, graph.constants):
            for tensor in given.values():
                self._quantize(scope, tensor)
        self._operations(scope, graph.operations)
        outputs = self._outputs(scope, graph)
        self._operations(scope, graph.update_operations)
        for name, names in self._new_values(scope, graph).items():
            for (old, info), new in zip(state.get(name, ()), names, strict=True):
                inputs.append(info)
                outputs.append(_renamed(info, scope.node("Identity", [new], root.fresh(old + STATE_SUFFIX))))
        if self._problems:
            raise NotExportable(with_open_inputs(specialization, sorted(self._problems)))
        if self._traced:
            outputs += self._trace(scope, graph, {each.name for each in outputs})
        proto = helper.make_graph(scope.nodes, specialization.template.name.name, inputs, outputs)
        return self._finished(proto, root)

    def _finished(self, graph: onnx.GraphProto, root: Root) -> onnx.ModelProto:
        domains = sorted({each.domain for each in self._protos})
        imports = [helper.make_opsetid("", OPERATOR_SET), *(helper.make_opsetid(domain, 1) for domain in domains)]
        for each in self._protos:
            del each.opset_import[:]
            each.opset_import.extend(imports)
        model = helper.make_model(graph, opset_imports=imports, functions=self._protos, producer_name="snd")
        model.ir_version = IR_VERSION
        _drop_unused(model)
        used = _read(model.graph.node) | {each.name for each in (*model.graph.output, *model.graph.input)}
        for name, array in root.constants.items():
            if name in used:
                # Weights are large: each is copied once, into its place.
                _fill(model.graph.initializer.add(), name, array)
        return model

    # ---- the graph itself --------------------------------------------------------------------------------------------
    def _variables(
        self, scope: NodeScope, graph: Graph, given: Mapping[str, Argument]
    ) -> dict[str, list[tuple[str, onnx.ValueInfoProto]]]:
        """Give the variables their values; an updated variable is also an optional input."""
        found = {}
        for name, value in graph.variables.items():
            arrays = arrays_of_variable(name, value, given)
            if any(array is None for array in arrays):  # nothing needs it, or its user reports it
                scope.variables[name] = [""] * len(arrays)
                continue
            names = [
                scope.root.constant(np.asarray(array), tensor.name)
                for tensor, array in zip(tensors_of(value), arrays, strict=True)
            ]
            scope.bind(value, names)
            scope.variables[name] = names
            pairs = zip(tensors_of(value), names, strict=True)
            found[name] = [(one, _info(tensor, one)) for tensor, one in pairs]
        return found

    def _outputs(self, scope: NodeScope, graph: Graph) -> list[onnx.ValueInfoProto]:
        infos = []
        for name, value in graph.outputs.items():
            tensors = [*tensors_of(value)]
            for at, tensor in enumerate(tensors):
                wanted = name if isinstance(value, Tensor) else scope.root.fresh(f"{name}[{at}]")
                scope.node("Identity", [self._name(scope, tensor)], wanted)
                infos.append(_info(tensor, wanted))
        return infos

    def _trace(self, scope: NodeScope, graph: Graph, known: set[str]) -> list[onnx.ValueInfoProto]:
        made = {name for node in scope.nodes for name in node.output}
        tensors = (tensor for value in graph.tensors.values() for tensor in tensors_of(value))
        return [
            _info(tensor, scope.names[tensor])
            for tensor in dict.fromkeys(tensors)
            if scope.names.get(tensor) in made - known
        ]

    # ---- operations --------------------------------------------------------------------------------------------------
    def _quantize(self, scope: NodeScope, value: TensorValue, done: Container[str] = ()) -> None:
        """Replace the tensors of a value by their quantized versions from here on, except names in ``done``."""
        if self._quantizing is None:
            return
        for tensor in tensors_of(value):
            if tensor.quantization is not None and tensor in scope.names and tensor.name not in done:
                scope.names[tensor] = self._quantized_version(self._quantizing, scope, tensor, tensor.quantization)

    def _quantized_version(self, session: Session, scope: NodeScope, tensor: Tensor, found: Quantization) -> str:
        made = quantizing_operation(session, tensor, found)
        operation, callee, argument, ones = made.operation, made.callee, made.argument, made.ones
        name, rank = scope.names[tensor], len(tensor.shape or ())
        linear = linear_of(callee, ScopedCall(scope, operation, callee, []).attributes, argument)
        if linear is not None and not linear.scale.ndim:
            ones = 0
        axes = scope.constant([*range(ones)]) if ones else ""
        if ones:
            name = scope.node("Unsqueeze", [name, axes])
        if linear is not None:
            name = write_linear(scope, linear, name, rank + ones)
        else:
            scope.bind(argument, [name])
            name = scope.root.fresh(made.result.name)
            failed = self._written(scope, operation, [[name]])
            if failed is not None:
                self._problems[failed] = None
        return scope.node("Squeeze", [name, axes]) if ones else name

    def _bound(self, scope: NodeScope, operation: Operation, value: TensorValue) -> None:
        self._quantize(scope, value, _results_of_parts(operation))

    def _call(
        self, scope: NodeScope, operation: Operation, callee: Specialization, outputs: list[list[str]]
    ) -> ScopedCall:
        return ScopedCall(scope, operation, callee, outputs)

    # ---- functions ---------------------------------------------------------------------------------------------------
    def _invoke(self, call: ScopedCall) -> None:
        function = self._function(call.callee)
        scope, label = call.scope, call.operation.label
        names = call.given()
        for variable in function.variables:
            names += variable_names(scope, label, variable)
        scoped = {f"{label}.{name}" if label else name: count for name, count in function.updates.items()}
        news = {name: [scope.root.fresh(name) for _ in range(count)] for name, count in scoped.items()}
        outputs = [name for each in (*call.names, *news.values()) for name in each]
        scope.nodes_of(function.name, names, outputs, domain=function.domain)
        scope.updates.update(news)

    def _made(self, callee: Specialization) -> Function:
        template = callee.template
        variables: tuple[str, ...] = ()
        updates: Mapping[str, int] = {}
        if callee.body is not None and template.is_composite:
            body, variables, updates = self._composed(callee)
        else:
            body = for_any_size(callee, _formulas)
            variables = tuple(callee.variables)
        domain, name = self._unique(template.original or template.name)
        nodes = [onnx.NodeProto.FromString(each) for each in body.nodes]
        self._protos.append(helper.make_function(domain, name, body.inputs, body.outputs, nodes, []))
        return Function(domain, name, variables, updates)

    def _new_values(self, scope: NodeScope, graph: Graph) -> dict[str, list[str]]:
        """Return the names of the new values of variables, by the scoped names of these."""
        return {**{name: self._names(scope, value) for name, value in graph.updates.items()}, **scope.updates}

    def _composed(self, callee: Specialization) -> tuple[_Body, tuple[str, ...], Mapping[str, int]]:
        """Return a composed operator, the variables that it reads, and the ones that it updates."""
        root = Root(is_function=True)
        scope = NodeScope(root)
        assert callee.body is not None
        graph = decompose(callee.body, self._inlined, callee.template.name.path, is_root=False)
        inputs = [info.name for info in _declare_inputs(scope, graph.inputs.values())]
        inputs += _declare_variables(scope, graph.variables)
        _bind_constants(scope, callee, graph, is_root=False)
        self._operations(scope, graph.operations)
        results = [name for value in graph.outputs.values() for name in self._names(scope, value)]
        self._operations(scope, graph.update_operations)
        news = self._new_values(scope, graph)
        results += [name for names in news.values() for name in names]
        updates = {name: len(names) for name, names in news.items()}
        return _body(scope, inputs, results), tuple(graph.variables), updates

    def _unique(self, operator: OperatorName) -> tuple[str, str]:
        module = module_of(operator)
        domain = f"snd.{module}" if is_library(operator.path) else module or "model"
        name, number = operator.name, 1
        while (domain, name) in self._taken:
            number += 1
            name = f"{operator.name}_{number}"
        self._taken.add((domain, name))
        return domain, name

    # ---- control flow ------------------------------------------------------------------------------------------------
    def _control(self, scope: NodeScope, operation: Operation, outputs: list[list[str]]) -> None:
        write = self._branch if isinstance(operation.control, Branch) else self._loop
        write(scope, operation, outputs)

    def _branch(self, scope: NodeScope, operation: Operation, outputs: list[list[str]]) -> None:
        assert isinstance(operation.control, Branch)
        self._cases(scope, operation.control, 0, [name for names in outputs for name in names])

    def _cases(self, scope: NodeScope, branch: Branch, at: int, outputs: Sequence[str]) -> None:
        case = branch.cases[at]
        if not isinstance(case.condition, Graph):
            raise Unsuitable("its condition is known in the run only")
        self._operations(scope, case.condition.operations)
        (condition,) = self._names(scope, next(iter(case.condition.outputs.values())))
        condition = scope.node("Reshape", [condition, scope.constant(np.zeros(0), np.int64)])
        then = self._part(scope, case.consequent)
        if at + 1 < len(branch.cases):
            inner = NodeScope(scope.root, scope)
            names = [scope.root.fresh("else") for _ in outputs]
            self._cases(inner, branch, at + 1, names)
            tensors = [tensor for value in branch.alternative.outputs.values() for tensor in tensors_of(value)]
            infos = [_open_info(tensor, name) for tensor, name in zip(tensors, names, strict=True)]
            otherwise = helper.make_graph(inner.nodes, "else", [], infos)
        else:
            otherwise = self._part(scope, branch.alternative)
        scope.nodes_of("If", [condition], outputs, then_branch=then, else_branch=otherwise)

    def _part(self, scope: NodeScope, part: Graph) -> onnx.GraphProto:
        inner = NodeScope(scope.root, scope)
        self._operations(inner, part.operations)
        if part.updates or inner.updates:
            raise Unsuitable("variables are updated in a part of control flow")
        infos = []
        for value in part.outputs.values():
            for tensor, name in zip(tensors_of(value), self._names(inner, value), strict=True):
                infos.append(_open_info(tensor, inner.node("Identity", [name])))
        return helper.make_graph(inner.nodes, part.name or "part", [], infos)

    def _loop(self, scope: NodeScope, operation: Operation, outputs: list[list[str]]) -> None:
        loop = operation.control
        assert isinstance(loop, Loop)
        starts = [name for each in loop.carried for name in self._names(scope, each.source)]
        scanned = [(each.local, self._stacked(scope, each.source)) for each in loop.scanned]
        count = self._count(scope, loop, [pack for _, pack in scanned])
        body = NodeScope(scope.root, scope)
        number = scope.root.fresh("iteration")
        infos = [helper.make_tensor_value_info(number, TensorProto.INT64, [])]
        infos.append(helper.make_tensor_value_info(scope.root.fresh("condition"), TensorProto.BOOL, []))
        for each in loop.carried:
            names = [scope.root.fresh(tensor.name) for tensor in tensors_of(each.local)]
            body.bind(each.local, names)
            infos += [_open_info(tensor, name) for tensor, name in zip(tensors_of(each.local), names, strict=True)]
        for local, pack in scanned:
            if isinstance(local, Tensor):
                body.bind(local, [body.node("Gather", [pack, number], axis=0)])
        if loop.index is not None:
            body.bind(loop.index, [number])
        self._operations(body, loop.body.operations)
        if loop.body.updates or body.updates:
            raise Unsuitable("variables are updated in a loop")
        results = [
            (tensor, body.node("Identity", [name]))
            for value in loop.body.outputs.values()
            for tensor, name in zip(tensors_of(value), self._names(body, value), strict=True)
        ]
        carried = results[: len(starts)]
        first, condition = "", self._going_on(body, loop, number, [name for _, name in carried])
        if loop.before is not None:
            first = self._condition(scope, loop, loop.before, scope.constant(0), starts)
        made = [helper.make_tensor_value_info(condition, TensorProto.BOOL, [])]
        made += [_open_info(tensor, name) for tensor, name in results]
        graph = helper.make_graph(body.nodes, "body", infos, made)
        packs = outputs[len(loop.carried) :]
        collected = [scope.root.fresh("collected") for _ in packs]
        targets = [name for names in outputs[: len(loop.carried)] for name in names]
        scope.nodes_of("Loop", [count, first, *starts], [*targets, *collected], body=graph)
        values = operation.outputs[len(loop.carried) :]
        for value, names, stacked in zip(values, packs, collected, strict=True):
            self._unpack(scope, value, names, stacked)

    def _unpack(self, scope: NodeScope, value: TensorValue, names: Sequence[str], stacked: str) -> None:
        if isinstance(value, Pack) and value.items is None:
            for tensor in tensors_of(value):
                scope.stacks[tensor] = stacked
            return
        for at, name in enumerate(names):
            scope.node("Gather", [stacked, scope.constant(at)], name, axis=0)

    def _stacked(self, scope: NodeScope, value: TensorValue) -> str:
        """Return the tensors of a pack as one."""
        if not isinstance(value, Pack):
            raise Unsuitable("it is not known what it scans")
        if value.items is None:
            return scope.stack(value)
        tensors = [*tensors_of(value)]
        if len({str(tensor.shape) for tensor in tensors}) != 1:
            raise Unsuitable("it scans tensors of different shapes")
        axes = scope.constant([0])
        parts = [scope.node("Unsqueeze", [self._name(scope, tensor), axes]) for tensor in tensors]
        return scope.node("Concat", parts, axis=0)

    def _count(self, scope: NodeScope, loop: Loop, packs: Sequence[str]) -> str:
        match loop.count:
            case Integer():
                return scope.node("Squeeze", [scope.integer(loop.count)])
            case Tensor():
                shape = scope.constant(np.zeros(0), np.int64)
                return scope.node("Reshape", [self._name(scope, loop.count), shape])
            case None:
                lengths = [scope.node("Shape", [pack], start=0, end=1) for pack in packs]
                if not lengths:
                    return ""
                return scope.node("Squeeze", [scope.node("Min", lengths) if len(lengths) > 1 else lengths[0]])
        raise Unsuitable("the number of iterations is known in the run only")

    def _going_on(self, body: NodeScope, loop: Loop, number: str, carried: Sequence[str]) -> str:
        """Return the condition for another iteration."""
        found = None
        if loop.after is not None:
            found = self._condition(body, loop, loop.after, number, carried)
        if loop.before is not None:
            following = body.node("Add", [number, body.constant(1)])
            before = self._condition(body, loop, loop.before, following, carried)
            found = before if found is None else body.node("And", [found, before])
        return found if found is not None else body.node("Identity", [body.constant(True, np.bool_)])

    def _condition(self, scope: NodeScope, loop: Loop, graph: Graph, number: str, carried: Sequence[str]) -> str:
        inner = NodeScope(scope.root, scope)
        inner.nodes = scope.nodes
        names = iter(carried)
        for each in loop.carried:
            inner.bind(each.local, [next(names) for _ in tensors_of(each.local)])
        if loop.index is not None:
            inner.bind(loop.index, [number])
        self._operations(inner, graph.operations)
        (found,) = self._names(inner, next(iter(graph.outputs.values())))
        return inner.node("Reshape", [found, inner.constant(np.zeros(0), np.int64)])


def _results_of_parts(operation: Operation) -> set[str]:
    """Return the names of the results of parts of control flow: an equally named result is quantized there."""
    return {
        tensor.name
        for part in operation.subgraphs.values()
        for value in part.outputs.values()
        for tensor in tensors_of(value)
    }


# ---- bodies of functions ---------------------------------------------------------------------------------------------
class _Body(Struct, frozen=True):
    """The contents of a function. Nodes are in the form of files, so that equal ones can be recognized."""

    inputs: list[str]
    outputs: list[str]
    nodes: list[bytes]


def _declare_inputs(scope: NodeScope, values: Iterable[TensorValue]) -> list[onnx.ValueInfoProto]:
    infos = []
    for value in values:
        names = [scope.root.fresh(tensor.name) for tensor in tensors_of(value)]
        scope.bind(value, names)
        infos += [_info(tensor, name) for tensor, name in zip(tensors_of(value), names, strict=True)]
    return infos


def _declare_variables(scope: NodeScope, variables: Mapping[str, TensorValue]) -> list[str]:
    """Let variables be further inputs of a function; return the names of their tensors."""
    inputs: list[str] = []
    for name, value in variables.items():
        scope.variables[name] = [scope.root.fresh(tensor.name) for tensor in tensors_of(value)]
        scope.bind(value, scope.variables[name])
        inputs += scope.variables[name]
    return inputs


def _formulas(callee: Specialization) -> _Body:
    """Return the nodes for the formulas of an operator. Raise Unsuitable."""
    scope = NodeScope(Root(is_function=True))
    template = callee.template
    inputs = [info.name for info in _declare_inputs(scope, callee.inputs)]
    inputs += _declare_variables(scope, callee.variables)
    outputs = [[scope.root.fresh(tensor.name) for tensor in tensors_of(value)] for value in callee.outputs]
    place = template.place(0, template.definition.name)
    own = Operation(template.name, None, {}, {}, callee.inputs, callee.outputs, place, callee)
    write_formulas(ScopedCall(scope, own, callee, outputs))
    return _body(scope, inputs, [name for names in outputs for name in names])


def _body(scope: NodeScope, inputs: list[str], results: Sequence[str]) -> _Body:
    # A result is computed by a node of the function, and each has a name of its own.
    made = {name for node in scope.nodes for name in node.output}
    unique: list[str] = []
    for name in results:
        unique.append(scope.node("Identity", [name]) if name not in made or name in unique else name)
    constants = [
        helper.make_node("Constant", [], [constant], value=_fill(TensorProto(), constant, array))
        for constant, array in scope.root.constants.items()
    ]
    return _Body(inputs, unique, [each.SerializeToString(deterministic=True) for each in (*constants, *scope.nodes)])


# ---- types and names -------------------------------------------------------------------------------------------------
def _info(tensor: Tensor, name: str) -> onnx.ValueInfoProto:
    extents = [
        each.value if isinstance(each, Integer) and each.value is not None else str(each) for each in tensor.shape or ()
    ]
    return helper.make_tensor_value_info(name, TYPES[tensor.dtype or "real"], extents)


def _fill(proto: TensorProto, name: str, array: np.ndarray[Any, Any]) -> TensorProto:
    """Let a constant of the model have this name and these elements."""
    if array.dtype == object:
        proto.CopyFrom(numpy_helper.from_array(array, name))
        return proto
    proto.name = name
    proto.data_type = helper.np_dtype_to_tensor_dtype(array.dtype)
    proto.dims.extend(array.shape)
    proto.raw_data = np.ascontiguousarray(array).tobytes()
    return proto


def _open_info(tensor: Tensor, name: str) -> onnx.ValueInfoProto:
    """Return the type of a tensor in control flow, without shape: it may differ between cases and iterations."""
    return helper.make_tensor_value_info(name, TYPES[tensor.dtype or "real"], None)


def _renamed(info: onnx.ValueInfoProto, name: str) -> onnx.ValueInfoProto:
    copy = onnx.ValueInfoProto()
    copy.CopyFrom(info)
    copy.name = name
    return copy


def _bind_constants(scope: NodeScope, specialization: Specialization, graph: Graph, is_root: bool = True) -> None:
    """Give the constants that definitions declare their values."""
    for name, value in declared_constants(specialization, graph.constants, is_root).items():
        declared = graph.constants.get(name)
        if declared is not None:
            arrays = [value] if isinstance(value, np.ndarray) else list(value or ())
            scope.bind(declared, [scope.declared_constant(each, name) for each in arrays])


def _drop_unused(model: onnx.ModelProto) -> None:
    """Drop constants and functions that only abandoned attempts needed."""
    for function in model.functions:
        _keep(function.node, _read(function.node) | set(function.output))
    bodies = {(each.domain, each.name): each.node for each in model.functions}
    reached: set[tuple[str, str]] = set()
    pending = [*_invoked(model.graph.node)]
    while pending:
        key = pending.pop()
        if key in bodies and key not in reached:
            reached.add(key)
            pending += _invoked(bodies[key])
    functions = [each for each in model.functions if (each.domain, each.name) in reached]
    del model.functions[:]
    model.functions.extend(functions)
    domains = {each.domain for each in functions}
    imports = [each for each in model.opset_import if each.domain in domains or each.domain == ""]
    for owner in (model, *model.functions):
        del owner.opset_import[:]
        owner.opset_import.extend(imports)


def _keep(nodes: Any, used: set[str]) -> None:
    kept = [node for node in nodes if node.op_type != "Constant" or node.output[0] in used]
    del nodes[:]
    nodes.extend(kept)


def _read(nodes: Iterable[onnx.NodeProto]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        found.update(node.input)
        for part in _parts(node):
            found |= _read(part.node) | {each.name for each in part.output}
    return found


def _invoked(nodes: Iterable[onnx.NodeProto]) -> Iterable[tuple[str, str]]:
    for node in nodes:
        yield node.domain, node.op_type
        for part in _parts(node):
            yield from _invoked(part.node)


def _parts(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    return [attribute.g for attribute in node.attribute if attribute.type == onnx.AttributeProto.GRAPH]
