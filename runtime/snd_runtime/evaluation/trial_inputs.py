"""Random inputs to compare two models on. Some differences show with large extents only."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import combinations
from math import prod

from msgspec.structs import replace

from snd_analysis.compose import Specialization
from snd_analysis.model import Tensor
from snd_analysis.symbolic.integers import Integer, substitute
from snd_runtime.evaluation.distinct_sizes import distinct_inputs
from snd_runtime.evaluation.limits import MOST_SUMS
from snd_runtime.evaluation.request import InputValue
from snd_runtime.execution.plain import static_shape
from snd_runtime.generators import Generator

_LARGE_EXTENTS = (251, 61, 13, 3, 2)
"""Dynamic extents in the order of trial: a formula may behave alike for all small extents."""
_MOST_ELEMENTS, _MOST_TIMES = 4096, 4
"""Limits of inputs with large extents: elements in all, and as a multiple of the elements with small extents."""


def random_inputs(specialization: Specialization, sizes: Mapping[Hashable, int] | None = None) -> dict[str, Generator]:
    """Return random inputs for those with a known shape, with the sizes of the symbols in it."""
    found: dict[str, Generator] = {}
    for member, value in zip(specialization.template.inputs, specialization.inputs, strict=True):
        if isinstance(value, Tensor) and value.value is None and member.node.pack is None and value.dtype != "str":
            shape = static_shape(_sized(value, sizes or {}))
            if shape is not None:
                found[member.name] = Generator("random", shape)
    return found


def larger_inputs(specialization: Specialization, elements: int) -> Iterator[dict[str, Generator]]:
    """Yield random inputs with a distinct number for each symbol, the largest first; none without symbols.

    ``elements`` is the number for small inputs. The graph may demand other extents.
    """
    symbols = _symbols(specialization)
    for size in _LARGE_EXTENTS if symbols else ():
        found = random_inputs(specialization, {key: size + at for at, key in enumerate(symbols)})
        if sum(prod(each.shape) for each in found.values()) <= max(_MOST_ELEMENTS, _MOST_TIMES * elements):
            yield found


def different_inputs(specialization: Specialization, elements: int) -> Iterator[Mapping[str, InputValue]]:
    """Yield random inputs whose sizes are greater than 1 and pairwise different; none where no size is open.

    Large ones come first, then those that the conditions of the declarations demand, and sums last, which a mask may
    need. Sizes of 1 broadcast, and equal ones hide which extent is meant. For ``elements`` see ``larger_inputs``.
    """
    yield from larger_inputs(specialization, elements)
    if _symbols(specialization):
        yield from distinct_inputs(specialization)
    yield from summed_inputs(specialization)


def summed_inputs(specialization: Specialization) -> Iterator[dict[str, Generator]]:
    """Yield random inputs in which a symbol is the sum of two others, like a mask over a cache and new items."""
    symbols = _symbols(specialization)
    sums = [
        (whole, parts)
        for whole in reversed(symbols)
        for parts in combinations([each for each in symbols if each != whole], 2)
    ]
    for whole, parts in sums[:MOST_SUMS]:
        sizes = {key: 2 + at for at, key in enumerate(symbols)}
        yield random_inputs(specialization, {**sizes, whole: sum(sizes[each] for each in parts)})


def _symbols(specialization: Specialization) -> list[Hashable]:
    tensors = [each for each in specialization.inputs if isinstance(each, Tensor)]
    extents = [each for tensor in tensors for each in tensor.shape or () if isinstance(each, Integer)]
    return [*dict.fromkeys(leaf.key for each in extents for leaf in each.leaves)]


def _sized(tensor: Tensor, sizes: Mapping[Hashable, int]) -> Tensor:
    if tensor.shape is None:
        return tensor
    shape = (substitute(each, sizes) if isinstance(each, Integer) else each for each in tensor.shape)
    return replace(tensor, shape=tuple(shape))
