"""Writing of operations in the first way that fits; operations that no way fits are noted.

An operator is written by its counterpart in the format, if there is one; else as a function of the file, made from its
composition or from its formulas.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.model import Graph, Operation, Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_server.exchange.graph_export.call import GraphCall
from snd_server.exchange.graph_export.errors import ExportProblem, Unsuitable
from snd_server.exchange.graph_export.registry import CounterpartTable
from snd_server.exchange.graph_export.root_graph import is_own, operator_text, root_graph
from snd_server.exchange.graph_export.scope import TensorScope

Scope = TypeVar("Scope", bound=TensorScope[Any])
Call = TypeVar("Call", bound=GraphCall[Any])
Function = TypeVar("Function", bound=Struct)


class OperationWriter(Generic[Scope, Call, Function]):
    """A writer of one file: what it wrote of functions, and what it could not write.

    ``flat`` writes no functions for operators of the model itself.
    """

    without_form: str
    """The reason for operators that have neither a counterpart, nor a composition or formulas."""

    def __init__(self, flat: bool, counterparts: CounterpartTable[Call]) -> None:
        self._flat = flat
        self._counterparts = counterparts
        self._functions: dict[int, Function | Unsuitable] = {}
        self._kept: list[Specialization] = []
        self._problems: dict[ExportProblem, None] = {}

    # ---- for each format ---------------------------------------------------------------------------------------------
    @abstractmethod
    def _call(self, scope: Scope, operation: Operation, callee: Specialization, outputs: list[list[str]]) -> Call:
        """Return an invocation for its counterpart."""

    @abstractmethod
    def _invoke(self, call: Call) -> None:
        """Write an operator as a function, or its composition in place. Raise Unsuitable."""

    @abstractmethod
    def _control(self, scope: Scope, operation: Operation, outputs: list[list[str]]) -> None:
        """Write a branch or a loop. Raise Unsuitable."""

    @abstractmethod
    def _made(self, callee: Specialization) -> Function:
        """Write the function of an operator. Raise Unsuitable."""

    def _bound(self, scope: Scope, operation: Operation, value: TensorValue) -> None:
        """Follow the binding of a result to its names."""

    def _is_invocable(self, callee: Specialization) -> bool:
        """Return whether an operator has a composition, or formulas, that can become a function."""
        return (callee.body is not None and callee.template.is_composite) or bool(callee.template.formulas)

    def _fresh_name(self, scope: Scope, tensor: Tensor) -> str:
        """Return the name that a result gets."""
        return scope.root.fresh(tensor.name)  # type: ignore[no-any-return]

    def _counterpart(self, name: OperatorName) -> Callable[[Call], None] | None:
        """Return the function that writes an operator of a library."""
        return self._counterparts.get(operator_text(name)) if is_library(name.path) else None

    # ---- operations --------------------------------------------------------------------------------------------------
    def root_graph(self, specialization: Specialization) -> Graph:
        """Return the graph of a specialization, or one that only invokes it. Raise NotExportable."""
        return root_graph(specialization, self._inlined)

    def _inlined(self, name: OperatorName) -> bool:
        """Return whether the composition of an operator is written where it is invoked."""
        return is_own(name) if self._flat else name.path == "snd:layer"

    def _operations(self, scope: Scope, operations: Iterable[Operation]) -> None:
        for operation in operations:
            self._operation(scope, operation)

    def _operation(self, scope: Scope, operation: Operation) -> None:
        outputs = [[self._fresh_name(scope, tensor) for tensor in tensors_of(value)] for value in operation.outputs]
        failed = self._written(scope, operation, outputs)
        if failed is not None:
            self._problems[failed] = None
        for value, names in zip(operation.outputs, outputs, strict=True):
            scope.bind(value, names)
            self._bound(scope, operation, value)

    def _written(self, scope: Scope, operation: Operation, outputs: list[list[str]]) -> ExportProblem | None:
        """Write an operation in the first way that fits; return why if none does."""
        if operation.control is not None:
            construct = operation.construct or ""
            return self._first(scope, construct, [lambda: self._control(scope, operation, outputs)])
        callee = specialization_of(operation)
        assert callee is not None
        call = self._call(scope, operation, callee, outputs)
        name = callee.template.original or callee.template.name
        ways: list[Callable[[], None]] = []
        counterpart = self._counterpart(name)
        if counterpart is not None:
            ways.append(lambda: counterpart(call))
        if self._is_invocable(callee):
            ways.append(lambda: self._invoke(call))
        return self._first(scope, operator_text(name), ways)

    def _first(self, scope: Scope, operator: str, ways: Sequence[Callable[[], None]]) -> ExportProblem | None:
        reason = self.without_form
        for way in ways:
            mark = scope.mark()
            try:
                way()
            except Unsuitable as unsuitable:
                scope.return_to(mark)
                reason = str(unsuitable)
            else:
                return None
        return ExportProblem(operator, reason)

    def _name(self, scope: Scope, tensor: Tensor) -> str:
        try:
            return scope.name(tensor)
        except Unsuitable as unsuitable:
            self._problems[ExportProblem(tensor.name, str(unsuitable))] = None
            return scope.root.fresh(tensor.name)  # type: ignore[no-any-return]

    def _names(self, scope: Scope, value: TensorValue) -> list[str]:
        return [self._name(scope, tensor) for tensor in tensors_of(value)]

    # ---- functions ---------------------------------------------------------------------------------------------------
    def _function(self, callee: Specialization) -> Function:
        """Return the function of an operator, which is written once. Raise Unsuitable."""
        if id(callee) not in self._functions:
            self._kept.append(callee)  # no other object gets its identity
            self._functions[id(callee)] = Unsuitable("it invokes itself")
            try:
                self._functions[id(callee)] = self._made(callee)
            except Unsuitable as unsuitable:
                self._functions[id(callee)] = unsuitable
        found = self._functions[id(callee)]
        if isinstance(found, Unsuitable):
            raise found
        return found


def variable_names(scope: TensorScope[Any], label: str | None, name: str) -> list[str]:
    """Return the names of the tensors of a variable that a function takes. Raise Unsuitable if no value is fixed."""
    scoped = f"{label}.{name}" if label else name
    found = scope.variable(scoped)
    if found is None:  # below a graph that is invoked: the graph is the root of the names
        found = scope.variable(name)
    if found is None or "" in found:
        raise Unsuitable(f"the variable '{scoped}' has no fixed value")
    return found
