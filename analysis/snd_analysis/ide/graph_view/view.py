"""The drawing of a composed graph, as plain data.

A *body* is a graph, the composition of an operator, or a part of control flow. Bodies are listed once and referred to
by their numbers: all invocations of an operator that compose to the same body share it, so that the data of a network
of thousands of operations with operators in operators is only as large as its distinct parts.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from snd_analysis.base import Location
from snd_analysis.symbolic.values import Value


class NodeKind(StrEnum):
    """Kind of a node."""

    INPUT = "input"
    CAPTURE = "capture"
    """A tensor from around that a part of control flow reads."""
    VARIABLE = "variable"
    CONSTANT = "constant"
    OUTPUT = "output"
    UPDATE = "update"
    """A variable that gets a new value when all operations have run (2.11)."""
    OPERATION = "operation"
    BRANCH = "branch"
    LOOP = "loop"
    PART = "part"
    """A condition, case or body of control flow."""


class TensorView(Struct, frozen=True):
    """A tensor of a body, or a number of them that are alike.

    ``shape`` holds numbers and, for extents that only the run tells, texts; it is None if it is not known, as is
    ``bound``, which has the greatest extents.
    """

    name: str
    dtype: str | None
    shape: tuple[int | str, ...] | None
    bound: tuple[int | None, ...] | None
    location: Location | None
    count: int | str | None = None
    """Number of tensors like this one in a pack that does not list them."""


class Port(Struct, frozen=True):
    """An argument or a result of a node."""

    name: str | None
    """The name in the declaration of the operator."""
    tensors: tuple[int, ...]
    """Numbers of the tensors in the body; several for a pack."""
    value: Value | None = None
    """Literal value given for a tensor."""
    pack: bool = False


class AttributeView(Struct, frozen=True):
    """An attribute with its value; ``default`` is True if the operator has this value without the attribute."""

    name: str
    value: Value
    default: bool


class NodeView(Struct, frozen=True):
    """A node of a body. ``name`` is unique in the body, and stays the same as long as the name of its result does.

    ``scope`` is the prefix of the names of tensors in the node's body, joined by a dot, where names are unique in all
    of the graph: as in ``snd shapes`` and in traces of ``snd run``.
    """

    name: str
    kind: NodeKind
    title: str
    """The operator with its module, ``if`` or ``do``, the part of control flow, or the name of the tensor."""
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    label: str | None = None
    scope: str | None = None
    attributes: tuple[AttributeView, ...] = ()
    body: int | None = None
    cut: bool = False
    """True if there is a body that was left out, as there are too many nodes already."""
    location: Location | None = None
    statement: Location | None = None
    """The whole statement that the node belongs to."""
    definition: Location | None = None
    update: bool = False
    """True if the node is one of ``@update``."""
    macs: int | None = None
    """Multiply-adds; None if there is not one number."""
    macs_bound: int | None = None
    """The most there can be."""


class EdgeView(Struct, frozen=True):
    """Tensors on their way from a result of a node to an argument of another, both by number."""

    source: tuple[int, int]
    target: tuple[int, int]
    tensors: tuple[int, ...]


class BodyView(Struct, frozen=True):
    """A body: nodes, in a valid order of execution; edges; tensors."""

    title: str
    nodes: tuple[NodeView, ...] = ()
    edges: tuple[EdgeView, ...] = ()
    tensors: tuple[TensorView, ...] = ()


class GraphView(Struct, frozen=True):
    """A graph with all bodies in it; that of the graph itself is the first."""

    name: str
    location: Location | None
    bodies: tuple[BodyView, ...]
    quantizations: dict[str, str] = field(default_factory=dict)
    """Quantizations of tensors, by scoped names."""
