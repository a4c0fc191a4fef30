"""Values of the names of a definition while it is composed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from snd_analysis.base import Layers
from snd_analysis.compose.template import Template
from snd_analysis.model import Tensor
from snd_analysis.skriptnd.evaluate import EvaluationError, evaluate
from snd_analysis.skriptnd.names import ShapeMember, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, Integer, Truth
from snd_analysis.symbolic.values import NULL, UNDEFINED, ItemRun, Maybe, Pack, Segment, Value, maybe, positional


class ValueScope:
    """The values of symbols in one specialization of a definition: the environment of its expressions."""

    __slots__ = ("composing", "dtypes", "template", "values")

    def __init__(
        self, template: Template, values: Mapping[Symbol, Value], dtypes: dict[str, str], composing: bool = True
    ) -> None:
        self.template = template
        self.values: Layers[Symbol, Value] = Layers(values if isinstance(values, Layers) else None)
        if not isinstance(values, Layers):
            self.values.update(values)
        self.dtypes = dtypes
        self.composing = composing
        """True if a graph is composed; not if an operator is looked at alone."""

    def lookup(self, node: nodes.Qualified) -> Value:
        """Return the value of a name in an expression; UNDEFINED if that is not known."""
        target = self.template.resolution.targets.get(node)
        if isinstance(target, Symbol):
            return self.value_of(target)
        if isinstance(target, ShapeMember):
            return member_of(self.value_of(target.tensor), target.member)
        return UNDEFINED

    def value_of(self, symbol: Symbol) -> Value:
        """Return the value of a symbol; UNDEFINED if it is unknown, or if several symbols have its name."""
        return UNDEFINED if symbol in self.template.resolution.ambiguous else self.values.get(symbol, UNDEFINED)

    def dtype(self, node: nodes.TypeName | nodes.Qualified) -> str | None:
        """Return the element type bound to a generic type; None if the name is not a generic type."""
        return self.dtypes.get(node.text)

    def element_type(self, name: nodes.TypeName) -> str:
        """Return the element type of a primitive or generic type."""
        return self.dtypes.get(name.text, name.text)

    @contextmanager
    def assuming(self, condition: Truth) -> Iterator[None]:
        """Replace values that may be null by their values where a condition holds (2.10.1, Promotion)."""
        before = {symbol: value for symbol, value in self.values.items() if isinstance(value, Maybe)}
        for symbol, value in before.items():
            if shapes.and_(condition, shapes.not_(value.present)) is FALSE:
                self.values[symbol] = value.value
            elif shapes.and_(condition, value.present) is FALSE:
                self.values[symbol] = NULL
        try:
            yield
        finally:
            self.values.update(before)

    def evaluate(self, expression: nodes.Expression) -> Value:
        """Return the value of an expression. Raise EvaluationError if it has none."""
        return evaluate(expression, self)

    def attempt(self, expression: nodes.Expression) -> Value:
        """Return the value of an expression; UNDEFINED if it has none."""
        try:
            return evaluate(expression, self)
        except EvaluationError:
            return UNDEFINED

    def knows(self, expression: nodes.Node) -> bool:
        """Return whether every symbol in an expression has a value, and every generic type is bound."""
        named = self.template.symbols(expression)
        return all(each in self.values or each.name in self.dtypes for each in named)


def member_of(value: Value, member: str) -> Value:
    """Return ``x.shape``, ``x.rank`` or ``x.size`` (2.4, Implicitly defined identifiers)."""
    if value is NULL:
        return NULL
    if isinstance(value, Maybe):
        return maybe(value.present, member_of(value.value, member))
    if isinstance(value, Pack):
        if member == "size":
            return value.length
        tensors = [tensor for tensor in map(_tensor_of, value.segments) if tensor is not None]
        known = [tensor.shape for tensor in tensors if tensor.shape is not None]
        if known and len(known) == len(value.segments) and all(_same_rank(known[0], shape) for shape in known[1:]):
            of_all = len(set(known)) == 1 and not any(map(positional, known[0]))
            return member_of(tensors[0], member) if member == "rank" or of_all else UNDEFINED
        return UNDEFINED
    if not isinstance(value, Tensor) or value.shape is None:
        return UNDEFINED
    if member == "shape":
        return Pack(value.shape, dtype="int")
    return rank_of(value) if member == "rank" else UNDEFINED


def _tensor_of(segment: Segment) -> Tensor | None:
    value = segment.element if isinstance(segment, ItemRun) else segment
    return value if isinstance(value, Tensor) else None


def _same_rank(first: tuple[Integer | ItemRun, ...], second: tuple[Integer | ItemRun, ...]) -> bool:
    return Pack(first).length == Pack(second).length


def rank_of(tensor: Tensor) -> Integer:
    """Return the number of dimensions of a tensor whose shape is known."""
    assert tensor.shape is not None
    total = shapes.constant(len(tensor.shape))
    for segment in tensor.shape:
        if isinstance(segment, ItemRun):
            total = total + segment.length - 1
    return total
