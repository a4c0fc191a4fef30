"""One flat graph from a composed one: bodies of operators put in place of their invocations, names by scope (2.10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.compose.body.operation_scopes import joined, scope_of, with_scopes
from snd_analysis.compose.body.scoped_names import quantized_name
from snd_analysis.compose.limits import MOST_OPERATIONS
from snd_analysis.compose.specialization import Specialization, specialization_of
from snd_analysis.model import (
    Branch,
    Case,
    ControlFlow,
    Graph,
    Loop,
    LoopLocal,
    Operation,
    Place,
    Quantization,
    RuntimeCheck,
    Tensor,
    TensorValue,
    tensor_value,
    tensors_of,
)
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, Maybe, Pack, Value

Choice = Callable[[OperatorName], bool]
"""Predicate that decides whether an operator is replaced by its body."""


def decompose(graph: Graph, decomposes: Choice, path: str, is_root: bool = True) -> Graph:
    """Return the graph with the invocations of the chosen operators replaced by their bodies, also inside control flow.

    Tensors are named by their scopes: ``block.conv1.filter``. ``path`` is the file of the graph: operations of bodies
    in other files are placed at the statement of that file that invokes them. Variables and constants are listed with
    the graph, also those of operators that are kept whole or stand in control flow; all other tensors are listed with
    the graph, or the part of control flow, that computes them. Updates (2.11) of inlined bodies follow the updates of
    the outer graph. The only invocation of the root keeps its label (``y.w``); that of an operator's body passes the
    scope of the operator on, unless ``is_root``.

    The result has at most ``MOST_OPERATIONS`` of a larger graph (see ``flat_size``), and at most as many variables and
    constants.
    """
    listing = _Listing(decomposes, path, dict(graph.quantizations))
    body = _Body(listing, "", None)
    operations = body.operations(graph.operations if is_root else with_scopes(graph))
    inner = listing.level
    listing.level = _Level()
    own_updates = body.operations(graph.update_operations)
    return replace(
        graph,
        outputs=body.all(graph.outputs),
        inputs=body.all(graph.inputs),
        variables={**body.all(graph.variables), **listing.variables},
        constants={**body.all(graph.constants), **listing.constants},
        tensors={**body.all(graph.tensors), **listing.members, **inner.tensors, **listing.level.tensors},
        operations=tuple(operations),
        updates={**body.all(graph.updates), **inner.updates, **listing.level.updates},
        update_operations=(*own_updates, *inner.update_operations, *listing.level.update_operations),
        checks=(*graph.checks, *listing.checks),
    )


def flat_size(graph: Graph, decomposes: Choice) -> int:
    """Return the number of operations of the graph after decomposing the chosen operators, control flow included."""
    known: dict[int, int] = {}

    def size(body: Graph) -> int:
        if id(body) not in known:
            operations = (*body.operations, *body.update_operations)
            known[id(body)] = sum(map(size_of, operations))
        return known[id(body)]

    def size_of(operation: Operation) -> int:
        if _is_composed(operation) and operation.operator is not None and decomposes(operation.operator):
            return size(operation.body) if operation.body is not None else 1
        return 1 + sum(map(size, operation.subgraphs.values()))

    return size(graph)


def _is_composed(operation: Operation) -> bool:
    """Return whether an operation invokes an operator with ``@compose``: others may have a body, too, for updates."""
    callee = specialization_of(operation)
    return callee is not None and callee.body is not None and callee.template.is_composite


class _Level(Struct):
    """The additions of inlined bodies to a graph, or to a part of control flow."""

    tensors: dict[str, TensorValue] = field(default_factory=dict)
    updates: dict[str, TensorValue] = field(default_factory=dict)
    update_operations: list[Operation] = field(default_factory=list)


class _Listing(Struct):
    """The additions of inlined bodies, by scoped names."""

    decomposes: Choice
    path: str
    quantizations: dict[str, Quantization]
    level: _Level = field(default_factory=_Level)
    """The level of the graph, or of the part of control flow, that is assembled now."""
    members: dict[str, TensorValue] = field(default_factory=dict)
    """Variables and constants."""
    room: int = MOST_OPERATIONS
    """Number of operations that may still be added."""
    with_members: dict[Specialization, bool] = field(default_factory=dict)
    variables: dict[str, TensorValue] = field(default_factory=dict)
    constants: dict[str, TensorValue] = field(default_factory=dict)
    checks: dict[RuntimeCheck, None] = field(default_factory=dict)
    """Checks of inlined invocations, and of their bodies."""

    def quantization_of(self, name: str) -> Quantization | None:
        """Return the quantization of a tensor.

        One name denotes the tensor in all branches and iterations, and all items of a pack.
        """
        return self.quantizations.get(quantized_name(name)) if self.quantizations else None

    def enter(self, scope: str, body: Graph) -> None:
        """Add the ``@quantize`` entries of an invoked definition; entries of the outer definition have priority."""
        for name, found in body.quantizations.items():
            self.quantizations.setdefault(quantized_name(joined(scope, name)), found)

    def takes(self, body: Graph) -> bool:
        """Reserve room for the operations of a body; return whether there was enough."""
        more = len(body.operations) + len(body.update_operations) - 1
        if more > self.room:
            return False
        self.room -= more
        return True

    def has_members(self, specialization: Specialization) -> bool:
        """Return whether an operator, or anything that it is composed of, has variables or constants."""
        known = self.with_members.get(specialization)
        if known is None:
            body = specialization.body
            operations = () if body is None else (*body.operations, *body.update_operations)
            known = bool(specialization.variables or specialization.constants) or any(
                map(self._leads_to_members, operations)
            )
            self.with_members[specialization] = known
        return known

    def _leads_to_members(self, operation: Operation) -> bool:
        callee = specialization_of(operation)
        if callee is not None and self.has_members(callee):
            return True
        return any(self._leads_to_members(inner) for part in operation.subgraphs.values() for inner in part.operations)


class _Body:
    """One inlined body: ``known`` maps its tensors to those of the flat graph."""

    def __init__(self, listing: _Listing, scope: str, place: Place | None) -> None:
        self.known: dict[Tensor, Tensor] = {}
        self._listing = listing
        self._scope = scope
        self._place = place
        """The statement that brings the body in, if that is of another file."""

    # ---- tensors -----------------------------------------------------------------------------------------------------
    def _flat(self, tensor: Tensor) -> Tensor:
        """Return the tensor of the flat graph: one of its own, named by scope, unless the body receives another one."""
        known = self.known.get(tensor)
        if known is None:
            place = tensor.place if self._place is None else self._place
            name = joined(self._scope, tensor.name)
            # The result of a condition has no name of its own: it may have the name of a tensor of the graph.
            quantization = None if tensor.dtype == "bool" else self._listing.quantization_of(name)
            known = replace(tensor, name=name, place=place, quantization=quantization)
            self.known[tensor] = known
        return known

    def value(self, value: Value) -> TensorValue:
        """Return a tensor or pack of the body in the flat graph."""
        match value:
            case Tensor():
                return self._flat(value)
            case Maybe():
                return Maybe(value.present, self.value(value.value))
            case Pack():
                return value.map(self.value)
        return tensor_value(value)

    def all(self, named: Mapping[str, TensorValue]) -> dict[str, TensorValue]:
        """Return named values of the body in the flat graph."""
        return {name: self.value(value) for name, value in named.items() if value is not NULL}

    # ---- operations --------------------------------------------------------------------------------------------------
    def operations(self, operations: tuple[Operation, ...]) -> list[Operation]:
        """Return operations of the body, in the flat graph."""
        flat: list[Operation] = []
        for operation in operations:
            name, body = operation.operator, operation.body
            if name is None or body is None:
                flat.append(self._kept(operation))
            elif not _is_composed(operation):
                flat.append(self._kept(operation))
                self._add_updates(operation, body)
            elif self._listing.decomposes(name) and self._listing.takes(body):
                flat.extend(self._inlined(operation, body))
            else:
                flat.append(self._kept(operation))
        return flat

    def _kept(self, operation: Operation) -> Operation:
        inner = self._inner(operation)
        callee = specialization_of(operation)
        if callee is not None:
            inner.list_members(callee, deep=True)
        return replace(
            operation,
            label=inner._scope or None,
            inputs=tuple(self.value(value) for value in operation.inputs),
            outputs=tuple(self.value(value) for value in operation.outputs),
            place=operation.place if self._place is None else self._place,
            control=None if operation.control is None else self._control(operation.control),
        )

    def _control(self, control: ControlFlow) -> ControlFlow:
        if isinstance(control, Branch):
            return Branch(tuple(self._case(case) for case in control.cases), self._part(control.alternative))
        return Loop(
            tuple(self._local(each) for each in control.carried),
            tuple(self._local(each) for each in control.scanned),
            None if control.index is None else self._flat(control.index),
            control.count if control.count is None or isinstance(control.count, Integer) else self.value(control.count),
            None if control.before is None else self._part(control.before),
            None if control.after is None else self._part(control.after),
            self._part(control.body),
        )

    def _case(self, case: Case) -> Case:
        condition = self._part(case.condition) if isinstance(case.condition, Graph) else case.condition
        return Case(condition, self._part(case.consequent))

    def _local(self, each: LoopLocal) -> LoopLocal:
        return LoopLocal(self.value(each.local), self.value(each.source))

    def _part(self, part: Graph) -> Graph:
        around, self._listing.level = self._listing.level, _Level()
        operations = self.operations(part.operations)
        level, self._listing.level = self._listing.level, around
        named = {joined(self._scope, name): value for name, value in self.all(part.tensors).items()}
        return replace(
            part,
            inputs=self.all(part.inputs),
            outputs=self.all(part.outputs),
            tensors={**named, **level.tensors},
            operations=tuple(operations),
            updates=level.updates,
            update_operations=tuple(level.update_operations),
        )

    def _inlined(self, operation: Operation, body: Graph) -> list[Operation]:
        callee = specialization_of(operation)
        assert callee is not None
        inner = self._inner(operation)
        for formal, actual in zip(body.inputs.values(), operation.inputs, strict=False):
            for one, other in zip(tensors_of(formal), tensors_of(actual), strict=False):
                inner.known[one] = self._flat(other)
        inner.list_members(callee, deep=False)
        self._listing.checks.update(dict.fromkeys((*operation.checks, *body.checks)))
        for formal, actual in zip(body.outputs.values(), operation.outputs, strict=True):
            for one, other in zip(tensors_of(formal), tensors_of(actual), strict=False):
                # A tensor that is passed on, or returned twice, is the same tensor outside.
                self.known[other] = inner.known.setdefault(one, self._flat(other))
        found = inner.operations(with_scopes(body))
        passed = {*body.inputs, *body.outputs, *body.variables, *body.constants}
        named = inner.all({name: value for name, value in body.tensors.items() if name not in passed})
        self._listing.level.tensors.update({joined(inner._scope, name): value for name, value in named.items()})
        inner.add_updates(body)
        return found

    def _add_updates(self, operation: Operation, body: Graph) -> None:
        """Add the updates of an operator with formulas, which is kept: they read its inputs, outputs and variables."""
        callee = specialization_of(operation)
        assert callee is not None
        inner = self._inner(operation)
        for formals, actuals in ((callee.inputs, operation.inputs), (callee.outputs, operation.outputs)):
            for formal, actual in zip(formals, actuals, strict=False):
                for one, other in zip(tensors_of(formal), tensors_of(actual), strict=False):
                    inner.known[one] = self._flat(other)
        inner.list_members(callee, deep=False)
        inner.add_updates(body)

    def add_updates(self, body: Graph) -> None:
        """Add the updates of a body to the updates of the outer graph or part of control flow."""
        level = self._listing.level
        updates = self.operations(body.update_operations)
        level.update_operations += updates
        level.updates.update({joined(self._scope, name): value for name, value in self.all(body.updates).items()})

    def _inner(self, operation: Operation) -> _Body:
        """Return the scope of declarations inside an operator: that of its label (2.10, Labelling)."""
        callee = specialization_of(operation)
        template = None if callee is None else callee.template
        place = self._place
        if place is None and template is not None and template.name.path != self._listing.path:
            place = operation.place
        scope = scope_of(operation, self._scope)
        if callee is not None and callee.body is not None:
            self._listing.enter(scope, callee.body)
        return _Body(self._listing, scope, place)

    def list_members(self, specialization: Specialization, deep: bool) -> None:
        """List the variables and constants of an operator; if ``deep``, also of all that it is composed of."""
        for members, listed in (
            (specialization.variables, self._listing.variables),
            (specialization.constants, self._listing.constants),
        ):
            for name, value in members.items():
                scoped = joined(self._scope, name)
                # A graph that is invoked twice has its variables once.
                self.known.update(zip(tensors_of(value), tensors_of(listed.get(scoped, NULL)), strict=False))
                listed[scoped] = self._listing.members[scoped] = self.value(value)
        if deep and specialization.body is not None:
            for operation in (*with_scopes(specialization.body), *specialization.body.update_operations):
                self._list_deep(operation)

    def _list_deep(self, operation: Operation) -> None:
        if len(self._listing.variables) + len(self._listing.constants) > MOST_OPERATIONS:
            return
        callee = specialization_of(operation)
        if callee is not None and self._listing.has_members(callee):
            self._inner(operation).list_members(callee, deep=True)
        for part in operation.subgraphs.values():
            for inner in part.operations:
                self._list_deep(inner)
