"""Inputs in which no two sizes are equal by accident: extents are pairwise different primes where conditions allow it.

Two versions of a definition that confuse two sizes, or a size with an attribute or with 1, agree whenever these are
equal. Such inputs tell them apart.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, zip_longest
from math import prod

from snd_analysis.compose import Specialization
from snd_analysis.model import tensors_of
from snd_analysis.skriptnd.names import SymbolKind
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, Integer, Leaf, Truth
from snd_analysis.symbolic.values import ItemRun, Pack, Value
from snd_runtime.evaluation.limits import MOST_DISTINCT_ELEMENTS
from snd_runtime.evaluation.request import InputValue
from snd_runtime.evaluation.shape_demands import Demands, demanded_of
from snd_runtime.evaluation.shape_search import Choice, concrete
from snd_runtime.generators import Generator

_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
_RANKS = (2, 3, 1)
_SHUFFLES = 48
_FEW_ELEMENTS = 8
"""Elements of all inputs: of fewer, the signs may be equal by accident."""
_SPARE_PRIMES = 2
"""Number of primes beyond one for each unknown, to choose from."""
_OTHER_SIZES = (1, 2, 3, 4, 5, 6, 8, 9, 10, 12)
"""Sizes that are tried to find out whether conditions let two of them differ."""


class _DistinctChoice(Choice):
    """Numbers for unknown sizes: the first of ``sizes`` that nothing else has and that the demands allow."""

    taken: Collection[int] = ()
    ranks: Sequence[int] = _RANKS
    forced: int = 0
    """Number of sizes that were forced to equal another one, or to be no prime."""

    def length(self, leaf: Leaf) -> int:
        """Return another length for each pack, as far as there are enough."""
        if leaf.key not in self._chosen:
            wanted = self.ranks[len(self._chosen) % len(self.ranks)]
            wanted = wanted if leaf.high is None else min(wanted, leaf.high)
            self._chosen[leaf.key] = wanted if leaf.low is None else max(wanted, leaf.low)
        return self._chosen[leaf.key]

    def extent(self, leaf: Leaf) -> int:
        """Return a prime that no other size and no attribute has; another number if the demands allow no prime."""
        if leaf.key not in self._chosen:
            taken = {*self._chosen.values(), *self.taken}
            free = [each for each in self.sizes if each not in taken and _is_within(leaf, each)]
            found = next((each for each in free if self.demands.fitting(leaf, each, self._chosen) == each), None)
            if found is None:
                found = self._other(leaf, {*taken, 1})
                self.forced += 1
            self._chosen[leaf.key] = found
        return self._chosen[leaf.key]

    def _other(self, leaf: Leaf, taken: Collection[int]) -> int:
        """Return a number that the demands allow, one that is not taken if there is one."""
        start = self.sizes[0]
        if not _is_within(leaf, start):
            start = leaf.low if leaf.low is not None and start < leaf.low else leaf.high or start
        first = wanted = self.demands.fitting(leaf, start, self._chosen)
        for _ in _OTHER_SIZES:
            if wanted not in taken:
                return wanted
            wanted = self.demands.fitting(leaf, wanted + 1, self._chosen)
        return first


def _is_within(leaf: Leaf, number: int) -> bool:
    return (leaf.low is None or leaf.low <= number) and (leaf.high is None or number <= leaf.high)


def distinct_inputs(root: Specialization, taken: Collection[int] = ()) -> Iterator[Mapping[str, InputValue]]:
    """Yield random inputs of sizes that differ from each other and from ``taken``, the best first.

    ``root`` is a definition composed for any sizes. Optional inputs are given in all but the second one.
    """
    demands, unknown = Demands(conditions_of(root)), _unknown_count(root)
    chance = random.Random(0)
    found: dict[tuple[int, ...], dict[str, tuple[tuple[int, bool, int], Mapping[str, InputValue]]]] = {}
    for number in range(_SHUFFLES):
        primes = [each for each in _PRIMES if each not in taken][: unknown + _SPARE_PRIMES]
        ranks = list(_RANKS)
        if number:
            chance.shuffle(primes)
            chance.shuffle(ranks)
        choice = _DistinctChoice(ranks[0], primes, chance, demands, taken=taken, ranks=ranks)
        inputs = _inputs(root, choice)
        elements = sum(map(prod, _shapes_of(inputs.values()))) if inputs is not None else 0
        if inputs is not None and elements <= MOST_DISTINCT_ELEMENTS:
            ranks_of = tuple(map(len, _shapes_of(inputs.values())))
            rank = (choice.forced, elements < _FEW_ELEMENTS, elements)
            found.setdefault(ranks_of, {}).setdefault(str(inputs), (rank, inputs))
        if not unknown:
            break
    # Each combination of ranks in turn.
    groups = [sorted(each.values(), key=lambda one: one[0]) for each in found.values()]
    best = [one[1] for row in zip_longest(*groups) for one in sorted(filter(None, row), key=lambda one: one[0])]
    optional = {member.name for member in root.template.inputs if member.node.optional}
    for at, each in enumerate(best):
        yield each
        if not at and optional & each.keys():
            yield {name: value for name, value in each.items() if name not in optional}


def sizes_in(specialization: Specialization) -> dict[str, int]:
    """Return the extents of a specialization by name, items of a pack with their positions."""
    found: dict[str, int] = {}
    for symbol, value in specialization.scope.values.items():
        if symbol.kind is SymbolKind.EXTENT:
            found |= numbers_in(symbol.name, value)
    return found


def numbers_in(name: str, value: Value) -> dict[str, int]:
    """Return the number in a value, or the numbers in a list with their positions."""
    items = value.items or () if isinstance(value, Pack) else ()
    found = ((name, value), *((f"{name}[{at}]", item) for at, item in enumerate(items)))
    return {key: each.value for key, each in found if isinstance(each, Integer) and each.value is not None}


def equal_sizes(cases: Sequence[Mapping[str, int]], root: Specialization) -> list[tuple[str, str]]:
    """Return the pairs of sizes that are equal in all ``cases`` although no condition demands it.

    The second of a pair may be ``1``.
    """
    names = list(dict.fromkeys(name for each in cases for name in each))
    conditions = conditions_of(root)
    keys = {leaf.name: leaf.key for each in _extents(root) if isinstance(each, Integer) for leaf in each.leaves}
    found = []
    for first, second in (*combinations(names, 2), *((name, "1") for name in names)):
        pairs = {
            (each[first], each.get(second, 1)) for each in cases if first in each and (second in each or second == "1")
        }
        if not pairs or any(one != other for one, other in pairs):
            continue
        asked = {keys[name] for name in (first, second) if name in keys}
        about = [each for each in conditions if shapes.variables(each) <= asked]
        tried = [
            {keys[name]: size for name, size in ((first, one), (second, other)) if name in keys}
            for one in _OTHER_SIZES
            for other in (_OTHER_SIZES if second != "1" else (1,))
            if one != other
        ]
        if any(all(_decided(each, numbers) is not FALSE for each in about) for numbers in tried):
            found.append((first, second))
    return found


def conditions_of(root: Specialization) -> tuple[Truth, ...]:
    """Return the conditions that the sizes of a run must fulfil, one that has a result: outputs are not empty."""
    outputs = (extent for value in root.outputs for tensor in tensors_of(value) for extent in tensor.shape or ())
    needed = [shapes.compare(">=", extent, 1) for extent in outputs if isinstance(extent, Integer)]
    return (*demanded_of(root), *(each for each in needed if each.leaves))


def _decided(condition: Truth, numbers: Mapping[object, int]) -> Truth | None:
    try:
        return shapes.substitute(condition, numbers)
    except ArithmeticError:
        return FALSE


def _inputs(root: Specialization, choice: _DistinctChoice) -> dict[str, InputValue] | None:
    """Return an input for each of a definition; None if a shape can't be made of the choice."""
    found: dict[str, InputValue] = {}
    for member, value in zip(root.template.inputs, root.inputs, strict=True):
        shape = concrete(value, choice)
        if shape is None:
            return None
        kind = "zeros" if root.scope.dtypes.get(member.node.type.text, member.node.type.text) == "str" else "random"
        made = tuple(Generator(kind, each) for each in shape)
        found[member.name] = made[0] if member.node.pack is None else made
    return found


def generated_shapes(value: InputValue) -> tuple[tuple[int, ...], ...]:
    """Return the shape of a generated tensor, or the shapes in a pack."""
    return tuple(
        each.shape for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, Generator)
    )


def _shapes_of(inputs: Collection[InputValue]) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(map(generated_shapes, inputs))


def _extents(root: Specialization) -> Iterator[Integer | ItemRun]:
    for value in root.inputs:
        for tensor in tensors_of(value):
            yield from tensor.shape or ()


def has_open_sizes(root: Specialization) -> bool:
    """Return whether sizes of the inputs have to be chosen."""
    return _unknown_count(root) > 0


def _unknown_count(root: Specialization) -> int:
    """Return about how many sizes have to be chosen: packs of extents count for three."""
    extents = [*_extents(root)]
    known = {leaf.key for each in extents if isinstance(each, Integer) for leaf in each.leaves}
    packs = [each for each in extents if isinstance(each, ItemRun)]
    has_open_ranks = any(tensor.shape is None for value in root.inputs for tensor in tensors_of(value))
    return len(known) + len(_RANKS) * len(packs) + has_open_ranks
