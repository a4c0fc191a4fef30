"""Composing whole graphs, and operators by themselves: the entry points (chapter 3)."""

from __future__ import annotations

from collections.abc import Mapping

from snd_analysis.base.frozen import frozen
from snd_analysis.compose.decomposition import tensors_of
from snd_analysis.compose.failure import Failure
from snd_analysis.compose.root import InputShapes, compose_root
from snd_analysis.compose.session import Definitions, Session
from snd_analysis.compose.unit import Unit
from snd_analysis.model import Graph, Tensor, TensorKind
from snd_analysis.skriptnd.names.symbols import OperatorName
from snd_analysis.symbolic.values import UNDEFINED, Value


@frozen
class Composition:
    """A composed graph, and what is wrong with it. ``graph`` is None if there is nothing that could be composed."""

    graph: Graph | None
    attributes: Mapping[str, Value]
    dtypes: Mapping[str, str]
    failures: tuple[Failure, ...]

    def bounds_input(self, name: str) -> bool:
        """Whether the extents of an input are known, or their upper bounds are."""
        value = UNDEFINED if self.graph is None else self.graph.inputs.get(name, UNDEFINED)
        return value is not UNDEFINED and all(
            tensor.bound is not None and None not in tensor.bound for tensor in tensors_of(value)
        )


def compose_graph(
    definitions: Definitions,
    name: OperatorName,
    attributes: Mapping[str, Value] | None = None,
    dtypes: Mapping[str, str] | None = None,
    inputs: Mapping[str, InputShapes] | None = None,
) -> Composition:
    """Composes a graph with these attributes, generic types and shapes of inputs.

    Other attributes have their defaults, other inputs their declared shapes; what is not known then is symbolic.
    """
    return _composed(Session(definitions), name, attributes or {}, dtypes or {}, inputs or {})


def _composed(
    session: Session,
    name: OperatorName,
    attributes: Mapping[str, Value],
    dtypes: Mapping[str, str],
    inputs: Mapping[str, InputShapes],
) -> Composition:
    unit = session.unit(name)
    if unit is None:
        return Composition(None, {}, {}, ())
    instance = compose_root(session, unit, attributes, dtypes, inputs)
    graph = _unknown(unit) if instance.body is None and unit.is_graph else instance.body
    return Composition(graph, instance.attributes, instance.scope.dtypes, tuple(instance.failures))


def _unknown(unit: Unit) -> Graph:
    """A graph of which nothing could be composed: its inputs and outputs are there, and not known."""
    made = {
        kind: {member.name: Tensor(member.name, None, None, kind, unit.declared(member.symbol)) for member in members}
        for kind, members in ((TensorKind.INPUT, unit.inputs), (TensorKind.RESULT, unit.outputs))
    }
    inputs, outputs = made[TensorKind.INPUT], made[TensorKind.RESULT]
    return Graph(unit.name.name, inputs, outputs, {}, {}, {**inputs, **outputs}, ())
