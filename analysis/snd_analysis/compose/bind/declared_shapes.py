"""Tensors as outputs, variables and constants declare them: shapes evaluated with everything bound (2.6, 2.7)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from snd_analysis import rules
from snd_analysis.compose.dynamic import Dynamic, dynamic_extent
from snd_analysis.compose.limits import MOST_TENSORS
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.template import AffineForm, Member
from snd_analysis.model import Place, Shape, Tensor, TensorKind, TensorValue, as_tensor, empty_pack
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer, Truth
from snd_analysis.symbolic.values import NULL, UNDEFINED, ItemRun, Maybe, OperationError, Pack, Value, item, wide_items


def literal_tensor(node: nodes.Node, value: Value, name: str, dtype: str | None = None) -> TensorValue:
    """Return the value of ``node`` as a tensor, or a pack of tensors.

    Raise EvaluationError for an int of more than 64 bits, at its item of a list.
    """
    for at, wide in wide_items(value):
        raise EvaluationError(nodes.single_item(node, at), rules.INT_OVERFLOW, rules.formulas.too_wide(wide.value))
    return as_tensor(value, name, dtype)


# ---- tensors as outputs, variables and constants declare them --------------------------------------------------------
class Declarations(Struct):
    """The evaluation of declared shapes in one scope, with the dynamic extents that they introduce."""

    scope: ValueScope
    dynamic: dict[Dynamic, Integer] = field(default_factory=dict)

    def tensors(self, member: Member, kind: TensorKind, place: Place) -> TensorValue:
        """Return the tensor, or pack of tensors, that a member declares; UNDEFINED as far as it is not known.

        Raise EvaluationError if an extent or length has no value.
        """
        dtype = self.scope.element_type(member.node.type)
        pack = member.node.pack
        if pack is None:
            return Tensor(member.name, dtype, self.shape(member, None), kind, place)
        if pack.length is None or isinstance(pack.length, nodes.Tilde):
            return UNDEFINED
        length = self.scope.evaluate(pack.length)
        if isinstance(length, Truth):
            length = shapes.choose(length, 1, 0)
        if not isinstance(length, Integer):
            return UNDEFINED
        return self._pack(member, length, lambda name, at: Tensor(name, dtype, self.shape(member, at), kind, place))

    def _pack(self, member: Member, length: Integer, make: Callable[[str, Integer | None], Tensor]) -> Pack:
        count = length.value
        dtype = self.scope.element_type(member.node.type)
        if count is None or count > MOST_TENSORS:
            return Pack((ItemRun(length, make(f"{member.name}[]", None)),), dtype=dtype)
        items = [make(f"{member.name}[{at}]", shapes.constant(at)) for at in range(max(count, 0))]
        return Pack(items, dtype=dtype) if items else empty_pack(make(f"{member.name}[]", None), dtype)

    # ---- shapes ------------------------------------------------------------------------------------------------------
    def shape(self, member: Member, at: Integer | None) -> Shape | None:
        """Return the shape of a member, of item ``at`` if it is a pack.

        None if it is not known, or left to composing.
        """
        if member.node.shape is None:
            return None
        found: list[Integer | ItemRun] = []
        for extent in member.extents:
            part = self._extent(extent, at, member.name, len(found))
            if part is None:
                return None
            found.extend(part)
        return tuple(found)

    def _extent(
        self, extent: nodes.Extent, at: Integer | None, name: str, position: int
    ) -> tuple[Integer | ItemRun, ...] | None:
        if extent.bound is not None and self._is_dynamic(extent):
            return self._dynamic_extents(extent, name, position)
        if isinstance(extent.value, nodes.Tilde):
            return None
        value = self.scope.evaluate(extent.value)
        if extent.spread:
            value = _item(value, at) if isinstance(value, Pack) and at is not None else UNDEFINED
        for _, wide in wide_items(value):
            message = rules.formulas.too_wide(f"the extent {wide}")
            raise EvaluationError(extent.value, rules.INT_OVERFLOW, message)
        if extent.expansion is None:
            return _single(value)
        length = None if extent.expansion.length is None else self.scope.evaluate(extent.expansion.length)
        return _packed(value, length)

    def _is_dynamic(self, extent: nodes.Extent) -> bool:
        if isinstance(extent.value, nodes.Tilde):
            return True
        symbol = self.scope.template.resolution.targets.get(extent.value)
        return isinstance(symbol, Symbol) and symbol not in self.scope.values

    def _dynamic_extents(self, extent: nodes.Extent, name: str, position: int) -> tuple[Integer | ItemRun, ...] | None:
        assert extent.bound is not None
        symbol = None
        if not isinstance(extent.value, nodes.Tilde):
            found = self.scope.template.resolution.targets.get(extent.value)
            symbol = found if isinstance(found, Symbol) else None
        bound = self.scope.evaluate(extent.bound)
        most = shapes.bounds(bound)[1] if isinstance(bound, Integer) else None
        if extent.expansion is None:
            text = symbol.name if symbol is not None else f"{name}.shape[{position}]"
            made = self._fresh(text, most)
            if symbol is not None:
                self.scope.values[symbol] = made
            return (made,)
        length = None if extent.expansion.length is None else self.scope.evaluate(extent.expansion.length)
        if not isinstance(length, Integer) or length.value is None:
            return None
        if length.value > MOST_TENSORS:
            message = f"there are {length} dynamic extents, more than snd can handle ({MOST_TENSORS:,})"
            raise EvaluationError(extent, rules.VALUE_TOO_LARGE, message)
        limits = bound.items if isinstance(bound, Pack) else None
        row = []
        for number in range(length.value):
            limit = limits[number] if limits is not None and number < len(limits) else bound
            high = shapes.bounds(limit)[1] if isinstance(limit, Integer) else None
            text = f"{symbol.name}[{number}]" if symbol is not None else f"{name}.shape[{position + number}]"
            row.append(self._fresh(text, high))
        if symbol is not None:
            self.scope.values[symbol] = Pack(row, dtype="int")
        return tuple(row)

    def _fresh(self, name: str, most: int | None) -> Integer:
        return dynamic_extent(self.dynamic, name, 0, most, declared=True)


def _item(pack: Pack, at: Integer) -> Value:
    try:
        return item(pack, at)
    except OperationError:
        return UNDEFINED


def _single(value: Value) -> tuple[Integer | ItemRun, ...] | None:
    match value:
        case Integer():
            return (value,)
        case Maybe(present=present, value=Integer() as extent):
            return (ItemRun(shapes.choose(present, 1, 0), extent),)
        case _:
            return () if value is NULL else None


def _packed(value: Value, length: Value | None) -> tuple[Integer | ItemRun, ...] | None:
    if value is NULL or length is NULL:
        return ()
    match value, length:
        case Pack(segments=parts), _:
            return parts if all(isinstance(part, Integer | ItemRun) for part in parts) else None  # type: ignore[return-value]
        case Integer(), Truth() | Integer():
            count = shapes.choose(length, 1, 0) if isinstance(length, Truth) else length
            return Pack((ItemRun(count, value),), dtype="int").segments  # type: ignore[return-value]
        case Maybe(value=Integer() as extent), Truth():
            return (ItemRun(shapes.choose(length, 1, 0), extent),)
        case _:
            return None


# ---- deduction of the name in an affine extent or length from the actual value (2.6) ---------------------------------
class Unsolvable(Struct, frozen=True):
    """The reason that no value of the name gives the actual value."""

    because: str


def solve(form: AffineForm, actual: Integer) -> Integer | Unsolvable:
    """Return the x with ``factor * x + offset == actual``, not negative; Unsolvable if there is certainly none."""
    difference = actual - form.offset
    if form.factor == 1:
        value = difference
    elif form.factor == 0:
        return actual
    else:
        rest = shapes.remainder(difference, form.factor)
        if shapes.decide_equal(rest, 0) is EqualityVerdict.DIFFERENT:
            return Unsolvable(f"no whole number '{form.symbol.name}' gives that")
        value = shapes.floor_divide(difference, form.factor)
    most = shapes.bounds(value)[1]
    if most is not None and most < 0:
        return Unsolvable(f"'{form.symbol.name}' would be {value if value.value is not None else 'negative'}")
    return value
