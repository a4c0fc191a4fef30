"""Composing whole graphs, and operators by themselves: the entry points (chapter 3)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from snd_analysis.compose.bind.root import InputShapes
from snd_analysis.compose.failure import Failure
from snd_analysis.compose.root import compose_root, warnings_of_root
from snd_analysis.compose.session import Definitions, Session
from snd_analysis.compose.template import Template
from snd_analysis.model import Graph, Tensor, TensorKind, tensors_of
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.values import UNDEFINED, Value


class Composition(Struct, frozen=True):
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
    template = session.template(name)
    if template is None:
        return Composition(None, {}, {}, ())
    specialization = compose_root(session, template, attributes, dtypes, inputs)
    failures = (*specialization.failures, *warnings_of_root(session, specialization, attributes, dtypes))
    graph = _unknown(template) if specialization.body is None and template.is_graph else specialization.body
    return Composition(graph, specialization.attributes, specialization.scope.dtypes, failures)


def _unknown(template: Template) -> Graph:
    """A graph of which nothing could be composed: its inputs and outputs are there, and not known."""
    made = {
        kind: {
            member.name: Tensor(member.name, None, None, kind, template.declared(member.symbol)) for member in members
        }
        for kind, members in ((TensorKind.INPUT, template.inputs), (TensorKind.RESULT, template.outputs))
    }
    inputs, outputs = made[TensorKind.INPUT], made[TensorKind.RESULT]
    return Graph(template.name.name, inputs, outputs, {}, {}, {**inputs, **outputs}, ())
