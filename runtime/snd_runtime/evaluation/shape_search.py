"""Shapes for inputs that nothing gives: the smallest with which an operator can be bound."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

from msgspec import Struct, field

from snd_analysis.compose import Template
from snd_analysis.model import Shape, Tensor, TensorValue
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import DivisionByZero, Integer, Leaf, NegativeExponent, Truth
from snd_analysis.symbolic.values import ItemRun, Maybe, OperationError, Pack, Value, substitute
from snd_runtime.evaluation.limits import MOST_EXTENT, MOST_SIZE_OF_MANY_RANKS, MOST_TRIED_ITEMS
from snd_runtime.evaluation.shape_demands import Demands
from snd_runtime.evaluation.tensors import KnownShapes

_RANKS = (2, 1, 3, 4, 0, 5)
# An extent of 2 comes first: random indices of 0 or 1 are valid, and extents of 1 would broadcast.
_SIZES = (2, 1, 3, 4, 5, 6, 8, 7, 9, 10, 12, 16, 24, 32, 48, 64, 96, 128, 224, 256, 299, 512, 768, 1024)
_MIXED = 1000
SECONDS = 3.0


class Choice(Struct):
    """Numbers for unknowns: ``rank`` for lengths and ranks, one of ``sizes`` or the next allowed one for extents."""

    rank: int
    sizes: Sequence[int]
    chance: random.Random
    demands: Demands
    _chosen: dict[Hashable, int] = field(default_factory=dict)

    def length(self, leaf: Leaf) -> int:
        """For a number of dimensions or of tensors."""
        return self._chosen.setdefault(leaf.key, _within(leaf, self.rank))

    def extent(self, leaf: Leaf) -> int:
        """For an extent."""
        if leaf.key not in self._chosen:
            wanted = _within(leaf, self.chance.choice(self.sizes))
            self._chosen[leaf.key] = self.demands.fitting(leaf, wanted, self._chosen)
        return self._chosen[leaf.key]


def choices(literals: Collection[int], demands: Demands) -> Iterator[Choice]:
    """Yield choices, best first: all extents equal, then random mixtures of small extents and ``literals``."""
    chance = random.Random(0)
    for size in _SIZES:
        for rank in _RANKS:
            if rank < 4 or size <= MOST_SIZE_OF_MANY_RANKS:
                yield Choice(rank, (size,), chance, demands)
    wanted = sorted({each for literal in literals for each in (literal, literal + 1) if 0 < each <= MOST_EXTENT})
    for number in range(_MIXED):
        most = 2 + number * len(_SIZES) // _MIXED
        yield Choice(chance.choice(_RANKS[:4]), (*range(1, most + 1), *wanted), chance, demands)


def search(
    template: Template,
    wanted: Mapping[str, TensorValue],
    demanded: Collection[Truth],
    attempt: Callable[[Mapping[str, KnownShapes]], bool],
    seconds: float = SECONDS,
) -> bool:
    """Try shapes for the inputs that are ``wanted``, which have symbols, until an attempt succeeds.

    Extents are chosen such that the conditions ``demanded`` of the symbols hold. The numbers in the operator's own text
    are tried, too. Gives up after ``seconds``.
    """
    end = time.thread_time() + seconds
    tried = set()
    for choice in choices(_literals(template), Demands(demanded)):
        found = {name: concrete(value, choice) for name, value in wanted.items()}
        key = tuple(found.values())
        if None in key or key in tried:
            continue
        tried.add(key)
        if attempt(found):
            return True
        if time.thread_time() > end:
            return False
    return False


def _literals(template: Template) -> set[int]:
    found = nodes.descendants(template.definition)
    return {each.value for each in found if isinstance(each, nodes.Literal) and type(each.value) is int}


def concrete(value: Value, choice: Choice) -> KnownShapes:
    """Return the shape of a tensor, or the shapes in a pack, with numbers for unknowns; None if that is impossible."""
    if isinstance(value, Maybe):
        return concrete(value.value, choice)
    if isinstance(value, Tensor):
        shape = _concrete_shape(value.shape, choice)
        return None if shape is None else (shape,)
    if not isinstance(value, Pack):
        return None
    found = []
    for segment, item in zip(value.segments, value.elements, strict=True):
        count = _number(segment.length, choice.length) if isinstance(segment, ItemRun) else 1
        shape = _concrete_shape(item.shape, choice) if isinstance(item, Tensor) else None
        if shape is None or count is None or not 0 <= count <= MOST_TRIED_ITEMS:
            return None
        found += [shape] * count
    return tuple(found)


def _concrete_shape(shape: Shape | None, choice: Choice) -> tuple[int, ...] | None:
    if shape is None:
        return (choice.sizes[0],) * choice.rank
    pack = Pack(shape, dtype="int")
    try:
        known = substitute(pack, {leaf.key: choice.length(leaf) for leaf in pack.length.leaves})
    except (OperationError, DivisionByZero, NegativeExponent):
        return None
    if not isinstance(known, Pack) or known.items is None:
        return None
    extents = []
    for item in known.items:
        extent = _number(item, choice.extent)
        if extent is None or extent < 0:
            return None
        extents.append(extent)
    return tuple(extents)


def _number(value: object, of: Callable[[Leaf], int]) -> int | None:
    if not isinstance(value, Integer):
        return None
    if value.value is not None:
        return value.value
    try:
        return shapes.substitute(value, {leaf.key: of(leaf) for leaf in value.leaves}).value
    except (DivisionByZero, NegativeExponent):
        return None


def _within(leaf: Leaf, number: int) -> int:
    if leaf.high is not None:
        number = min(number, leaf.high)
    return number if leaf.low is None else max(number, leaf.low)
