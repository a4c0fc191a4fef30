"""A composed graph prepared for display: its listed tensors, their names, and the reads of its operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from snd_analysis.base import Source
from snd_analysis.model import Branch, Graph, Loop, Operation, Place, Tensor, TensorValue, tensors_of
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.values import NULL, ItemRun, Maybe, Pack, Value
from snd_server.checking.report import Report


class ComposedGraph(Struct, frozen=True):
    """The data to show. ``graph`` is None if nothing could be composed."""

    name: str
    path: str
    graph: Graph | None
    attributes: Mapping[str, Value]
    report: Report
    source: Callable[[str], Source]
    starts: Mapping[tuple[str, str], int]
    """Offset of the start of each definition, by file and name."""

    def line(self, place: Place | None) -> int | None:
        """Return the line of a place in the file of the graph."""
        if place is None or place.path != self.path:
            return None
        start = self.starts.get((place.path, place.definition))
        return None if start is None else self.source(place.path).position(start + place.span.start).line

    def operator(self, operation: Operation) -> str:
        """Return the operator of an operation as the graph writes it, ``if`` or ``do``."""
        if operation.operator is None:
            return operation.construct or "block"
        return operator_text(operation.operator, self.path)


def operator_text(name: OperatorName, path: str) -> str:
    """Return an operator with its module, unless it is of the file at ``path``."""
    if name.path == path:
        return name.name
    module = name.path.rpartition(":")[2].rpartition("/")[2].removesuffix(".sknd")
    return f"{module}.{name.name}"


class Level:
    """A graph, or a part of control flow, with all of its tensors, named or not.

    Every tensor that an operation reads or returns is listed here or further out.
    """

    def __init__(self, graph: Graph, around: Level | None = None) -> None:
        self.graph = graph
        self.tensors: dict[str, TensorValue] = {}
        self._names: dict[Tensor, str] = {}
        self._taken = set[str]()
        self._around = around
        self._parts: dict[Operation, dict[str, Level]] = {}
        named = graph.tensors if around is None else {**graph.inputs, **graph.tensors}
        for name, value in named.items():
            self._add(name, value)
        stored = {tensor: name for name, value in graph.updates.items() for tensor in tensors_of(value)}
        for operation in self.operations:
            for tensor in (each for value in operation.outputs for each in tensors_of(value)):
                if tensor in stored and not self._is_named(tensor):
                    self._names[tensor] = stored[tensor]  # the variable whose new value it is
                self._demand(tensor)
        for value in graph.outputs.values():
            for tensor in tensors_of(value):
                self._demand(tensor)
        for operation in self.operations:
            for tensor in (each for value in arguments(operation) for each in tensors_of(value)):
                if tensor.value is None:
                    self._demand(tensor)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations in order; operations of ``@update`` last."""
        return (*self.graph.operations, *self.graph.update_operations)

    def parts(self, operation: Operation) -> dict[str, Level]:
        """Return the graphs of control flow."""
        if operation not in self._parts:
            self._parts[operation] = {name: Level(part, self) for name, part in operation.subgraphs.items()}
        return self._parts[operation]

    def name(self, tensor: Tensor) -> str | None:
        """Return the name by which a tensor is listed, here or further out; None for a value that is not listed."""
        if tensor in self._names:
            return self._names[tensor]
        return None if self._around is None else self._around.name(tensor)

    def reads(self, operation: Operation) -> list[TensorValue]:
        """Return the tensors that an operation reads.

        These are its arguments, and the surrounding tensors that the parts of control flow capture.
        """
        values = arguments(operation)
        known = {tensor for value in values for tensor in tensors_of(value)}
        for part in self.parts(operation).values():
            for tensor in part.captured():
                if tensor not in known:
                    known.add(tensor)
                    values.append(tensor)
        return values

    def captured(self) -> Iterator[Tensor]:
        """Yield the tensors from around that this part reads."""
        read = [value for operation in self.operations for value in self.reads(operation)]
        for value in (*read, *self.graph.outputs.values()):
            for tensor in tensors_of(value):
                if tensor not in self._names and self.name(tensor) is not None:
                    yield tensor

    def _add(self, name: str, value: TensorValue) -> None:
        self.tensors[name] = value
        self._taken.add(name)
        for listed, tensor in rows(name, value):
            # If a tensor has several names, the first one counts.
            if tensor not in self._names or listed == tensor.name:
                self._names[tensor] = listed
                self._taken.add(listed)

    def _is_named(self, tensor: Tensor) -> bool:
        return self.name(tensor) is not None

    def _demand(self, tensor: Tensor) -> None:
        if self._is_named(tensor):
            return
        name, number = tensor.name, 2
        while name in self._taken:
            name, number = f"{tensor.name}#{number}", number + 1
        self._add(name, tensor)


def rows(name: str, value: Value) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors of a named value, with names of their own: items of a pack have numbers."""
    match value:
        case Tensor():
            yield name, value
        case Maybe():
            yield from rows(name, value.value)
        case Pack():
            for at, each in enumerate(value.elements):
                yield from rows(item_name(name, value, at), each)


def item_name(name: str, pack: Pack, at: int) -> str:
    """Return the name of a segment of a pack: ``xs[0]``, or ``xs[]`` for a number of them that is not known."""
    return f"{name}[]" if isinstance(pack.segments[at], ItemRun) else f"{name}[{at}]"


def arguments(operation: Operation) -> list[TensorValue]:
    """Return the tensors that an operation reads explicitly, without compile-time conditions.

    For a loop, these are its initial values, packs and count.
    """
    control = operation.control
    if isinstance(control, Branch):
        return []
    if isinstance(control, Loop):
        values = [each.source for each in (*control.carried, *control.scanned)]
        return [*values, control.count] if isinstance(control.count, Tensor) else values
    return [NULL if value is None else value for value in operation.inputs]
