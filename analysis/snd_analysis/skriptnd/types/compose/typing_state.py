"""The state of the typing of ``@compose`` and ``@update`` between statements (2.10, 2.11)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Repair, Rule, Span
from snd_analysis.skriptnd.names import OperatorName, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.dimensions import agreed, dimensions, extents_of, shape_of
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.type import Extents, TensorShape, Type, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer

if TYPE_CHECKING:
    from snd_analysis.skriptnd.types.compose.repetition import KnownResults


class TypedValue(Struct, frozen=True):
    """One result of a right side, or one argument: a tensor or a pack of tensors.

    ``type`` is None if it could not be typed; it always has a shape otherwise: scalars are tensors of rank 0 (2.10).
    """

    type: Type | None
    extents: Extents | None = None
    scalar: Integer | None = None
    """The value of a compile-time int."""
    compile_time: bool = False
    """True if the value is known when composing, and no tensor takes part."""
    invoked: OperatorName | None = None
    """The operator whose result it is."""
    place: nodes.Node | None = None
    """The source of the value: an expression or the name of an operator."""

    @property
    def rank(self) -> Integer | None:
        """The number of dimensions of the tensor, or of each in a pack."""
        return None if self.type is None or self.type.shape is None else self.type.shape.rank

    def __str__(self) -> str:
        if self.type is None or self.type.shape is None or self.compile_time:
            return str(self.type if self.type is None or not self.compile_time else replace(self.type, shape=None))
        if self.type.shape.text or self.extents is None:
            return str(self.type)
        return str(replace(self.type, shape=shape_of(self.type.shape.rank, self.extents)))


UNKNOWN = TypedValue(None)

Located: TypeAlias = "tuple[nodes.Node, Span]"
"""A place: a statement, and a span that counts from its start."""


class TypingState:
    """State of the typing of one definition's composition."""

    component: nodes.Component
    """The statement of the current definition."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.extents = context.extents
        self.shapes_certain = True
        """False in a part that composing may skip: no messages about ranks and extents are given there."""
        self.in_control_flow = False
        """True if the current invocation is a part of a branch or loop, where graphs may be invoked too."""
        self.labels: dict[str, Located] = {}
        self.updating = False
        """True if the current statement stands in ``@update``."""
        self.updated: dict[Symbol, Located] = {}
        """The place of each variable's update."""
        self.invoked: dict[Hashable, KnownResults] = {}
        """Results of earlier invocations, keyed by their likeness."""

    def begin(self, statement: nodes.Node) -> None:
        """Go on to a statement of the definition."""
        assert isinstance(statement, nodes.Component)
        self.component = statement
        self.context.base = self.context.resolution.starts[statement]

    @contextmanager
    def inside(self, *, shapes_certain: bool = True, control_flow: bool | None = None) -> Iterator[None]:
        """Type statements within as parts of a branch, a loop or a block."""
        before = self.shapes_certain, self.in_control_flow
        self.shapes_certain = self.shapes_certain and shapes_certain
        self.in_control_flow = before[1] if control_flow is None else control_flow
        try:
            yield
        finally:
            self.shapes_certain, self.in_control_flow = before

    def located(self, node: nodes.Node) -> Located:
        """Return the place of a node of the current statement."""
        return self.component, node.span

    def note(self, place: Located, message: str) -> Note:
        """Return a note at a place."""
        statement, span = place
        return Note(span.shifted(self.context.resolution.starts[statement]), message)

    def value(self, node: nodes.Expression) -> TypedValue:
        """Type an expression on a right side or among arguments."""
        typed = infer(self.context, node)
        if typed.type is None or not self._ranks_agree(node):
            return UNKNOWN
        if not typed.type.tensor:
            type_ = replace(typed.type, shape=TensorShape(shapes.constant(0), ""))
            return TypedValue(type_, (), typed.value, True, None, node)
        rank, shape = self._rank(node), typed.type.shape
        if shape is not None and rank != shape.rank:
            shape = TensorShape(shapes.opaque("rank") if rank is None else rank, "..")
        type_ = typed.type if shape is typed.type.shape else replace(typed.type, shape=shape)
        return TypedValue(type_, self._extents(node), None, False, None, node)

    def _rank(self, node: nodes.Node) -> Integer | None:
        """Return the rank of the tensor in an expression; None if it may be one of several."""
        match node:
            case nodes.Parenthesized(inner=inner):
                return self._rank(inner)
            case nodes.Subscript(target=target):
                return self._rank(target)
            case nodes.Coalesce(value=first, fallback=second) | nodes.Select(consequent=first, alternative=second):
                rank = self._rank(first)
                return rank if second is None or rank == self._rank(second) else None
        typed = self.context.expressions.get(node)
        if typed is None or typed.type is None:
            return None
        return shapes.constant(0) if typed.type.shape is None else typed.type.shape.rank

    def _ranks_agree(self, node: nodes.Expression) -> bool:
        """Return whether the tensors of a list may have one rank, as tensors of a pack must (2.3)."""
        if isinstance(node, nodes.Parenthesized):
            return self._ranks_agree(node.inner)
        first: tuple[nodes.Node, Type, Integer] | None = None
        for item in node.items if isinstance(node, nodes.List) and self.shapes_certain else ():
            typed = self.context.expressions.get(item.item if isinstance(item, nodes.Expanded) else item)
            type_ = None if typed is None else typed.type
            if type_ is None:
                continue
            rank = shapes.constant(0) if type_.shape is None else type_.shape.rank
            if first is None:
                first = (item, type_, rank)
            elif shapes.decide_equal(first[2], rank) is EqualityVerdict.DIFFERENT:
                message = (
                    f"the tensors of a pack have one rank, but this is '{type_.item()}', of rank {rank}, "
                    f"and the first '{first[1].item()}', of rank {first[2]}"
                )
                note = self.context.note(first[0], f"this is '{first[1].item()}'")
                self.context.report(rules.PACK_RANKS_DIFFER, item, message, (note,))
                return False
        return True

    def extents_of_items(self, node: nodes.Expression, value: TypedValue) -> list[tuple[nodes.Node, Extents | None]]:
        """Return the extents of the tensors of a pack that is written as a list, each with its place; else of all."""
        if not isinstance(node, nodes.List):
            return [(node, value.extents)]
        return [(item, self._extents(item.item if isinstance(item, nodes.Expanded) else item)) for item in node.items]

    def extents_of_symbol(self, symbol: Symbol) -> Extents | None:
        """Return the extents of a tensor of this definition, as far as they are known."""
        if symbol not in self.extents:
            node = symbol.node
            if not isinstance(node, nodes.Parameter) or node.shape is None:
                return None
            self.extents[symbol] = extents_of(dimensions(self.context, node.shape, node.optional))
        return self.extents[symbol]

    def _extents(self, node: nodes.Node) -> Extents | None:
        match node:
            case nodes.Qualified():
                symbol = self.context.symbol(node)
                return None if symbol is None else self.extents_of_symbol(symbol)
            case nodes.Parenthesized(inner=inner):
                return self._extents(inner)
            case nodes.Subscript(target=target):
                return self._extents(target)
            case nodes.Coalesce(value=value, fallback=fallback):
                return agreed(self._extents(value), self._extents(fallback))
            case nodes.Select(consequent=consequent, alternative=alternative):
                if alternative is None:
                    return self._extents(consequent)
                return agreed(self._extents(consequent), self._extents(alternative))
            case nodes.List(items=items):
                each = [self._extents(item.item if isinstance(item, nodes.Expanded) else item) for item in items]
                common = each[0] if each else None
                for other in each[1:]:
                    common = agreed(common, other)
                return common
        return () if not self._is_tensor(node) else None

    def _is_tensor(self, node: nodes.Node) -> bool:
        typed = self.context.expressions.get(node)
        return typed is None or typed.type is None or typed.type.tensor

    def define(self, symbol: Symbol, value: TypedValue) -> None:
        """Let a tensor, carried variable or scan item have the type of a value."""
        self.context.symbols[symbol] = Typed(value.type)
        self.extents[symbol] = value.extents

    def not_null(self, value: TypedValue, node: nodes.Node, what: str) -> TypedValue:
        """Return the same value, not optional; one that may be null is reported (2.10.1)."""
        if value.type is None or not value.type.optional:
            return value
        self.context.report(rules.NULL_NOT_ALLOWED, node, rules.expressions.may_be_null(what, value))
        self.context.presume(node)
        return replace(value, type=value.type.required())

    def report_between(
        self,
        rule: Rule,
        first: nodes.Node,
        last: nodes.Node,
        message: str,
        notes: Sequence[Note] = (),
        repair: Repair | None = None,
    ) -> None:
        """Report a rule at everything from one node of the current entry to another."""
        span = Span(first.start, last.end).shifted(self.context.base)
        self.context.problems.append(Problem(rule, span, message, tuple(notes), repair))


TypeCallable: TypeAlias = Callable[[TypingState, nodes.Callable], "list[TypedValue] | None"]
"""Typing of an invocation, a block or an expression: ``statements.run``, passed on into control flow."""


def result_place(node: nodes.Callable) -> nodes.Node:
    """Return the node to mark for a right side: for a block its 'yield', which names the results."""
    if isinstance(node, nodes.Labelled):
        node = node.value
    if isinstance(node, nodes.Region):
        return next((item for item in node.items if isinstance(item, nodes.Yield)), node)
    return node
