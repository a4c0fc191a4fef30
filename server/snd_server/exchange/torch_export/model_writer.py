"""A composed graph as a Python file: a class for each operator with variables, functions for others, and weights."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from snd_analysis.compose import Specialization, decompose, specialization_of, variables_below
from snd_analysis.model import Branch, Graph, Loop, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, Pack
from snd_runtime.execution.plain import plain
from snd_runtime.lowering.lowered import Argument
from snd_server.exchange.graph_export.errors import NotExportable, Unsuitable
from snd_server.exchange.graph_export.operation_writer import OperationWriter
from snd_server.exchange.graph_export.root_graph import declared_constants, with_open_inputs
from snd_server.exchange.graph_export.scope import NameTable
from snd_server.exchange.graph_export.tensors import arrays_of_variable, static_shape
from snd_server.exchange.torch_export import counterparts as _counterparts  # noqa: F401 - fills the table
from snd_server.exchange.torch_export.call import TorchCall
from snd_server.exchange.torch_export.merging import Definition, construct, merged, number
from snd_server.exchange.torch_export.registry import COUNTERPARTS
from snd_server.exchange.torch_export.scope import DTYPES, TorchScope, fit

_RESERVED = frozenset(["Path", "load_file", "parameter", "model", "torch", "nn", "F"])

WRITTEN_BY = "written by snd export"
"""End of the first line of each file."""
_BATCH_NORM = ("snd:nn", "batch_norm")


class PythonModel(Struct, frozen=True):
    """The text of a Python file, and the weights that its module loads."""

    text: str
    weights: Mapping[str, np.ndarray[Any, Any]]
    """Arrays by the names of the state dict."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    states: Mapping[str, str]
    """Names in the state dict of the variables that a run changes, by the names in the graph."""


class _Function(Struct, frozen=True, eq=False):
    """A definition for one specialization."""

    number: int
    is_module: bool


class _Body(Struct, eq=False):
    """The statements of a definition."""

    scope: TorchScope
    init: list[str]


def write_model(specialization: Specialization, variables: Mapping[str, Argument], weights: str) -> PythonModel:
    """Return a graph or operator as a Python file that reads ``weights``. Raise NotExportable."""
    return _ModelWriter().model(specialization, variables, weights)


class _ModelWriter(OperationWriter[TorchScope, TorchCall, _Function]):
    without_form = "PyTorch has no such function, and there is no composition to take its place"

    def __init__(self) -> None:
        super().__init__(False, COUNTERPARTS)
        self._definitions: list[Definition] = []
        self._bodies: list[_Body] = []

    def model(self, specialization: Specialization, variables: Mapping[str, Argument], weights: str) -> PythonModel:
        """Return the file of a graph. Raise NotExportable."""
        graph = self.root_graph(specialization)
        function = self._definition(specialization, graph, is_root=True)
        if self._problems:
            raise NotExportable(with_open_inputs(specialization, sorted(self._problems)))
        # A local variable would hide a function of its name.
        locals_ = {word for each in self._definitions for word in re.findall(r"\w+", each.text)}
        found = merged(self._definitions, {*_RESERVED, *locals_})
        arrays: dict[str, np.ndarray[Any, Any]] = {}
        for name, value in variables_below(specialization):
            if name in variables:
                for tensor_name, array in _named(name, value, variables):
                    arrays[_state_name(tensor_name)] = array
        name = specialization.template.name.name
        text = _file(found.definitions, found.calls[function.number], weights, name)
        inputs = tuple(each.name for value in graph.inputs.values() for each in tensors_of(value))
        outputs = tuple(each.name for value in graph.outputs.values() for each in tensors_of(value))
        states = {each: _state_name(each) for each in graph.updates}
        return PythonModel(text, arrays, inputs, outputs, states)

    # ---- for the common writer ---------------------------------------------------------------------------------------
    def _call(
        self, scope: TorchScope, operation: Operation, callee: Specialization, outputs: list[list[str]]
    ) -> TorchCall:
        return TorchCall(scope, operation, callee, outputs)

    def _is_invocable(self, callee: Specialization) -> bool:
        return callee.body is not None and callee.template.is_composite

    def _invoke(self, call: TorchCall) -> None:
        function = self._function(call.callee)
        names = [
            text if dtype is None else f"torch.tensor({text}, dtype={dtype})"
            for text, dtype in zip(call.given(), self._number_types(call), strict=True)
        ]
        label = call.operation.label
        if function.is_module:
            if label is None or "." in label or call.scope.parent is not None:
                raise Unsuitable("variables of an invocation without a label")
            body = self._bodies[-1]
            attribute = fit(label)
            body.init.append(f"self.{attribute} = {construct(function.number)}")
            target = f"self.{attribute}"
        else:
            target = construct(function.number)
        results = [name for each in call.names for name in each]
        expression = f"{target}({', '.join(names)})"
        if len(results) == 1:
            tensors = [tensor for value in call.operation.outputs for tensor in tensors_of(value)]
            call.scope.add(results, expression, tensors)
        else:
            call.write_all(expression)

    def _made(self, callee: Specialization) -> _Function:
        assert callee.body is not None
        before = len(self._problems)
        graph = decompose(callee.body, self._inlined, callee.template.name.path, is_root=False)
        found = self._definition(callee, graph, is_root=False)
        if len(self._problems) > before:
            raise Unsuitable("its composition can't be written")
        return found

    def _definition(self, specialization: Specialization, graph: Graph, *, is_root: bool) -> _Function:
        """Write a class or a function, and return it."""
        root = NameTable(fit)
        scope = TorchScope(root)
        body = _Body(scope, [])
        self._bodies.append(body)
        parameters = []
        for value in graph.inputs.values():
            for tensor in tensors_of(value):
                name = root.fresh(tensor.name)
                scope.bind(tensor, [name])
                scope.see(name, tensor)
                parameters.append(name)
        fixed, scopes = _statistics(graph), tuple(f"{label}." for label in self._module_labels(graph))
        for name, value in graph.variables.items():
            if name.startswith(scopes):
                continue  # a module of its own has this variable
            is_buffer = name in graph.updates or not fixed.isdisjoint(tensors_of(value))
            self._variable(body, name, value, is_buffer)
        for name, argument in declared_constants(specialization, graph.constants, is_root).items():
            value = graph.constants[name]
            if isinstance(argument, np.ndarray) and isinstance(value, Tensor) and value.shape is not None:
                text = scope.array(argument, name)
                is_number = not argument.ndim and value.dtype in DTYPES
                scope.bind(
                    value, [f"torch.tensor({text}, dtype={DTYPES[value.dtype or 'real']})" if is_number else text]
                )
        self._operations(scope, graph.operations)
        results = [name for value in graph.outputs.values() for name in self._tensors(scope, value)]
        self._operations(scope, graph.update_operations)
        for name, value in graph.updates.items():
            for old, new in zip(scope.variables[name], self._tensors(scope, value), strict=True):
                scope.lines.append(f"{old}.copy_({new}.detach())")
        self._bodies.pop()
        is_module = is_root or bool(body.init)
        lines = [*scope.lines, f"return {', '.join(results)}"]
        lines = _returned_at_once(lines)
        template = specialization.template
        name = _class_name(template.name.name) if is_module else fit(template.name.name)
        signature = "".join(f", {each}" for each in parameters)
        definition = Definition(name, is_module, body.init, signature, lines, _symbols(specialization))
        self._definitions.append(definition)
        return _Function(len(self._definitions) - 1, is_module)

    def _module_labels(self, graph: Graph) -> Iterator[str]:
        """Yield the labels of the invocations that become modules."""
        for operation in graph.operations:
            callee = specialization_of(operation)
            if callee is not None and operation.label and next(variables_below(callee), None) is not None:
                yield operation.label

    def _variable(self, body: _Body, name: str, value: TensorValue, is_buffer: bool) -> None:
        """Declare a parameter; a buffer for a variable that is updated, a running statistic, or without reals."""
        names = []
        tensors = [*tensors_of(value)]
        for at, tensor in enumerate(tensors):
            own = name if len(tensors) == 1 and isinstance(value, Tensor) else f"{name}[{at}]"
            attribute = _state_name(own)
            shape = ", ".join(number(each) for each in static_shape(tensor))
            place, _, last = attribute.rpartition(".")
            if place and (group := f"self.{place} = nn.Module()") not in body.init:
                body.init.append(group)
            target = f"self.{place}" if place else "self"
            if is_buffer or tensor.dtype != "real":
                dtype = "" if tensor.dtype == "real" else f", dtype={DTYPES[tensor.dtype or 'real']}"
                filling = f"torch.zeros({shape or '()'}{dtype})"
                body.init.append(f'{target}.register_buffer("{last}", {filling})')
            else:
                body.init.append(f"{target}.{last} = parameter({shape})")
            names.append(f"self.{attribute}")
        body.scope.bind(value, names)
        body.scope.variables[name] = names

    @staticmethod
    def _number_types(call: TorchCall) -> list[str | None]:
        """Return the types of the arguments that are numbers in the text; None for others."""
        return [
            DTYPES[tensor.dtype or "real"] if _is_number(call.scope, tensor) else None
            for value in call.inputs
            for tensor in tensors_of(value)
        ]

    def _tensors(self, scope: TorchScope, value: TensorValue) -> list[str]:
        """Return the texts of the tensors of a value; numbers become tensors."""
        return [
            f"torch.tensor({self._name(scope, tensor)}, dtype={DTYPES[tensor.dtype or 'real']})"
            if _is_number(scope, tensor)
            else self._name(scope, tensor)
            for tensor in tensors_of(value)
        ]

    # ---- control flow ------------------------------------------------------------------------------------------------
    def _control(self, scope: TorchScope, operation: Operation, outputs: list[list[str]]) -> None:
        match operation.control:
            case Branch() as branch:
                self._branch(scope, branch, [name for each in outputs for name in each])
            case Loop() as loop:
                self._loop(scope, loop, operation, outputs)

    def _branch(self, scope: TorchScope, branch: Branch, names: Sequence[str]) -> None:
        for at, case in enumerate(branch.cases):
            if not isinstance(case.condition, Graph):
                raise Unsuitable("its condition is known in the run only")
            if at and case.condition.operations:
                raise Unsuitable("a later condition is computed")
            condition = self._condition(scope, case.condition)
            scope.lines.append(f"{'elif' if at else 'if'} {condition}:")
            self._part(scope, case.consequent, names)
        scope.lines.append("else:")
        self._part(scope, branch.alternative, names)

    def _part(self, scope: TorchScope, part: Graph, names: Sequence[str]) -> None:
        inner = TorchScope(scope.root, scope)
        self._operations(inner, part.operations)
        if part.updates:
            raise Unsuitable("variables are updated in a part of control flow")
        results = [name for value in part.outputs.values() for name in self._tensors(inner, value)]
        inner.lines.append(f"{', '.join(names)} = {', '.join(results)}")
        scope.lines += [f"    {line}" for line in inner.lines]

    def _condition(self, scope: TorchScope, graph: Graph) -> str:
        self._operations(scope, graph.operations)
        (condition,) = self._names(scope, next(iter(graph.outputs.values())))
        return condition

    def _loop(self, scope: TorchScope, loop: Loop, operation: Operation, outputs: list[list[str]]) -> None:
        body = TorchScope(scope.root, scope)
        carried: list[str] = []
        starts: list[str] = []
        for each in loop.carried:
            names = [scope.root.fresh(tensor.name) for tensor in tensors_of(each.local)]
            starts += self._tensors(scope, each.source)
            body.bind(each.local, names)
            carried += names
        if carried:
            scope.lines.append(f"{', '.join(carried)} = {', '.join(starts)}")
        values = operation.outputs[len(loop.carried) :]
        collected = [scope.root.fresh("collected") for _ in values]
        scope.lines += [f"{name} = []" for name in collected]
        scope.lines.append(self._head(scope, body, loop))
        if loop.before is not None:
            body.lines += [f"if not {self._condition(body, loop.before)}:", "    break"]
        self._operations(body, loop.body.operations)
        if loop.body.updates:
            raise Unsuitable("variables are updated in a loop")
        results = [name for value in loop.body.outputs.values() for name in self._tensors(body, value)]
        if len(results) != len(carried) + len(collected):
            raise Unsuitable("packs are collected in a loop")
        pairs = zip(collected, results[len(carried) :], strict=True)
        body.lines += [f"{name}.append({result})" for name, result in pairs]
        if carried:
            body.lines.append(f"{', '.join(carried)} = {', '.join(results[: len(carried)])}")
        if loop.after is not None:
            body.lines += [f"if not {self._condition(body, loop.after)}:", "    break"]
        scope.lines += [f"    {line}" for line in body.lines or ["pass"]]
        targets = [name for names in outputs[: len(loop.carried)] for name in names]
        if targets:
            scope.lines.append(f"{', '.join(targets)} = {', '.join(carried)}")
        for value, names, name in zip(values, outputs[len(loop.carried) :], collected, strict=True):
            if isinstance(value, Pack) and value.items is None:
                scope.lines.append(f"{name} = torch.stack({name})")
                scope.stacks.update((tensor, name) for tensor in tensors_of(value))
            else:
                scope.keep(name, names)

    def _head(self, scope: TorchScope, body: TorchScope, loop: Loop) -> str:
        """Return the first line of a loop, which gives the index and the items of scanned packs their names."""
        names: list[str] = []
        sources: list[str] = []
        for each in loop.scanned:
            if not isinstance(each.local, Tensor) or not isinstance(each.source, Pack):
                raise Unsuitable("it is not known what it scans")
            name = scope.root.fresh(each.local.name)
            body.bind(each.local, [name])
            is_open = each.source.items is None
            sources.append(scope.stack(each.source) if is_open else scope.listed(self._names(scope, each.source)))
            names.append(name)
        count: str | None = None
        match loop.count:
            case Integer():
                count = scope.extent(loop.count)
            case Tensor():
                count = f"int({self._name(scope, loop.count)})"
            case None:
                count = None
            case _:
                raise Unsuitable("the number of iterations is known in the run only")
        if not sources and count is None:
            if loop.index is not None:
                raise Unsuitable("the iterations of an endless loop are counted")
            return "while True:"
        if loop.index is not None or count is not None:
            index = scope.root.fresh("_" if loop.index is None else loop.index.name)
            names.insert(0, index)
            sources.insert(0, f"range({count or f'len({sources[0]})'})")
            if loop.index is not None:
                body.bind(loop.index, [index])
        source = sources[0] if len(sources) == 1 else f"zip({', '.join(sources)})"
        return f"for {', '.join(names)} in {source}:"


def _is_number(scope: TorchScope, tensor: Tensor) -> bool:
    """Return whether the text of a tensor is a number of Python."""
    return scope.known(tensor) is None and tensor.value is not None and tensor.shape == () and tensor.dtype in DTYPES


def _statistics(graph: Graph) -> set[Tensor]:
    """Return the running means and variances, which no optimizer changes."""
    taken = [
        value
        for operation in graph.operations
        if operation.operator is not None and (operation.operator.path, operation.operator.name) == _BATCH_NORM
        for value in operation.inputs[1:3]
    ]
    return {tensor for value in taken for tensor in tensors_of(value)}


def _named(name: str, value: TensorValue, given: Mapping[str, Argument]) -> Iterable[tuple[str, np.ndarray[Any, Any]]]:
    arrays = arrays_of_variable(name, value, given)
    for at, array in enumerate(arrays):
        if array is not None:
            yield (name if isinstance(value, Tensor) else f"{name}[{at}]"), np.asarray(array)


def _state_name(name: str) -> str:
    """Return the name of a variable in the state dict: parts are names of Python."""
    return ".".join(fit(re.sub(r"\W+", "_", part).strip("_") if "[" in part else part) for part in name.split("."))


def _symbols(specialization: Specialization) -> dict[str, int]:
    """Return the names of an operator for numbers: attributes first, then extents."""
    found: dict[str, int] = {}
    pairs = [*specialization.attributes.items()]
    pairs += [(symbol.name, value) for symbol, value in specialization.scope.values.items()]
    for name, value in pairs:
        try:
            known = plain(value) if value is not NULL else None
        except ValueError:
            continue
        if isinstance(known, int) and not isinstance(known, bool):
            found.setdefault(fit(name), known)
    return found


def _class_name(name: str) -> str:
    if name[:1].isupper():
        return name
    return "".join(word[:1].upper() + word[1:] for word in name.split("_")) or "Model"


def _returned_at_once(lines: list[str]) -> list[str]:
    """Return statements with the last result returned by its expression."""
    if len(lines) < 2:
        return lines
    match = re.match(r"^return (\w+)$", lines[-1])
    before = re.match(r"^(\w+) = (.*)$", lines[-2], re.S)
    if match is not None and before is not None and match[1] == before[1] and not lines[-2].startswith(" "):
        return [*lines[:-2], f"return {before[2]}"]
    return lines


def _file(definitions: Sequence[str], root: str, weights: str, name: str) -> str:
    head = [f'"""{name}, {WRITTEN_BY}."""', "", "from pathlib import Path", "", "import torch"]
    if any("F." in each for each in definitions):
        head.append("import torch.nn.functional as F")
    head += ["from safetensors.torch import load_file", "from torch import nn", "", ""]
    head += ["def parameter(*shape: int) -> nn.Parameter:", "    return nn.Parameter(torch.zeros(shape))", "", ""]
    tail = [
        "def model() -> nn.Module:",
        '    """Return the module with its weights."""',
        f"    module = {root}",
        f"    module.load_state_dict(load_file(Path(__file__).with_name({weights!r})))",
        "    return module",
    ]
    return "\n".join([*head, "\n\n\n".join([*definitions, "\n".join(tail)]), ""])
