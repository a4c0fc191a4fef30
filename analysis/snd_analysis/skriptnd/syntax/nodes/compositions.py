"""Statements of ``@compose``, ``@update`` and ``@quantize`` (2.10, 2.11, 2.14)."""

from __future__ import annotations

from typing import TypeAlias

from snd_analysis.skriptnd.syntax.nodes.declarations import Pack, Shape
from snd_analysis.skriptnd.syntax.nodes.expressions import (
    Attributes,
    Call,
    Expression,
    Generics,
    Name,
    Operator,
    Qualified,
    Tilde,
    TypeName,
)
from snd_analysis.skriptnd.syntax.nodes.node import Node, node_class


@node_class
class ErrorEntry(Node):
    """What could not be read as an entry of a block or a statement."""

    name: str
    """The name that it begins with; empty if it begins with something else."""


@node_class
class ResultType(Node):
    """``: real[n]`` behind a result or a carried variable."""

    type: TypeName
    shape: Shape


@node_class
class Result(Node):
    """``y``, ``y..(n)``, ``y: real[n]`` or ``~`` on the left side."""

    target: Name | Tilde
    type: ResultType | None
    pack: Pack | None


@node_class
class ResultTuple(Node):
    """``(a, b)..`` in a list on the left side."""

    names: tuple[Name, ...]
    types: tuple[ResultType | None, ...]
    pack: Pack | None


@node_class
class ResultList(Node):
    """``[a, b..(n)]`` on the left side: one packed result taken apart."""

    items: tuple[Result | ResultTuple, ...]


@node_class
class Labelled(Node):
    """``label: invocation`` or ``label: { block }``."""

    label: Name
    value: Region | Call


@node_class
class Yield(Node):
    """``yield a, b;``."""

    values: tuple[Expression, ...]


@node_class
class Region(Node):
    """``{ statements; yield a; }``."""

    items: tuple[Component | Yield | ErrorEntry, ...]


Callable: TypeAlias = "Region | Labelled | Expression"


@node_class
class Case(Node):
    """``if condition then consequent`` or ``elif …``."""

    condition: Callable
    consequent: Callable


@node_class
class Branch(Node):
    """``if c then a elif d then b else e``."""

    cases: tuple[Case, ...]
    alternative: Callable


@node_class
class Carry(Node):
    """``with x: real[n] = e``: a variable carried from one iteration to the next."""

    name: Name
    type: ResultType | None
    value: Expression


@node_class
class Scan(Node):
    """``for x : xs``."""

    name: Name
    value: Expression


@node_class
class While(Node):
    """``while c``, tested before or (``post``) behind the body."""

    condition: Callable
    post: bool


@node_class
class Iteration(Node):
    """``..(count)``, ``..(i -> count)`` or ``..(i ->)`` behind ``do``."""

    index: Name | None
    count: Expression | None


@node_class
class Loop(Node):
    """``with … for … while … do..(i -> n) body while …``."""

    carries: tuple[Carry, ...]
    scans: tuple[Scan, ...]
    conditions: tuple[While, ...]
    keyword: Operator
    """``do`` or ``unroll``."""
    iteration: Iteration | None
    body: Callable


@node_class
class Component(Node):
    """``results = right side`` in ``@compose``, ``@update`` or a block."""

    results: tuple[Result | ResultList, ...]
    value: Branch | Loop | Callable


@node_class
class Quantization(Node):
    """``tensor: algorithm{…}`` in ``@quantize``."""

    target: Qualified
    algorithm: Qualified
    generics: Generics | None
    attributes: Attributes | None
    arguments: Operator | None
    """The illegal argument list, as one place."""
