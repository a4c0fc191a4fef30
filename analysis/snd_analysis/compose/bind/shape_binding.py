"""Binding of a declared shape, and the symbols in it, to the shape of an actual tensor (2.6, 2.6.2)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from itertools import repeat

from msgspec import Struct

from snd_analysis.compose.bind import shape_failures as failures
from snd_analysis.compose.bind.binding import BindingState
from snd_analysis.compose.bind.declared_shapes import Unsolvable, solve
from snd_analysis.compose.failure import BindingFailed
from snd_analysis.compose.scope import ValueScope, rank_of
from snd_analysis.compose.specialization import tensor_text
from snd_analysis.compose.template import Member
from snd_analysis.model import Tensor, item_of_empty
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer, Truth
from snd_analysis.symbolic.values import (
    NULL,
    UNDEFINED,
    ItemRun,
    Maybe,
    Pack,
    Segment,
    Value,
    cut,
    may_become_known,
    shifted,
    split,
)


# ---- components of declared shapes, and the number of dimensions of each as far as symbols are bound (2.6) -----------
class ShapeComponent(Struct, frozen=True):
    """One component of a declared shape. ``count`` is its number of dimensions, None if it follows only from the rank.

    ``packed`` is True for a pack of dimensions, even of a single one; any other component exists or not.
    """

    extent: nodes.Extent
    packed: bool
    count: Integer | None


def components(scope: ValueScope, extents: tuple[nodes.Extent, ...]) -> list[ShapeComponent]:
    """Return the components of a shape as far as its symbols are bound.

    Raise EvaluationError if a length has no value.
    """
    return [_component(scope, extent) for extent in extents]


def _component(scope: ValueScope, extent: nodes.Extent) -> ShapeComponent:
    one = shapes.constant(1)
    if extent.spread:
        return ShapeComponent(extent, False, one)
    if extent.expansion is None:
        if isinstance(extent.value, nodes.Tilde) or not scope.knows(extent.value):
            return ShapeComponent(extent, False, one)
        value = scope.evaluate(extent.value)
        present = value.present if isinstance(value, Maybe) else shapes.truth(value is not NULL)
        return ShapeComponent(extent, False, shapes.choose(present, 1, 0))
    length = extent.expansion.length
    if length is None:
        if isinstance(extent.value, nodes.Tilde) or not scope.knows(extent.value):
            return ShapeComponent(extent, True, None)
        value = scope.evaluate(extent.value)
        if value is NULL:
            return ShapeComponent(extent, True, shapes.constant(0))
        return ShapeComponent(extent, True, value.length if isinstance(value, Pack) else None)
    if not scope.knows(length):
        return ShapeComponent(extent, True, None)
    count = scope.evaluate(length)
    if isinstance(count, Truth):
        return ShapeComponent(extent, False, shapes.choose(count, 1, 0))
    if count is NULL:
        return ShapeComponent(extent, True, shapes.constant(0))
    return ShapeComponent(extent, True, count if isinstance(count, Integer) else None)


# ---- binding of a declared shape, and the symbols in it, to the shape of an actual tensor (2.6, 2.6.2) ---------------
class ShapeBinder:
    """The binding of the inputs of one invocation, one after the other."""

    def __init__(self, binding: BindingState) -> None:
        self._binding = binding
        self._template = binding.template
        self._scope = binding.scope
        self._items: dict[Symbol, list[Value]] | None = None
        """The extents of components that are not shared by the items of a pack, item by item (``..t``)."""

    def bind_input(self, member: Member, value: Value) -> None:
        """Bind the shapes of one input, which may be a pack, null or possibly null."""
        match value:
            case Maybe():
                self._bind_possible(member, value)
            case Pack():
                self._bind_pack(member, value)
            case Tensor():
                self._bind_tensor(member, value)

    def _bind_possible(self, member: Member, value: Maybe) -> None:
        """Bind symbols by an input that may be null, so that they may be null as well.

        A mismatch may not exist either.
        """
        before = set(self._scope.values)
        with contextlib.suppress(BindingFailed):
            self.bind_input(member, value.value)
        for symbol in self._scope.values.keys() - before:
            self._scope.values[symbol] = maybe_value(value, self._scope.values[symbol])

    def _bind_pack(self, member: Member, pack: Pack) -> None:
        declared = member.node.pack
        if declared is not None and declared.length is not None and not isinstance(declared.length, nodes.Tilde):
            self._binding.bind_count(member, declared.length, pack.length, "tensors")
        collected: dict[Symbol, list[Segment]] = {}
        for at, (segment, item) in enumerate(zip(pack.segments, pack.elements, strict=True)):
            self._items = {}
            if isinstance(item, Tensor):
                self._binding.item = None if pack.items is None else at
                self._binding.first = self._binding.first or item
                self._bind_tensor(member, item)
                self._binding.item = None
            for symbol, extents in self._items.items():
                found = extents[0] if not isinstance(segment, ItemRun) else ItemRun(segment.length, extents[0])
                collected.setdefault(symbol, []).append(found)
        like = item_of_empty(pack)
        if isinstance(like, Tensor) and like.shape is not None:
            self._items = {}
            self._bind_tensor(member, like)
            collected = {symbol: [] for symbol in self._items}
        self._items, self._binding.first = None, None
        for symbol, segments in collected.items():
            self._scope.values[symbol] = Pack(segments, dtype="int")

    def _bind_tensor(self, member: Member, tensor: Tensor) -> None:
        assert tensor.shape is not None
        rank = member.node.rank
        if rank is not None:
            self._bind_rank(member, rank, tensor)
        if member.node.shape is None:
            return
        try:
            parts = components(self._scope, member.extents)
            self._demand_possible(member, parts)
            taken = self._taken(member, tensor, parts)
            if taken is None:
                self._forget(member)
                return
            for part, pack in zip(parts, taken, strict=True):
                self._bind_part(member, tensor, part, pack)
        except EvaluationError as error:
            raise self._binding.fail_evaluating(member.base, error) from None

    def _bind_rank(self, member: Member, name: nodes.Name, tensor: Tensor) -> None:
        symbol = self._template.resolution.targets.get(name)
        if not isinstance(symbol, Symbol):
            return
        known = self._scope.values.setdefault(symbol, rank_of(tensor))
        if isinstance(known, Integer) and shapes.decide_equal(known, rank_of(tensor)) is EqualityVerdict.DIFFERENT:
            raise failures.wrong_named_rank(self._binding, member, tensor, name, known)

    def _forget(self, member: Member) -> None:
        """Mark the symbols of a shape as unknown, since its dimensions can't be assigned to them."""
        for symbol in self._template.bound_by(member):
            self._scope.values.setdefault(symbol, UNDEFINED)

    def _demand_possible(self, member: Member, parts: list[ShapeComponent]) -> None:
        """Report a component of a shape with a negative number of dimensions."""
        for part in parts:
            length = None if part.extent.expansion is None else part.extent.expansion.length
            if length is not None and part.count is not None and shapes.is_negative(part.count):
                raise self._binding.negative(member, length, part.count, "number of dimensions")

    # ---- which dimensions belong to which component ------------------------------------------------------------------
    def _taken(self, member: Member, tensor: Tensor, parts: list[ShapeComponent]) -> list[Pack] | None:
        """Return the dimensions of each component; None if that is not known."""
        flexible = [at for at, part in enumerate(parts) if part.count is None]
        if len(flexible) > 1:
            return None
        rank = rank_of(tensor)
        needed = sum((part.count for part in parts if part.count is not None), shapes.constant(0))
        rest = rank - needed
        if flexible:
            most = shapes.bounds(rest)[1]
            if most is not None and most < 0:
                raise failures.wrong_rank(self._binding, member, tensor, f"at least {needed}")
        elif shapes.decide_equal(rank, needed) is EqualityVerdict.DIFFERENT:
            raise failures.wrong_rank(self._binding, member, tensor, str(needed))
        assert tensor.shape is not None
        pack = Pack(tensor.shape, dtype="int")
        taken = []
        for part in parts:
            count = part.count if part.count is not None else rest
            parted = split(pack, count)
            if parted is None and part.packed and rank.value is not None:
                message = f"'{tensor_text(tensor)}' must have as many dimensions as '{member.name}' takes"
                self._binding.check(_lies_within(count, pack.length), message, member.base, part.extent)
                parted = cut(pack, count)
            if parted is None:
                return None
            taken.append(parted[0])
            pack = parted[1]
        return taken

    # ---- values of components ----------------------------------------------------------------------------------------
    def _bind_part(self, member: Member, tensor: Tensor, part: ShapeComponent, taken: Pack) -> None:
        if part.packed:
            self._bind_length(member, tensor, part, taken.length)
            self._bind_pack_of_extents(member, tensor, part.extent, taken)
            return
        if taken.items is None:
            self._bind_conditional(part, taken)
        elif taken.items:
            actual = taken.items[0]
            if isinstance(actual, Integer):
                self._bind_single(member, tensor, part.extent, actual)
        else:
            form = self._template.form(part.extent.value)
            if form is not None and not self._is_bound_anyway(form.symbol):
                self._scope.values.setdefault(form.symbol, NULL)

    def _bind_conditional(self, part: ShapeComponent, taken: Pack) -> None:
        """Bind an extent whose existence depends on an unknown condition."""
        form = self._template.form(part.extent.value)
        if form is None or form.symbol in self._scope.values or self._is_bound_anyway(form.symbol):
            return
        self._scope.values[form.symbol] = UNDEFINED

    def _is_bound_anyway(self, symbol: Symbol) -> bool:
        """Return whether an extent stands without a condition where an input that is always given binds it."""
        required = (member for member in self._template.inputs if not member.node.optional)
        extents = (extent for member in required for extent in member.extents if extent.expansion is None)
        forms = (self._template.form(extent.value) for extent in extents)
        return any(form is not None and form.symbol is symbol for form in forms)

    def _bind_length(self, member: Member, tensor: Tensor, part: ShapeComponent, count: Integer) -> None:
        expansion = part.extent.expansion
        if part.count is not None or expansion is None or expansion.length is None:
            return
        form = self._template.form(expansion.length)
        if form is None or form.symbol in self._scope.values:
            return
        found = solve(form, count)
        if isinstance(found, Unsolvable):
            raise failures.wrong_length(self._binding, member, tensor, part.extent, expansion.length, count, found)
        self._scope.values[form.symbol] = found
        self._binding.origins[form.symbol] = f"because of the input '{member.name}'"

    def _demand_static(self, member: Member, tensor: Tensor, extent: nodes.Extent, actual: Value) -> None:
        """Demand that ``static`` extents are known when composing (LANGUAGE, Lexical and grammar)."""
        if (
            not extent.static
            or not self._scope.composing
            or not isinstance(actual, Integer)
            or actual.value is not None
            or may_become_known(actual)
        ):
            return
        raise failures.dynamic_for_static(self._binding, member, tensor, extent, actual)

    def _bind_single(self, member: Member, tensor: Tensor, extent: nodes.Extent, actual: Integer) -> None:
        self._demand_static(member, tensor, extent, actual)
        if isinstance(extent.value, nodes.Tilde):
            self._check_bound(member, extent, actual)
            return
        form = self._template.form(extent.value)
        values = self._scope.values
        if extent.spread and self._items is not None and form is not None:
            found = solve(form, actual)
            if isinstance(found, Unsolvable):
                raise failures.not_deducible(self._binding, member, tensor, extent, actual, found)
            self._items.setdefault(form.symbol, []).append(found)
            return
        actual = self._of_all(actual)
        if form is not None and values.get(form.symbol, NULL) is NULL:
            # An extent that is null so far may be there in another place: `c..(first),n,c..(!first)`.
            found = solve(form, actual)
            if isinstance(found, Unsolvable):
                raise failures.not_deducible(self._binding, member, tensor, extent, actual, found)
            values[form.symbol] = found
            self._binding.origins[form.symbol] = f"because of the input '{member.name}'"
        elif self._scope.knows(extent.value):
            expected = self._scope.evaluate(extent.value)
            if isinstance(expected, Integer):
                self._agree(member, tensor, extent, expected, actual)
        self._check_bound(member, extent, actual)

    def _of_all(self, extent: Integer) -> Integer:
        """Return the common extent of the tensors of a pack; the extent of the first tensor if extents may differ."""
        first = extent if self._items is None else shifted(extent, shapes.constant(0))
        assert isinstance(first, Integer)
        return first

    def _bind_pack_of_extents(self, member: Member, tensor: Tensor, extent: nodes.Extent, taken: Pack) -> None:
        for actual in taken.items or ():
            if isinstance(actual, Integer):
                self._check_bound(member, extent, actual)
        if isinstance(extent.value, nodes.Tilde):
            return
        segments = (self._of_all(each) if isinstance(each, Integer) else each for each in taken.segments)
        taken = Pack(segments, dtype="int")
        for actual in taken.items or ():
            self._demand_static(member, tensor, extent, actual)
        form = self._template.form(extent.value)
        values = self._scope.values
        if form is not None and form.symbol not in values:
            if form.factor == 1 and form.offset == 0:
                values[form.symbol] = taken
            else:
                values[form.symbol] = self._solved(member, tensor, extent, taken)
            self._binding.origins[form.symbol] = f"because of the input '{member.name}'"
            return
        if not self._scope.knows(extent.value):
            return
        items = taken.items or ()
        match self._scope.evaluate(extent.value):
            case Integer() as one:
                expected: Iterable[Value] = repeat(one)
            case Pack(items=tuple(many)):
                expected = many
            case _:
                return
        for wanted, actual in zip(expected, items, strict=False):
            if isinstance(wanted, Integer) and isinstance(actual, Integer):
                self._agree(member, tensor, extent, wanted, actual)

    def _solved(self, member: Member, tensor: Tensor, extent: nodes.Extent, taken: Pack) -> Value:
        form = self._template.form(extent.value)
        assert form is not None
        found: list[Segment] = []
        for segment, actual in zip(taken.segments, taken.elements, strict=True):
            if not isinstance(actual, Integer):
                return UNDEFINED
            value = solve(form, actual)
            if isinstance(value, Unsolvable):
                if isinstance(segment, ItemRun):
                    return UNDEFINED
                raise failures.not_deducible(self._binding, member, tensor, extent, actual, value)
            found.append(ItemRun(segment.length, value) if isinstance(segment, ItemRun) else value)
        return Pack(found, dtype="int")

    # ---- agreement ---------------------------------------------------------------------------------------------------
    def _agree(self, member: Member, tensor: Tensor, extent: nodes.Extent, expected: Integer, actual: Integer) -> None:
        if expected == actual:
            return
        verdict = shapes.decide_equal(expected, actual)
        if verdict is EqualityVerdict.UNKNOWN:
            message = f"'{written(extent)}' of '{member.name}' must be {expected}"
            self._binding.check(shapes.compare("==", expected, actual), message, member.base, extent)
        elif verdict is EqualityVerdict.DIFFERENT:
            raise failures.disagreement(self._binding, member, tensor, extent, expected, actual)

    def _check_bound(self, member: Member, extent: nodes.Extent, actual: Integer) -> None:
        """Check the upper bound of a dynamic extent, where control flow invokes a graph (2.6.1)."""
        if extent.bound is None or not self._scope.knows(extent.bound):
            return
        bound = self._scope.evaluate(extent.bound)
        if not isinstance(bound, Integer):
            return
        condition = shapes.compare("<=", actual, bound)
        if condition is shapes.FALSE:
            raise failures.beyond_bound(self._binding, member, extent, bound, actual)
        self._binding.check(condition, f"'{written(extent)}' must not exceed its bound", member.base, extent)


def _lies_within(count: Integer, length: Integer) -> Truth:
    return shapes.and_(shapes.compare(">=", count, 0), shapes.compare("<=", count, length))


def maybe_value(presence: Maybe, value: Value) -> Value:
    """Return a value that exists where ``presence`` does."""
    from snd_analysis.symbolic.values import maybe

    return maybe(presence.present, value)
