"""A composed graph as a model in NNEF 1.0: operations, fragments for the operators of the model, variables, symbols."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from snd_analysis.compose import Session, Specialization, decompose, quantizations_below
from snd_analysis.model import Branch, Graph, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.nnef1.syntax import KEYWORDS, Dialect
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, Pack
from snd_runtime.lowering.lowered import Argument
from snd_server.exchange.graph_export.errors import ExportProblem, NotExportable, Unsuitable
from snd_server.exchange.graph_export.operation_writer import OperationWriter, variable_names
from snd_server.exchange.graph_export.quantizing import quantizing_operation
from snd_server.exchange.graph_export.root_graph import declared_constants, defaults_of_inputs, with_open_inputs
from snd_server.exchange.graph_export.tensors import arrays_of_variable
from snd_server.exchange.nnef1_export import counterparts as _counterparts
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.control import ControlWriter
from snd_server.exchange.nnef1_export.document import document_text
from snd_server.exchange.nnef1_export.literals import Expression, written_extent, written_value
from snd_server.exchange.nnef1_export.quantization_file import quantization_text
from snd_server.exchange.nnef1_export.registry import COUNTERPARTS, Counterpart
from snd_server.exchange.nnef1_export.scan_scope import ScanScope
from snd_server.exchange.nnef1_export.scope import (
    TRACT_TYPES,
    Nnef1Model,
    Statement,
    TextRoot,
    TextScope,
    WrittenArray,
    WrittenFragment,
    fit_identifier,
    needed_statements,
)
from snd_server.exchange.nnef1_export.symbols import symbol_lines

_ITEM = re.compile(r"\[(\d+)\]")
_UNFIT = re.compile(r"[^A-Za-z0-9_.\\/-]")
"""Characters that labels of Khronos' dialect don't have."""
_TYPES: Mapping[str, str] = {"real": "scalar", "int": "integer", "bool": "logical"}


def write_model(
    specialization: Specialization,
    variables: Mapping[str, Argument],
    dialect: Dialect,
    *,
    flat: bool = False,
    traced: bool = False,
    labels: Mapping[str, str] | None = None,
    quantizing: Session | None = None,
) -> Nnef1Model:
    """Return a graph or operator with these variables, by scoped name, as a model in NNEF 1.0.

    ``flat`` writes no fragments for operators of the model itself. ``traced`` makes an output of every named tensor.
    ``labels`` are those of variables, by scoped name, if not the names. ``quantizing`` quantizes the tensors in
    ``@quantize`` by operators of that session; names lead through operators of the model then, so these are written
    flat. Raise NotExportable with all operators that can't be exported.
    """
    is_quantized = specialization.body is not None and bool(quantizations_below(specialization.body))
    if is_quantized and (quantizing is not None or dialect is Dialect.KHRONOS):
        return _ModelWriter(dialect, True, traced, labels or {}, quantizing).model(specialization, variables)
    try:
        return _ModelWriter(dialect, flat, traced, labels or {}).model(specialization, variables)
    except NotExportable:
        if flat:
            raise
        return _ModelWriter(dialect, True, traced, labels or {}).model(specialization, variables)


class _ModelWriter(OperationWriter[TextScope, OperationCall, WrittenFragment]):
    without_form = "NNEF 1.0 has no such operation, and no formulas of operators"

    def __init__(
        self, dialect: Dialect, flat: bool, traced: bool, labels: Mapping[str, str], quantizing: Session | None = None
    ) -> None:
        super().__init__(flat, COUNTERPARTS)
        self._dialect = dialect
        self._traced = traced
        self._labels = labels
        self._quantizing = quantizing
        self._quantized: list[tuple[str, Tensor]] = []
        """Tensors in ``@quantize`` by the names that they have."""
        self._fragments: list[WrittenFragment] = []
        self._taken = {*_counterparts.operation_names(dialect), *KEYWORDS}
        self._registries: dict[str, None] = {"tract_core": None} if dialect is Dialect.TRACT else {}
        self._notes: dict[str, None] = {}
        self._used_labels = set(labels.values())
        self._wanted: dict[Tensor, str] = {}
        """The names that outputs must have."""

    def model(self, specialization: Specialization, variables: Mapping[str, Argument]) -> Nnef1Model:
        """Return a graph or operator as a model. Raise NotExportable."""
        graph = self.root_graph(specialization)
        symbols = self._symbols(graph)
        root = TextRoot(self._dialect, False, symbols)
        scope = TextScope(root)
        outputs = self._name_outputs(root, graph)
        externals = [self._external(scope, tensor) for value in graph.inputs.values() for tensor in tensors_of(value)]
        self._variables(scope, graph, variables)
        self._constants(scope, specialization, graph)
        for given in (graph.inputs, graph.variables, graph.constants):
            for value in given.values():
                self._quantize(scope, value)
        self._operations(scope, graph.operations)
        self._give_outputs(scope, graph, outputs)
        self._update(scope, graph)
        if not externals and self._dialect is Dialect.KHRONOS:
            reason = "it has no inputs, and Khronos' dialect demands one or more"
            self._problems[ExportProblem(specialization.template.name.name, reason)] = None
        if self._problems:
            raise NotExportable(with_open_inputs(specialization, sorted(self._problems)))
        self._registries.update(root.registries)
        self._notes.update(root.notes)
        traced = {tensor.name: name for tensor, name in scope.names.items()}
        if self._traced:
            made = {name for each in scope.statements for name in each.results}
            outputs += [name for name in dict.fromkeys(traced.values()) if name in made and name not in outputs]
        written = needed_statements(scope.statements, outputs)
        declared, stored = self._declared(root, written)
        conditions = [each.condition for each in (*specialization.checks, *graph.checks)]
        asserted = symbol_lines(symbols, conditions) if self._dialect is Dialect.TRACT else []
        extensions = [*(f"tract_registry {each}" for each in self._registries), *asserted]
        inputs = [each.results[0] for each in externals]
        name = self._unique(specialization.template.name.name)
        statements = [*externals, *declared, *written]
        text = document_text(self._dialect, extensions, self._fragments, name, inputs, outputs, statements)
        names = tuple(each.name for each in self._fragments)
        quantization, notes = "", list[str]()
        if self._dialect is Dialect.KHRONOS:
            quantization, notes = quantization_text(self._quantized)
        elif self._quantized:
            notes = ["the quantizations of '@quantize' are left out; --quantize writes them as operations"]
        defaults = {scope.names[tensor]: array for tensor, array in defaults_of_inputs(specialization, graph).items()}
        makers = {name: each.operation for each in scope.statements for name in each.results}
        return Nnef1Model(
            self._dialect, text, stored, tuple(outputs), tuple(inputs), "'f16'" in text, quantization,
            len(written), names, traced, makers, defaults, (*notes, *self._notes),
        )  # fmt: skip

    # ---- inputs and outputs ------------------------------------------------------------------------------------------
    def _symbols(self, graph: Graph) -> dict[str, Integer]:
        """Return the symbols in the extents of the inputs, by name. Note those that the dialect can't express."""
        found: dict[str, Integer] = {}
        for value in graph.inputs.values():
            for tensor in tensors_of(value):
                for extent in tensor.shape or ():
                    for leaf in sorted(getattr(extent, "leaves", ()), key=lambda leaf: leaf.name):
                        found[leaf.name] = integers.variable(leaf.key, leaf.name, leaf.low, leaf.high)
        if found and self._dialect is Dialect.KHRONOS:
            reason = "Khronos' dialect has no symbols for extents; --input NAME=EXTENTS chooses numbers"
            for name, value in graph.inputs.items():
                if any(getattr(extent, "leaves", ()) for tensor in tensors_of(value) for extent in tensor.shape or ()):
                    self._problems[ExportProblem(name, reason)] = None
        return found

    def _external(self, scope: TextScope, tensor: Tensor) -> Statement:
        name = scope.root.fresh(tensor.name)
        scope.bind(tensor, [name])
        extents: list[Any] = []
        try:
            for extent in tensor.shape or ():
                if not isinstance(extent, Integer):
                    raise Unsuitable("its rank is not known before the run")
                extents.append(Expression(written_extent(extent, self._dialect)))
        except Unsuitable as unsuitable:
            if self._dialect is Dialect.TRACT:  # symbols are noted once
                self._problems[ExportProblem(tensor.name, str(unsuitable))] = None
        if tensor.dtype not in _TYPES:
            self._problems[ExportProblem(tensor.name, "NNEF 1.0 has no tensors of strings")] = None
        shape = f"[{', '.join(extents)}]"
        if self._dialect is Dialect.TRACT and tensor.dtype != "real":
            attributes = {"shape": shape, "datum_type": f"'{TRACT_TYPES.get(tensor.dtype or '', '')}'"}
            return Statement((name,), "tract_core_external", (), attributes)
        return Statement((name,), "external", (), {"shape": shape}, _TYPES.get(tensor.dtype or ""))

    def _name_outputs(self, root: TextRoot, graph: Graph) -> list[str]:
        """Reserve the names of the outputs, and return them; the results that are outputs get them at once."""
        outputs = []
        given = {
            tensor for value in (*graph.inputs.values(), *graph.variables.values()) for tensor in tensors_of(value)
        }
        for name, value in graph.outputs.items():
            for at, tensor in enumerate(tensors_of(value)):
                wanted = root.fresh(name if isinstance(value, Tensor) else f"{name}_{at}")
                outputs.append(wanted)
                if tensor not in self._wanted and tensor not in given and tensor.value is None:
                    self._wanted[tensor] = wanted
        return outputs

    def _fresh_name(self, scope: TextScope, tensor: Tensor) -> str:
        return self._wanted.get(tensor) or scope.root.fresh(tensor.name)

    def _give_outputs(self, scope: TextScope, graph: Graph, outputs: Sequence[str]) -> None:
        """Copy the outputs that are no results of their own name."""
        tensors = (tensor for value in graph.outputs.values() for tensor in tensors_of(value))
        for tensor, wanted in zip(tensors, outputs, strict=True):
            name = self._name(scope, tensor)
            if name != wanted:
                scope.node("copy", [name], wanted)

    # ---- variables and constants -------------------------------------------------------------------------------------
    def _variables(self, scope: TextScope, graph: Graph, given: Mapping[str, Argument]) -> None:
        for name, value in graph.variables.items():
            arrays = arrays_of_variable(name, value, given)
            names = []
            for at, (tensor, array) in enumerate(zip(tensors_of(value), arrays, strict=True)):
                if array is None or np.asarray(array).dtype == object:  # its user reports it
                    names.append("")
                    continue
                names.append(scope.root.fresh(tensor.name))
                label = self._label(name if isinstance(value, Tensor) else f"{name}.{at}")
                scope.root.stored[names[-1]] = WrittenArray(label, np.asarray(array))
            scope.variables[name] = names
            if "" not in names:
                scope.bind(value, names)

    def _label(self, name: str) -> str:
        """Return the label of a variable, which is the name of its file: one that stays below its folder."""
        found = self._labels.get(name)
        if found is not None:
            parts = found.lstrip("/").split("/")
            is_odd = any(not part or part.startswith(".") for part in parts) or not found.isprintable()
            if not is_odd and (self._dialect is Dialect.TRACT or not _UNFIT.search(found)):
                return found
        fitting = _UNFIT.sub("_", _ITEM.sub(r".\1", name))
        label, number = fitting, 1
        while label in self._used_labels:
            number += 1
            label = f"{fitting}_{number}"
        self._used_labels.add(label)
        return label

    def _constants(self, scope: TextScope, specialization: Specialization, graph: Graph, is_root: bool = True) -> None:
        for name, value in declared_constants(specialization, graph.constants, is_root).items():
            declared = graph.constants.get(name)
            if declared is not None:
                arrays = [value] if isinstance(value, np.ndarray) else list(value or ())
                try:
                    scope.bind(declared, [scope.array(each, name) for each in arrays])
                except Unsuitable as unsuitable:
                    raise NotExportable([ExportProblem(f"the constant '{name}'", str(unsuitable))]) from None

    def _declared(
        self, root: TextRoot, statements: Iterable[Statement]
    ) -> tuple[list[Statement], tuple[WrittenArray, ...]]:
        """Return the statements for the variables and constants that others read, and the variables."""
        used = {name for each in statements for name in each.names}
        found, stored = [], []
        for name, each in root.stored.items():
            if name in used:
                attributes = {
                    "label": written_value(each.label, self._dialect),
                    "shape": f"[{', '.join(map(str, each.array.shape))}]",
                }
                generic = {"f": "scalar", "i": "integer", "u": "integer", "b": "logical"}[each.array.dtype.kind]
                found.append(Statement((name,), "variable", (), attributes, generic))
                stored.append(each)
        found += [each for name, each in root.uniform.items() if name in used]
        return found, tuple(stored)

    def _update(self, scope: TextScope, graph: Graph) -> None:
        """Write the new values of variables."""
        if graph.updates or scope.updates:
            if self._dialect is Dialect.TRACT:
                reason = "tract has no variables that a run changes, only states of scans"
                for name in {**graph.updates, **scope.updates}:
                    self._problems[ExportProblem(name, reason)] = None
                return
            self._operations(scope, graph.update_operations)
            for name, value in graph.updates.items():
                for old, new in zip(scope.variables.get(name, ()), self._names(scope, value), strict=True):
                    if old:
                        scope.node("update", [old, new], scope.root.fresh(f"{old}_next"))

    # ---- operations --------------------------------------------------------------------------------------------------
    def _counterpart(self, name: OperatorName) -> Counterpart | None:
        own = _counterparts.write_own if _counterparts.is_own_module(name) else None
        return super()._counterpart(name) or own

    def _is_invocable(self, callee: Specialization) -> bool:
        return callee.body is not None and callee.template.is_composite

    def _bound(self, scope: TextScope, operation: Operation, value: TensorValue) -> None:
        self._quantize(scope, value)

    def _quantize(self, scope: TextScope, value: TensorValue) -> None:
        """Replace the tensors of a value by their quantized versions from here on, or note them for ``graph.quant``."""
        for tensor in tensors_of(value):
            if tensor.quantization is None or tensor not in scope.names:
                continue
            if self._quantizing is None:
                self._quantized.append((scope.names[tensor], tensor))
                continue
            made = quantizing_operation(self._quantizing, tensor, tensor.quantization)
            name, axes = scope.names[tensor], [*range(made.ones)]
            scope.bind(made.argument, [scope.node("unsqueeze", [name], axes=axes) if axes else name])
            outputs = [[scope.root.fresh(made.result.name)]]
            failed = self._written(scope, made.operation, outputs)
            if failed is not None:
                self._problems[failed] = None
            ((found,),) = outputs
            scope.names[tensor] = scope.node("squeeze", [found], axes=axes) if axes else found

    def _call(
        self, scope: TextScope, operation: Operation, callee: Specialization, outputs: list[list[str]]
    ) -> OperationCall:
        return OperationCall(scope, operation, callee, outputs)

    def _control(self, scope: TextScope, operation: Operation, outputs: list[list[str]]) -> None:
        writer = ControlWriter(self._demanded, self._kept_body)
        write = writer.branch if isinstance(operation.control, Branch) else writer.loop
        write(scope, operation, outputs)

    def _kept_body(self, fragment: WrittenFragment, body: ScanScope) -> str:
        """Add the body of a scan; return its name."""
        named = replace(fragment, name=self._unique("scan_body"))
        self._registries.update(body.root.registries)
        self._notes.update(body.root.notes)
        self._fragments.append(named)
        return named.name

    def _demanded(self, scope: TextScope, operations: Iterable[Operation]) -> None:
        """Write operations. Raise Unsuitable if one of them can't be written."""
        before = dict(self._problems)
        self._operations(scope, operations)
        found = [each for each in self._problems if each not in before]
        for each in found:
            del self._problems[each]
        if found:
            raise Unsuitable(f"it is composed of {found[0].operator}: {found[0].reason}")

    def _invoke(self, call: OperationCall) -> None:
        callee = call.callee
        if is_library(callee.template.name.path):
            self._in_place(call)
            return
        fragment = self._function(callee)
        names = call.given()
        for variable in fragment.variables:
            names += variable_names(call.scope, call.operation.label, variable)
        call.scope.nodes_of(fragment.name, names, [name for each in call.names for name in each])

    def _in_place(self, call: OperationCall) -> None:
        """Write the composition of an operator of the library where it is invoked. Raise Unsuitable."""
        callee, scope = call.callee, call.scope
        assert callee.body is not None
        graph = decompose(callee.body, lambda name: False, callee.template.name.path, is_root=False)
        inner = TextScope(scope.root, scope, is_in_place=True)
        for at, member in enumerate(callee.template.inputs):
            declared = graph.inputs.get(member.name, NULL)
            stacked = scope.packed(call.inputs[at]) if isinstance(call.inputs[at], Pack) else None
            if stacked is not None:
                inner.packs[tuple(tensors_of(declared))] = stacked
            if any(True for _ in tensors_of(declared)) and not _is_open(declared):
                inner.bind(declared, call.items(at))
        self._constants(inner, callee, graph, is_root=False)
        if graph.variables or graph.updates:
            raise Unsuitable("it has variables")
        results = [tensor for value in graph.outputs.values() for tensor in tensors_of(value)]
        targets = [name for names in call.names for name in names]
        outer, self._wanted = self._wanted, dict(zip(results, targets, strict=True))
        try:
            self._demanded(inner, graph.operations)
        finally:
            self._wanted = outer
        for value, given in zip(graph.outputs.values(), call.operation.outputs, strict=True):
            stacked = inner.packed(value) if isinstance(value, Pack) else None
            if stacked is not None:
                scope.packs[tuple(tensors_of(given))] = stacked
                if isinstance(value, Pack) and value.items is None:
                    return
        for tensor, target in zip(results, targets, strict=True):
            name = inner.name(tensor)
            if name != target:
                inner.node("copy", [name], target)

    # ---- fragments ---------------------------------------------------------------------------------------------------
    def _made(self, callee: Specialization) -> WrittenFragment:
        root = TextRoot(self._dialect, True)
        scope = TextScope(root)
        assert callee.body is not None
        graph = decompose(callee.body, self._inlined, callee.template.name.path, is_root=False)
        if graph.updates:
            raise Unsuitable("a fragment can't update variables")
        results = [tensor for value in graph.outputs.values() for tensor in tensors_of(value)]
        parameters = [self._parameter(scope, tensor) for value in graph.inputs.values() for tensor in tensors_of(value)]
        for name, value in graph.variables.items():
            parameters += [self._parameter(scope, tensor) for tensor in tensors_of(value)]
            scope.variables[name] = [scope.names[tensor] for tensor in tensors_of(value)]
        outer, self._wanted = self._wanted, {}
        names = self._name_outputs(root, graph)
        self._constants(scope, callee, graph, is_root=False)
        try:
            self._demanded(scope, graph.operations)
            self._give_outputs(scope, graph, names)
        finally:
            self._wanted = outer
        if scope.updates:
            raise Unsuitable("a fragment can't update variables")
        written = needed_statements(scope.statements, names)
        declared, stored = self._declared(root, written)
        if stored:
            raise Unsuitable("a fragment has no variables of its own")
        self._registries.update(root.registries)
        self._notes.update(root.notes)
        types = [(name, _TYPES[tensor.dtype or "real"]) for name, tensor in zip(names, results, strict=True)]
        fragment = WrittenFragment(
            self._unique(callee.template.name.name), tuple(parameters), tuple(types),
            (*declared, *written), tuple(graph.variables),
        )  # fmt: skip
        self._fragments.append(fragment)
        return fragment

    def _parameter(self, scope: TextScope, tensor: Tensor) -> tuple[str, str]:
        name = scope.root.fresh(tensor.name)
        scope.bind(tensor, [name])
        if tensor.dtype is None or tensor.dtype not in _TYPES:
            raise Unsuitable("NNEF 1.0 has no tensors of strings")
        return name, _TYPES[tensor.dtype]

    def _unique(self, operator: str) -> str:
        base = fit_identifier(operator)
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


def _is_open(value: TensorValue) -> bool:
    """Return whether a pack has a number of tensors that is known in the run only."""
    return isinstance(value, Pack) and value.items is None
