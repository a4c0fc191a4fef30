"""Pairs of weights and variables, found by their names.

Names make two tensors a pair if each is more like the other than like all other tensors of fitting shapes. A tensor
that is equally like several others is left open. Tensors whose names differ in numbers only, such as the tensors of a
model's blocks, are compared together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby, permutations, product
from typing import TypeAlias

from msgspec import Struct

from snd_server.limits import MOST_COMPARED_NAMES, MOST_NUMBERS_OF_NAMES
from snd_server.running.tensor_names import SCOPED, Words, likeness, same_words, words_of

KnownShape: TypeAlias = "tuple[int | None, ...]"
"""Extents, None for one that is not known."""
Fits: TypeAlias = Callable[[KnownShape, KnownShape], bool]
_Pairs: TypeAlias = "list[tuple[str, str]]"


class _Group(Struct, frozen=True):
    """Tensors whose names differ in numbers only, in the order of these."""

    names: tuple[str, ...]
    shapes: tuple[KnownShape, ...]
    counts: tuple[frozenset[int], ...] = ()
    """For each number of these names, all numbers of the model that count the same."""

    @property
    def words(self) -> Words:
        """The words of the first name; the other names differ in their numbers."""
        return words_of(self.names[0])

    @property
    def numbers(self) -> list[tuple[int, ...]]:
        """The numbers of each name."""
        return [words_of(name).numbers for name in self.names]


class _Edge(Struct, frozen=True):
    """Two groups by their first names, and their likeness."""

    one: str
    other: str
    score: float


class OpenPairing(Struct, frozen=True):
    """Tensors that fit each other by their shapes, and whose names do not decide which belong together."""

    weights: tuple[str, ...]
    variables: tuple[str, ...]


def paired(
    weights: Mapping[str, KnownShape],
    variables: Mapping[str, KnownShape],
    fits: Fits,
    known: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the variables by weight that shapes and names decide, with ``known`` ones, in the order of the weights.

    Layers are counted in their order, so that the first of ``layers.0``, ``layers.3`` belongs to ``layer1``.
    """
    same = same_words(*({word for name in each for word in words_of(name).pattern} for each in (weights, variables)))
    found = dict(known or {})
    ones, others = _groups(weights), _groups(variables)
    for level in (list, _singles):
        groups, around = level(ones), level(others)
        only_ones, taken = _only_ones(groups, around, fits), {*found.values()}
        left = [each for each in groups if found.keys().isdisjoint(each.names)]
        open_ = [each for each in around if taken.isdisjoint(each.names)]
        found.update(_pairs_of_groups(left, open_, fits, same, only_ones))
    return {name: found[name] for name in weights if name in found}


def left_open(
    weights: Mapping[str, KnownShape], variables: Mapping[str, KnownShape], taken: Collection[str], fits: Fits
) -> list[OpenPairing]:
    """Return tensors without a pair although unpaired others fit them; tensors of equal shapes are listed together."""
    found: dict[tuple[str, ...], list[str]] = {}
    by_shape: dict[KnownShape, tuple[str, ...]] = {}
    others = {name: shape for name, shape in variables.items() if name not in taken}
    for name, shape in weights.items():
        if name not in taken:
            if shape not in by_shape:
                by_shape[shape] = tuple(each for each, extents in others.items() if fits(shape, extents))
            if by_shape[shape]:
                found.setdefault(by_shape[shape], []).append(name)
    return [OpenPairing(tuple(names), around) for around, names in found.items()]


# ---- groups ----------------------------------------------------------------------------------------------------------
def _groups(tensors: Mapping[str, KnownShape]) -> list[_Group]:
    """Return all tensors in groups by words and rank: a ``weight`` may be a filter or a scale."""
    counts: dict[tuple[str, ...], set[int]] = {}
    found: dict[tuple[object, ...], list[str]] = {}
    for name, shape in tensors.items():
        words = words_of(name)
        for before, number in zip(words.counted, words.numbers, strict=True):
            counts.setdefault(before, set()).add(number)
        found.setdefault((words.pattern, words.counted, len(shape)), []).append(name)
    groups = []
    for names in found.values():
        ordered = sorted(names, key=lambda name: words_of(name).numbers)
        around = tuple(frozenset(counts[before]) for before in words_of(ordered[0]).counted)
        groups.append(_Group(tuple(ordered), tuple(tensors[name] for name in ordered), around))
    return groups


def _singles(groups: Sequence[_Group]) -> list[_Group]:
    return [
        _Group((name,), (shape,), group.counts)
        for group in groups
        for name, shape in zip(group.names, group.shapes, strict=True)
    ]


def _pairs_of_groups(
    ones: Sequence[_Group],
    others: Sequence[_Group],
    fits: Fits,
    same: Mapping[str, str],
    only_ones: Collection[tuple[str, str]],
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of tensors in groups that names, or shapes alone, decide; none if there are too many groups."""
    if len(ones) * len(others) > MOST_COMPARED_NAMES:
        return
    aligned: dict[tuple[str, str], _Pairs] = {}
    edges: list[_Edge] = []
    for one, other in product(ones, others):
        ends = one.names[0], other.names[0]
        score = likeness(one.words, other.words, same)
        pairs = _aligned(one, other, fits) if score or ends in only_ones else []
        if pairs:
            aligned[ends] = pairs
            edges.append(_Edge(*ends, score + (not {*one.names}.isdisjoint(other.names))))
    for ends in _decided(edges, only_ones):
        yield from aligned[ends]


def _only_ones(ones: Sequence[_Group], others: Sequence[_Group], fits: Fits) -> set[tuple[str, str]]:
    """Return the groups that fit nothing else: their shapes decide."""
    by_shapes: tuple[dict[tuple[KnownShape, ...], list[_Group]], ...] = ({}, {})
    for side, groups in zip(by_shapes, (ones, others), strict=True):
        for group in groups:
            side.setdefault(group.shapes, []).append(group)
    fitting = [
        (one, other)
        for one, other in product(*by_shapes)
        if len(one) == len(other) and all(fits(*pair) for pair in zip(one, other, strict=True))
    ]
    first, second = Counter(one for one, _ in fitting), Counter(other for _, other in fitting)
    return {
        (by_shapes[0][one][0].names[0], by_shapes[1][other][0].names[0])
        for one, other in fitting
        if first[one] == second[other] == len(by_shapes[0][one]) == len(by_shapes[1][other]) == 1
    }


def _decided(edges: Sequence[_Edge], only_ones: Collection[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the pairs whose members are more alike than either is to any remaining name.

    Names that have no more than the kind in common decide only if no other pair of theirs has as much.
    """
    taken_ones: set[str] = set()
    taken_others: set[str] = set()
    first = Counter((edge.one, edge.score) for edge in edges)
    second = Counter((edge.other, edge.score) for edge in edges)
    for score, level in groupby(sorted(edges, key=lambda each: -each.score), key=lambda each: each.score):
        free = [each for each in level if each.one not in taken_ones and each.other not in taken_others]
        of_one, of_other = Counter(each.one for each in free), Counter(each.other for each in free)
        for each in free:
            is_alone = of_one[each.one] == of_other[each.other] == 1
            if score < SCOPED:
                is_alone &= score > 0 and first[each.one, score] == second[each.other, score] == 1
                is_alone |= (each.one, each.other) in only_ones
            if is_alone:
                yield each.one, each.other
            if is_alone or score:  # tensors that are equally like several others must not get one that is less like
                taken_ones.add(each.one)
                taken_others.add(each.other)


# ---- numbers ---------------------------------------------------------------------------------------------------------
def _aligned(one: _Group, other: _Group, fits: Fits) -> _Pairs:
    """Return the pairs of two groups by their numbers; none if these count differently, or if shapes differ."""
    columns, wanted = len(one.counts), len(other.counts)
    if columns != wanted:  # as in features.3 and block1.conv2
        is_whole = len(one.names) == len(other.names)
        pairs = [*zip(one.names, other.names, strict=True)] if is_whole else []
        return pairs if _fit(pairs, one, other, fits) else []
    places = dict(zip(other.numbers, other.names, strict=True))
    partial: _Pairs = []
    for order in permutations(range(columns)) if columns <= MOST_NUMBERS_OF_NAMES else [tuple(range(columns))]:
        maps = [_counterparts(one, at, other, order[at]) for at in range(columns)]
        pairs = []
        for name, numbers in zip(one.names, one.numbers, strict=True):
            found = {order[at]: maps[at].get(number) for at, number in enumerate(numbers)}
            place = places.get(tuple(found[at] or 0 for at in range(columns))) if None not in found.values() else None
            pairs += [] if place is None else [(name, place)]
        if _fit(pairs, one, other, fits):
            if len(pairs) == len(one.names) == len(other.names):
                return pairs
            if order == tuple(range(columns)):
                partial = pairs
    return partial


def _fit(pairs: _Pairs, one: _Group, other: _Group, fits: Fits) -> bool:
    shapes, others = (dict(zip(each.names, each.shapes, strict=True)) for each in (one, other))
    return bool(pairs) and all(fits(shapes[name], others[place]) for name, place in pairs)


def _counterparts(one: _Group, at: int, other: _Group, there: int) -> Mapping[int, int]:
    """Return the numbers of another model by the numbers of a model that count the same; none if that is not clear."""
    all_, others = sorted(one.counts[at]), sorted(other.counts[there])
    if all_ == others:
        return dict(zip(all_, others, strict=True))
    if len(all_) == len(others) and (_is_complete(all_) or _is_complete(others)):
        return dict(zip(all_, others, strict=True))
    if _is_complete(all_) and _is_complete(others):  # of two models of different depth, or that count from 0 and 1
        return {number: number for number in all_} if all_[0] == others[0] else {}
    # Numbers of a sequence count layers of other kinds, too.
    own = sorted({numbers[at] for numbers in one.numbers})
    own_others = sorted({numbers[there] for numbers in other.numbers})
    is_whole = (_is_complete(own) and own == all_) or (_is_complete(own_others) and own_others == others)
    if is_whole and len(own) == len(own_others) > 1:
        return dict(zip(own, own_others, strict=True))
    return {}


def _is_complete(numbers: Sequence[int]) -> bool:
    """Return whether sorted numbers leave none out."""
    return numbers[-1] - numbers[0] + 1 == len(numbers)
