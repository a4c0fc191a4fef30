"""Statements of ``@compose``, ``@update`` and ``@quantize`` (2.10, 2.11, 2.14)."""

from __future__ import annotations

from typing import TypeAlias

from snd_analysis.base import Node
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


class ErrorEntry(Node, frozen=True):
    """Text that does not parse as an entry of a block or as a statement."""

    name: str
    """The name that it begins with; empty if it begins with something else."""


class ResultType(Node, frozen=True):
    """``: real[n]`` after a result or a carried variable."""

    type: TypeName
    shape: Shape


class Result(Node, frozen=True):
    """``y``, ``y..(n)``, ``y: real[n]`` or ``~`` on the left side."""

    target: Name | Tilde
    type: ResultType | None
    pack: Pack | None

    @property
    def names(self) -> tuple[Name, ...]:
        """The name, as a list has several; none for ``~``."""
        return (self.target,) if isinstance(self.target, Name) else ()


class ResultTuple(Node, frozen=True):
    """``(a, b)..`` in a list on the left side."""

    names: tuple[Name, ...]
    types: tuple[ResultType | None, ...]
    pack: Pack | None


class ResultList(Node, frozen=True):
    """``[a, b..(n)]`` on the left side: one packed result taken apart."""

    items: tuple[Result | ResultTuple, ...]

    @property
    def names(self) -> tuple[Name, ...]:
        """The names in it."""
        return tuple(name for item in self.items for name in item.names)


class Labelled(Node, frozen=True):
    """``label: invocation`` or ``label: { block }``."""

    label: Name
    value: Region | Call


class Yield(Node, frozen=True):
    """``yield a, b;``."""

    values: tuple[Expression, ...]


class Region(Node, frozen=True):
    """``{ statements; yield a; }``."""

    items: tuple[Component | Yield | ErrorEntry, ...]

    @property
    def components(self) -> tuple[Component, ...]:
        """The parsed statements, without ``yield``."""
        return tuple(item for item in self.items if isinstance(item, Component))


Callable: TypeAlias = "Region | Labelled | Expression"


class Case(Node, frozen=True):
    """``if condition then consequent`` or ``elif …``."""

    condition: Callable
    consequent: Callable


class Branch(Node, frozen=True):
    """``if c then a elif d then b else e``."""

    cases: tuple[Case, ...]
    alternative: Callable


class Carry(Node, frozen=True):
    """``with x: real[n] = e``: a variable carried from one iteration to the next."""

    name: Name
    type: ResultType | None
    value: Expression


class Scan(Node, frozen=True):
    """``for x : xs``."""

    name: Name
    value: Expression


class While(Node, frozen=True):
    """``while c``, tested before or (``post``) after the body."""

    condition: Callable
    post: bool


class Iteration(Node, frozen=True):
    """``..(count)``, ``..(i -> count)`` or ``..(i ->)`` after ``do``."""

    index: Name | None
    count: Expression | None


class Loop(Node, frozen=True):
    """``with … for … while … do..(i -> n) body while …``."""

    carries: tuple[Carry, ...]
    scans: tuple[Scan, ...]
    conditions: tuple[While, ...]
    keyword: Operator
    """``do`` or ``unroll``."""
    iteration: Iteration | None
    body: Callable


class Component(Node, frozen=True):
    """``results = right side`` in ``@compose``, ``@update`` or a block."""

    results: tuple[Result | ResultList, ...]
    value: Branch | Loop | Callable

    @property
    def names(self) -> tuple[Name, ...]:
        """The names on the left side."""
        return tuple(name for result in self.results for name in result.names)

    @property
    def parts(self) -> tuple[Callable, ...]:
        """The invocations, blocks and expressions of the right side."""
        match self.value:
            case Branch(cases=cases, alternative=alternative):
                return (*(part for case in cases for part in (case.condition, case.consequent)), alternative)
            case Loop(body=body, conditions=conditions):
                return (body, *(each.condition for each in conditions))
            case _:
                return (self.value,)


class Quantization(Node, frozen=True):
    """``tensor: algorithm{…}`` in ``@quantize``."""

    target: Qualified
    algorithm: Qualified
    generics: Generics | None
    attributes: Attributes | None
    arguments: Operator | None
    """The illegal argument list, as one place."""
