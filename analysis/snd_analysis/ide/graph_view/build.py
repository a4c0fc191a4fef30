"""The view of a composed graph: bodies from the outside in, each once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from msgspec.structs import replace

from snd_analysis.base import Location, Span
from snd_analysis.compose import passes_scope_on, quantizations_below, shown, specialization_of
from snd_analysis.ide.graph_view.bodies import Places, body_of, control_body
from snd_analysis.ide.graph_view.view import BodyView, GraphView, NodeView
from snd_analysis.ide.limits import MOST_NODES
from snd_analysis.model import Graph, Operation, Place, Quantization, Tensor
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


def graph_view(snapshot: Snapshot, name: OperatorName, graph: Graph | None) -> GraphView:
    """Return the view of a composed graph; one without nodes if nothing could be composed."""
    place = _definition(snapshot, name)
    if graph is None:
        return GraphView(name.name, place, (BodyView(name.name),))
    return GraphView(
        name.name, place, _Bodies(snapshot, name.path).all(graph),
        {each: _quantization(found) for each, found in quantizations_below(graph).items()},
    )  # fmt: skip


def _quantization(found: Quantization) -> str:
    given = ", ".join(f"{name}={shown(value)}" for name, value in found.attributes.items())
    return f"{found.operator.shown}{{{given}}}"


def _definition(snapshot: Snapshot, name: OperatorName) -> Location | None:
    found = snapshot.definitions(name.path).get(name.name)
    if found is None:
        return None
    return Location(name.path, found.definition.name.span.shifted(found.start))


class _Bodies:
    """Cache of requested bodies, by graph of the model, or by operation of control flow."""

    def __init__(self, snapshot: Snapshot, path: str) -> None:
        self._snapshot = snapshot
        self._starts: dict[str, dict[str, int]] = {}
        self._numbers: dict[int, int] = {}
        self._waiting = deque[tuple[int, Callable[[], BodyView]]]()
        self._kept = list[object]()
        self._nodes = 0
        self._places = Places(
            self._location, self._statement, lambda name: _definition(self._snapshot, name), path
        )  # fmt: skip

    def all(self, graph: Graph) -> tuple[BodyView, ...]:
        """Return the bodies of a graph by number."""
        self._number(graph, lambda: body_of(graph, self._places, self._enter))
        found: list[BodyView] = []
        while self._waiting:
            number, make = self._waiting.popleft()
            assert number == len(found)
            found.append(make())
            self._nodes += len(found[-1].nodes)
        return tuple(found)

    def _enter(self, node: NodeView, operation: Operation, around: frozenset[Tensor]) -> NodeView:
        """Return the node of an operation with the number of its body, if it has one."""
        control, body = operation.control, operation.body
        if control is None and body is None:
            return node
        if self._nodes + len(self._waiting) > MOST_NODES:
            return replace(node, cut=True)
        if control is not None:
            number = self._number(
                operation, lambda: control_body(operation, node, self._places, around, self._enter_part)
            )
            return replace(node, body=number, scope=None)
        assert body is not None
        scope = operation.label
        specialization = specialization_of(operation)
        if specialization is not None and specialization.template.is_graph and not operation.labelled:
            scope = specialization.template.name.name
        number = self._number(body, lambda: body_of(body, self._places, self._enter, passes_on=passes_scope_on(body)))
        return replace(node, body=number, scope=scope)

    def _enter_part(self, node: NodeView, part: Graph, around: frozenset[Tensor]) -> NodeView:
        return replace(node, body=self._number(part, lambda: body_of(part, self._places, self._enter, around=around)))

    def _number(self, of: object, make: Callable[[], BodyView]) -> int:
        number = self._numbers.get(id(of))
        if number is None:
            number = self._numbers[id(of)] = len(self._numbers)
            self._kept.append(of)  # its id is not used again
            self._waiting.append((number, make))
        return number

    def _location(self, place: Place | None) -> Location | None:
        if place is None:
            return None
        starts = self._starts.get(place.path)
        if starts is None:
            found = self._snapshot.definitions(place.path)
            starts = self._starts[place.path] = {name: each.start for name, each in found.items()}
        start = starts.get(place.definition)
        return None if start is None else Location(place.path, place.span.shifted(start))

    def _statement(self, place: Place) -> Location | None:
        """Return all of the statement that a place is in."""
        if place.statement is None:
            return None
        length = place.statement.span.end - place.statement.span.start
        return self._location(replace(place, span=Span(place.start, place.start + length)))
