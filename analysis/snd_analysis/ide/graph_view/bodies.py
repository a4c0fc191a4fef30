"""One body of a view: its nodes, and the edges between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set

from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.base import Location
from snd_analysis.compose import Cost, Specialization, extent_text, multiply_adds, shown, specialization_of
from snd_analysis.ide.graph_view.view import AttributeView, BodyView, EdgeView, NodeKind, NodeView, Port, TensorView
from snd_analysis.model import Branch, Graph, Loop, Operation, Place, Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, UNDEFINED, ItemRun, Maybe, Pack, Value


# ---- surrounding tensors that control flow reads ---------------------------------------------------------------------
def reads(operation: Operation, around: Set[Tensor]) -> list[TensorValue]:
    """Return the tensors that an operation reads: its arguments; for a loop its initial values, packs and count.

    Control flow also reads the tensors ``around`` that its parts capture.
    """
    values = list(_arguments(operation))
    known = {tensor for value in values for tensor in tensors_of(value)}
    for part in operation.subgraphs.values():
        for tensor in captured(part, around):
            if tensor not in known:
                known.add(tensor)
                values.append(tensor)
    return values


def captured(part: Graph, around: Set[Tensor]) -> list[Tensor]:
    """Return the tensors in ``around`` that a part of control flow reads, each once."""
    if not around:
        return []
    own = {tensor for value in part.inputs.values() for tensor in tensors_of(value)}
    return list(dict.fromkeys(each for each in _read(part) if each in around and each not in own))


def _read(part: Graph) -> Iterator[Tensor]:
    for operation in (*part.operations, *part.update_operations):
        yield from _origins(_arguments(operation))
        for inner in operation.subgraphs.values():
            yield from _read(inner)
    yield from _origins(part.outputs.values())


def _origins(values: Iterable[TensorValue]) -> Iterator[Tensor]:
    for value in values:
        for tensor in tensors_of(value):
            yield from tensor.origins


def _arguments(operation: Operation) -> Iterator[TensorValue]:
    control = operation.control
    if isinstance(control, Loop):
        yield from (each.source for each in (*control.carried, *control.scanned))
        if isinstance(control.count, Tensor):
            yield control.count
    elif not isinstance(control, Branch):
        yield from (NULL if value is None else value for value in operation.inputs)


# ---- one body of a view ----------------------------------------------------------------------------------------------
Enter = Callable[[NodeView, Operation, frozenset[Tensor]], NodeView]
"""Function that adds the body to the node of an operation, given the tensors around that it may read."""
EnterPart = Callable[[NodeView, Graph, frozenset[Tensor]], NodeView]


class Places(Struct, frozen=True):
    """Locations of parts of the model in the files.

    Operators of the file at ``path`` are named without their module.
    """

    of: Callable[[Place | None], Location | None]
    statement: Callable[[Place], Location | None]
    definition: Callable[[OperatorName], Location | None]
    path: str
    costs: dict[Specialization, Cost] = field(default_factory=dict)
    defaults: dict[Specialization, frozenset[str]] = field(default_factory=dict)

    def operator(self, operation: Operation) -> str:
        """Return an operator with its module, ``if`` or ``do``."""
        name = operation.operator
        if name is None:
            return operation.construct or "block"
        module = name.path.rpartition(":")[2].rpartition("/")[2].removesuffix(".sknd")
        return name.name if name.path == self.path else f"{module}.{name.name}"

    def cost(self, operation: Operation) -> Cost:
        """Return the cost of an operation; computed once for each specialization."""
        callee = specialization_of(operation)
        if callee is None:
            return multiply_adds(operation)
        known = self.costs.get(callee)
        if known is None:
            known = self.costs[callee] = multiply_adds(operation)
        return known

    def attributes(self, operation: Operation) -> tuple[AttributeView, ...]:
        """Return the attributes of an invocation; of a loop its count, if that is no tensor."""
        control = operation.control
        if isinstance(control, Loop) and isinstance(control.count, Integer):
            return (AttributeView("count", control.count, False),)
        callee = specialization_of(operation)
        if callee is None:
            return tuple(AttributeView(name, value, False) for name, value in operation.attributes.items())
        defaults = self.defaults.get(callee)
        if defaults is None:
            defaults = self.defaults[callee] = frozenset(_defaults(callee))
        return tuple(AttributeView(name, value, name in defaults) for name, value in operation.attributes.items())


def body_of(
    graph: Graph, places: Places, enter: Enter, *, around: frozenset[Tensor] = frozenset(), passes_on: bool = False
) -> BodyView:
    """Return the view of a graph, of the body of an operator, or of a part of control flow.

    ``around`` are the tensors around a part of control flow. The only operation of a body that ``passes_on`` its scope
    has none of its own.
    """
    body = _Body(graph.name, places)
    for name, value in graph.inputs.items():
        body.declare(NodeKind.INPUT, name, value)
    for tensor in captured(graph, around):
        body.declare(NodeKind.CAPTURE, tensor.name, tensor)
    for name, value in graph.variables.items():
        body.declare(NodeKind.VARIABLE, name, value)
    for name, value in graph.constants.items():
        body.declare(NodeKind.CONSTANT, name, value)
    operations = (*graph.operations, *graph.update_operations)
    declared = (*graph.inputs.values(), *graph.variables.values(), *graph.constants.values())
    computed = (value for operation in operations for value in operation.outputs)
    known = around.union(*map(tensors_of, (*declared, *computed)))
    updates = set(graph.update_operations)
    for operation in operations:
        node = body.operation(operation, known, update=operation in updates)
        node = enter(node, operation, known)
        if passes_on and not operation.labelled:
            node = _without_scope(node)
        body.nodes.append(node)
    for name, value in graph.outputs.items():
        # The only result of a condition is named by its number.
        body.give(NodeKind.OUTPUT, "condition" if name.isdigit() else name, value)
    for name, value in graph.updates.items():
        body.give(NodeKind.UPDATE, name, value)
    return body.view()


def control_body(
    operation: Operation, node: NodeView, places: Places, around: frozenset[Tensor], enter: EnterPart
) -> BodyView:
    """Return the view of an ``if`` or ``do``: its parts, between the tensors that it reads and returns."""
    body = _Body(node.title, places)
    for value in reads(operation, around):
        first = next(iter(tensors_of(value)), None)
        if first is not None and (first.value is None or first in around):
            body.declare(NodeKind.CAPTURE, _name_of(value, first), value)
    if isinstance(operation.control, Branch):
        _add_cases(body, operation, operation.control, around, enter)
    elif isinstance(operation.control, Loop):
        _add_loop(body, operation, operation.control, around, enter)
    for value in operation.outputs:
        first = next(iter(tensors_of(value)), None)
        body.give(NodeKind.OUTPUT, _name_of(value, first), value)
    return body.view()


# ---- control flow ----------------------------------------------------------------------------------------------------
def _add_cases(body: _Body, operation: Operation, branch: Branch, around: frozenset[Tensor], enter: EnterPart) -> None:
    results = tuple(body.port(None, value) for value in operation.outputs)
    conditions = [each.condition for each in branch.cases]
    for name, part in branch.parts.items():
        inputs = tuple(body.port(each.name, each) for each in captured(part, around))
        gives = () if name.startswith("condition") else results
        attributes: tuple[AttributeView, ...] = ()
        if name.startswith("then"):
            condition = conditions[int(name.removeprefix("then") or 1) - 1]
            if not isinstance(condition, Graph):
                attributes = (AttributeView("if", condition, False),)
        node = NodeView(name, NodeKind.PART, name, inputs, gives, attributes=attributes, location=body.of(part))
        body.nodes.append(enter(node, part, around))


def _add_loop(body: _Body, operation: Operation, loop: Loop, around: frozenset[Tensor], enter: EnterPart) -> None:
    results = tuple(body.port(None, value) for value in operation.outputs)
    sources = {
        tensor: (each.source, _name_of(each.local, tensor))
        for each in (*loop.carried, *loop.scanned)
        for tensor in tensors_of(each.local)[:1]
    }
    carried = {
        tensor: output
        for each, output in zip(loop.carried, operation.outputs, strict=False)
        for tensor in tensors_of(each.local)[:1]
    }
    for name, part in loop.parts.items():
        inputs = []
        for given, value in part.inputs.items():
            first = next(iter(tensors_of(value)), None)
            if part is loop.after and first in carried:
                inputs.append(body.port(given, carried[first]))
            elif first is not None and first in sources:
                inputs.append(body.port(given, sources[first][0]))
        inputs += [body.port(each.name, each) for each in captured(part, around)]
        gives = results if part is loop.body else ()
        node = NodeView(name, NodeKind.PART, name, tuple(inputs), gives, location=body.of(part))
        body.nodes.append(enter(node, part, around))


def _name_of(value: TensorValue, first: Tensor | None) -> str:
    if first is None:
        return "nothing"
    return first.name.partition("[")[0] if isinstance(value, Pack) else first.name


# ---- one body --------------------------------------------------------------------------------------------------------
class _Body:
    def __init__(self, title: str, places: Places) -> None:
        self.nodes: list[NodeView] = []
        self._title = title
        self._places = places
        self._tensors: list[TensorView] = []
        self._numbers: dict[Tensor, int] = {}
        self._names = set[str]()

    def declare(self, kind: NodeKind, name: str, value: TensorValue) -> None:
        """Add a node that gives a tensor or pack without computing it."""
        for tensor in tensors_of(value):
            self._number(tensor, value)
        port = self.port(name, value)
        node = NodeView(self._unique(f"{kind.value} {name}"), kind, name, (), (port,), location=self._location(value))
        self.nodes.append(node)

    def give(self, kind: NodeKind, name: str, value: TensorValue) -> None:
        """Add a node for a result of the body."""
        node = NodeView(
            self._unique(f"{kind.value} {name}"), kind, name, (self.port(name, value),), location=self._location(value)
        )
        self.nodes.append(node)

    def operation(self, operation: Operation, around: frozenset[Tensor], update: bool) -> NodeView:
        """Return the node of an operation."""
        places, specialization = self._places, specialization_of(operation)
        cost = places.cost(operation)
        kind = NodeKind.OPERATION
        if operation.control is not None:
            kind = NodeKind.BRANCH if isinstance(operation.control, Branch) else NodeKind.LOOP
        formal = (
            [each.name for each in specialization.template.inputs] if specialization is not None else _formal(operation)
        )
        given = [each.name for each in specialization.template.outputs] if specialization is not None else []
        inputs = self._ports(formal, reads(operation, around))
        outputs = self._ports(given, operation.outputs)
        first = next((each for value in operation.outputs for each in tensors_of(value)), None)
        return NodeView(
            self._unique(places.operator(operation) if first is None else first.name),
            kind, places.operator(operation), inputs, outputs, operation.label,
            attributes=places.attributes(operation),
            location=places.of(operation.place),
            statement=places.statement(operation.place),
            definition=None if operation.operator is None else places.definition(operation.operator),
            library=operation.operator is not None and is_library(operation.operator.path),
            update=update, macs=cost.exact, macs_bound=cost.most,
        )  # fmt: skip

    def port(self, name: str | None, value: TensorValue) -> Port:
        """Return the port of an argument or result; a tensor that is one of several consists of all of them."""
        origins = [origin for each in tensors_of(value) for origin in each.origins]
        tensors = [each for each in origins if each.value is None or each in self._numbers]
        if tensors:
            return Port(name, tuple(self._number(each, value) for each in tensors), None, isinstance(value, Pack))
        return Port(name, (), _literal(value))

    def of(self, part: Graph) -> Location | None:
        """Return where a part of control flow begins, by its first operation."""
        return next((self._places.of(each.place) for each in part.operations), None)

    def view(self) -> BodyView:
        """Return the body with all that was added."""
        nodes = tuple(self.nodes)
        return BodyView(self._title, nodes, tuple(_edges(nodes)), tuple(self._tensors))

    def _ports(self, names: Sequence[str], values: Iterable[TensorValue]) -> tuple[Port, ...]:
        return tuple(self.port(names[at] if at < len(names) else None, value) for at, value in enumerate(values))

    def _unique(self, name: str) -> str:
        found, number = name, 2
        while found in self._names:
            found, number = f"{name}#{number}", number + 1
        self._names.add(found)
        return found

    def _location(self, value: TensorValue) -> Location | None:
        return next((self._places.of(each.place) for each in tensors_of(value)), None)

    def _number(self, tensor: Tensor, value: TensorValue) -> int:
        known = self._numbers.get(tensor)
        if known is None:
            known = self._numbers[tensor] = len(self._tensors)
            shape = None if tensor.shape is None else tuple(_extent(each) for each in tensor.shape)
            count = _count(value, tensor)
            self._tensors.append(
                TensorView(tensor.name, tensor.dtype, shape, tensor.bound, self._places.of(tensor.place), count)
            )
        return known


def _edges(nodes: Sequence[NodeView]) -> Iterator[EdgeView]:
    """Yield an edge from the node that makes a tensor to each that reads it; a pack between two nodes is one edge."""
    sources: dict[int, list[tuple[int, int]]] = {}
    for number, node in enumerate(nodes):
        for at, port in enumerate(node.outputs):
            for tensor in port.tensors:
                # Each case of a branch returns the outputs of the branch.
                sources.setdefault(tensor, []).append((number, at))
    for number, node in enumerate(nodes):
        for at, port in enumerate(node.inputs):
            together: dict[tuple[int, int], list[int]] = {}
            for tensor in dict.fromkeys(port.tensors):
                for source in sources.get(tensor, ()):
                    if source[0] != number:
                        together.setdefault(source, []).append(tensor)
            for source, tensors in together.items():
                yield EdgeView(source, (number, at), tuple(tensors))


def _formal(operation: Operation) -> list[str]:
    control = operation.control
    if not isinstance(control, Loop):
        return []
    local = (each.local for each in (*control.carried, *control.scanned))
    return [_name_of(each, next(iter(tensors_of(each)), None)) for each in local]


def _without_scope(node: NodeView) -> NodeView:
    return replace(node, scope=None, label=None)


def _defaults(specialization: Specialization) -> Iterator[str]:
    for member in specialization.template.attributes:
        value, default = specialization.attributes.get(member.name), member.node.default
        if value is NULL and default is None:
            yield member.name
        elif value is not None and default is not None and not default.bounds:
            usual = specialization.scope.attempt(default.value)
            items = value.items if isinstance(value, Pack) and value.items is not None else [value]
            texts = {shown(each) for each in items if not isinstance(each, ItemRun)}
            if usual is not UNDEFINED and (shown(usual) == shown(value) or texts == {shown(usual)}):
                yield member.name


def _literal(value: TensorValue) -> Value | None:
    """Return the literal value given for a tensor, or for a pack of tensors."""
    match value:
        case Tensor():
            return value.value
        case Pack():
            return Pack([(each.value or NULL) if isinstance(each, Tensor) else each for each in value.elements])
        case _:
            return value


def _count(value: Value, tensor: Tensor) -> int | str | None:
    if isinstance(value, Maybe):
        return _count(value.value, tensor)
    if isinstance(value, Pack):
        for each in value.segments:
            if isinstance(each, ItemRun) and tensor in tensors_of(each.element):
                return each.length.value if each.length.value is not None else str(each.length)
    return None


def _extent(extent: Integer | ItemRun) -> int | str:
    if isinstance(extent, ItemRun) or extent.value is None:
        return extent_text(extent)
    return extent.value
