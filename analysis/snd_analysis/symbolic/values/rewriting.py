"""Substitution in values: every operation is repeated with the values that are known now."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping

from snd_analysis import rules
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import DivisionByZero, FoldKey, Integer, NegativeExponent, Truth
from snd_analysis.symbolic.limits import MOST_ITEMS
from snd_analysis.symbolic.values.pack import (
    POSITION,
    POSITION_KEY,
    Element,
    ItemRun,
    Pack,
    Positioned,
    Segment,
    element_value,
    fresh,
    is_positional,
    positional,
)
from snd_analysis.symbolic.values.scalars import (
    DEFINITIONS,
    UNDEFINED,
    Maybe,
    OperationError,
    OperationKey,
    Unknown,
    Value,
    dtype_of,
    maybe,
)


def shifted(element: Value, index: Integer) -> Value:
    """Return the element of a run at an index, which may itself depend on the position.

    Raise Failure if it has no value there.
    """
    if index is POSITION:
        return element
    if isinstance(element, Positioned):
        return element.at_position(lambda value: shifted(value, index))
    if not positional(element):
        return element
    return _Rewriting(index, {}, {}).value(element)


def substitute(
    value: Value,
    variables: Mapping[Hashable, Integer | Truth | int | float | str],
    packs: Mapping[Hashable, Pack] | None = None,
) -> Value:
    """Return the value with others in place of unknown ones, by key: of single values, and of packs as wholes.

    Raise Failure if an operation has no value then, unless a condition excludes it.
    """
    known = {key: _as_value(given) for key, given in variables.items()}
    return _Rewriting(None, known, packs or {}).value(value)


def _as_value(given: Integer | Truth | int | float | str) -> Value:
    if isinstance(given, bool):
        return shapes.truth(given)
    return shapes.constant(given) if isinstance(given, int) else given


class _Rewriting:
    """One pass, or its part for one position. Work that doesn't depend on the position is done once."""

    def __init__(
        self,
        position: Integer | None,
        variables: Mapping[Hashable, Value],
        packs: Mapping[Hashable, Pack],
        whole: _Rewriting | None = None,
    ) -> None:
        self._position = position
        self._variables = variables
        self._packs = packs
        self._only_position = not variables and not packs
        self._whole = whole or self
        self._known: dict[Hashable, Value | None] = {}
        self._parts: dict[Integer, _Rewriting] = {}

    def _at(self, position: Integer) -> _Rewriting:
        parts = self._whole._parts
        if position not in parts:
            parts[position] = _Rewriting(position, self._variables, self._packs, self._whole)
        return parts[position]

    def value(self, value: Value) -> Value:
        """Return the value rewritten."""
        match value:
            case Integer() | Truth():
                return self._symbolic(value)
            case Unknown():
                found = self._replaced(value.key, None, None)
                return value if found is None else found
            case Pack():
                return self._pack(value)
            case Maybe():
                present = self._symbolic(value.present)
                return maybe(present, self.value(value.value)) if isinstance(present, Truth) else UNDEFINED
        return value

    def _symbolic(self, value: Integer | Truth) -> Value:
        values: dict[Hashable, Integer | Truth | int] = {}
        for leaf in value.leaves:
            found = self._replaced(leaf.key, leaf.low, leaf.high)
            if found is None:
                continue
            if not isinstance(found, Integer | Truth):
                return UNDEFINED
            values[leaf.key] = found
        if not values:
            return value
        try:
            return shapes.substitute(value, values)
        except DivisionByZero:
            raise OperationError(rules.DIVISION_BY_ZERO, "a divisor is 0 here") from None
        except NegativeExponent:
            raise OperationError(rules.NEGATIVE_EXPONENT, rules.expressions.NO_NEGATIVE_EXPONENT) from None

    def _integer(self, value: Integer) -> Integer:
        found = self._symbolic(value)
        return found if isinstance(found, Integer) else shapes.opaque("…", None)

    def _replaced(self, key: Hashable, low: int | None, high: int | None) -> Value | None:
        """Return the replacement of an unknown; None if it stays."""
        if key is POSITION_KEY:
            return self._position
        if isinstance(key, Element | OperationKey | FoldKey):
            owner = self if is_positional(key) else self._whole
            if key not in owner._known:
                owner._known[key] = owner._redone(key, low, high)
            return owner._known[key]
        return self._variables.get(key)

    def _redone(self, key: Element | OperationKey | FoldKey, low: int | None, high: int | None) -> Value | None:
        try:
            if isinstance(key, Element):
                return self._element(key, low, high)
            if isinstance(key, OperationKey):
                return self._result(key)
            return self._fold(key)
        except OperationError:
            # A part without a value may occur where a condition excludes it.
            return fresh("int" if isinstance(key, FoldKey) else key.dtype)

    def _element(self, key: Element, low: int | None, high: int | None) -> Value | None:
        index = self._integer(key.index)
        pack = key.pack
        found: Value | None = pack if isinstance(pack, Pack) else self._packs.get(pack)
        if not self._only_position:
            if isinstance(pack, Pack):
                found = self._pack(pack)
            elif isinstance(pack, OperationKey):
                found = self._replaced(pack, None, None)
        if isinstance(found, Pack):
            return None if found is pack and index == key.index else DEFINITIONS["at"](found, index)
        if found is not None:
            return found
        return None if index == key.index else element_value(pack, key.name, index, key.dtype, low, high)

    def _result(self, key: OperationKey) -> Value | None:
        operands = tuple(self.value(operand) for operand in key.operands)
        if all(new is old for new, old in zip(operands, key.operands, strict=True)):
            return None
        if any(operand is UNDEFINED for operand in operands):
            return UNDEFINED
        return DEFINITIONS[key.operation](*operands)

    def _fold(self, key: FoldKey) -> Value | None:
        """Return a fold over a pack that has a key as a whole (``shapes.sum_of``)."""
        given = self._packs.get(key.pack)
        return self._variables.get(key) if given is None else DEFINITIONS[f"{key.operator} .."](given)

    def _pack(self, pack: Pack) -> Value:
        """Rewrite a pack. Its items don't depend on an outer position, so only other substitutions enter it."""
        if self._only_position:
            return pack
        known = self._whole._known
        found = known.get(pack)
        if found is None:
            found = known[pack] = self._whole._rewritten(pack)
        return found

    def _rewritten(self, pack: Pack) -> Value:
        segments: list[Segment] = []
        for segment in pack.segments:
            segments.extend(self._run(segment) if isinstance(segment, ItemRun) else [self.value(segment)])
        if any(segment is UNDEFINED for segment in segments):
            return UNDEFINED
        if len(segments) == len(pack.segments) and all(map(operator.is_, segments, pack.segments)):
            return pack
        return Pack(segments, dtype=pack.dtype, repeats=self._repeated(pack))

    def _repeated(self, pack: Pack) -> Value | None:
        """Return the repeated value of a pack, unless its only run provides it."""
        if pack.repeats is None or pack.run is not None:
            return None
        try:
            return self.value(pack.repeats)
        except OperationError:
            return None

    def _run(self, run: ItemRun) -> list[Segment]:
        length = self._integer(run.length)
        count = length.value
        if count is None or count > MOST_ITEMS or not positional(run.element):
            try:
                element = self.value(run.element)
            except OperationError:
                if count:
                    raise
                # There may be no items.
                element = fresh(dtype_of(run.element))
            if element is UNDEFINED:
                return [UNDEFINED]
            return [run if length is run.length and element is run.element else ItemRun(length, element)]
        return [self._at(shapes.constant(at)).value(run.element) for at in range(count)]
