"""Composing whole graphs, and operators by themselves: the entry points (chapter 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from snd_analysis.compose.failure import Failure
from snd_analysis.compose.root import compose_root
from snd_analysis.compose.session import Definitions, Session
from snd_analysis.model import Graph
from snd_analysis.names.symbols import OperatorName
from snd_analysis.values import Value


@dataclass(frozen=True, slots=True)
class Composition:
    """A composed graph, and what is wrong with it. ``graph`` is None if there is nothing that could be composed."""

    graph: Graph | None
    attributes: Mapping[str, Value]
    dtypes: Mapping[str, str]
    failures: tuple[Failure, ...]


def compose_graph(
    definitions: Definitions,
    name: OperatorName,
    attributes: Mapping[str, Value] | None = None,
    dtypes: Mapping[str, str] | None = None,
) -> Composition:
    """Composes a graph with these attributes and generic types, else the defaults; what has none is symbolic."""
    return _composed(Session(definitions), name, attributes or {}, dtypes or {})


def compose_symbolically(definitions: Definitions, name: OperatorName) -> Composition:
    """Composes an operator or graph for any attributes, types and inputs that it may be given."""
    return _composed(Session(definitions, composing=False), name, {}, {})


def _composed(
    session: Session, name: OperatorName, attributes: Mapping[str, Value], dtypes: Mapping[str, str]
) -> Composition:
    unit = session.unit(name)
    if unit is None:
        return Composition(None, {}, {}, ())
    instance = compose_root(session, unit, attributes, dtypes)
    return Composition(instance.body, instance.attributes, instance.scope.dtypes, tuple(instance.failures))
