"""Dynamic extents of an operator's outputs, made anew for every invocation of it (2.6.1)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec.structs import replace

from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.dynamic import Dynamic
from snd_analysis.compose.limits import MOST_DYNAMIC_EXTENTS
from snd_analysis.compose.specialization import Specialization
from snd_analysis.model import Shape, Tensor, TensorValue, empty_pack, item_of_empty, tensor_value
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer, Leaf
from snd_analysis.symbolic.values import ItemRun, Maybe, Pack, Segment, Value, substitute


class Replacement:
    """The replacement of unknown extents by others, by key."""

    def __init__(self, values: Mapping[Hashable, Integer]) -> None:
        self._values = values
        self._replaced: dict[Tensor, Tensor] = {}

    def tensors(self, value: Value) -> TensorValue:
        """Return a tensor, or the tensors of a pack, with other extents; one in two places stays one."""
        match value:
            case Tensor():
                if value not in self._replaced:
                    shape = value.shape
                    self._replaced[value] = value if shape is None else replace(value, shape=self._shape(shape))
                return self._replaced[value]
            case Maybe():
                return Maybe(value.present, self.tensors(value.value))
            case Pack(segments=()):
                return empty_pack(self.tensors(item_of_empty(value)), value.dtype)
            case Pack():
                segments = [
                    ItemRun(self._extent(segment.length), self.tensors(segment.element))
                    if isinstance(segment, ItemRun)
                    else self.tensors(segment)
                    for segment in value.segments
                ]
                return Pack(segments, dtype=value.dtype)
        return tensor_value(value)

    def _shape(self, shape: Shape) -> Shape:
        return tuple(
            ItemRun(self._extent(part.length), substitute(part.element, self._values))
            if isinstance(part, ItemRun)
            else self._extent(part)
            for part in shape
        )

    def _extent(self, extent: Integer) -> Integer:
        replaced = substitute(extent, self._values)
        return replaced if isinstance(replaced, Integer) else extent


class Freshening(Replacement):
    """Replacement of the dynamic extents of one specialization by new unknowns with the same names and bounds.

    ``others`` are replacements of further unknowns in it, by key.
    """

    def __init__(self, dynamic: Mapping[Dynamic, Integer], others: Mapping[Hashable, Integer] | None = None) -> None:
        self._new: list[Integer] = []
        values = dict(others or {})
        for key, extent in dynamic.items():
            leaf = next(iter(extent.leaves))
            values[key] = new = shapes.variable(Dynamic(key.declared), leaf.name, leaf.low, leaf.high)
            self._new.append(new)
        super().__init__(values)

    @property
    def extents(self) -> dict[Dynamic, Integer]:
        """The new extents, as a specialization around needs them."""
        return {next(iter(extent.leaves)).key: extent for extent in self._new}  # type: ignore[misc]


def results_of(specialization: Specialization) -> tuple[TensorValue, ...]:
    """Return the results of one invocation of an operator: their dynamic extents belong to this invocation alone."""
    if not specialization.dynamic:
        return specialization.outputs
    fresh = Freshening(concerned(specialization.dynamic, specialization.outputs))
    return tuple(map(fresh.tensors, specialization.outputs))


def concerned(dynamic: Mapping[Dynamic, Integer], outputs: Iterable[TensorValue]) -> Mapping[Dynamic, Integer]:
    """Return the dynamic extents of a specialization that its invocations replace by their own.

    If there are many, only those in the outputs are replaced: otherwise each operator that invokes two others would
    have twice as many.
    """
    if len(dynamic) <= MOST_DYNAMIC_EXTENTS:
        return dynamic
    keys = {leaf.key for value in outputs for extent in extents_of(value) for leaf in extent.leaves}
    return {key: extent for at, (key, extent) in enumerate(dynamic.items()) if at < MOST_DYNAMIC_EXTENTS or key in keys}


def extents_of(value: Segment) -> Iterator[Integer]:
    """Yield the extents of a tensor, and lengths and extents of a pack, in their order."""
    match value:
        case Tensor():
            for part in value.shape or ():
                yield from _lengths(part)
        case Maybe():
            yield from extents_of(value.value)
        case ItemRun():
            yield value.length
            yield from extents_of(value.element)
        case Pack():
            for segment in value.segments or (item_of_empty(value),):
                yield from extents_of(segment)


def _lengths(part: Integer | ItemRun) -> Iterator[Integer]:
    if isinstance(part, Integer):
        yield part
    else:
        yield part.length
        if isinstance(part.element, Integer):
            yield part.element


# ---- invocations that differ only in their dynamic extents, seen as one (2.6.1) --------------------------------------
class CanonicalArguments:
    """The arguments of an invocation, with dynamic extents replaced by numbered unknowns of the same names and bounds.

    The numbers follow the order in the inputs: invocations that differ in nothing else have equal arguments.
    """

    def __init__(self, given: Arguments) -> None:
        stand_ins: dict[Hashable, Integer] = {}
        self.actual: dict[Hashable, Integer] = {}
        """The dynamic extent that each stand-in replaces."""
        for leaf in (leaf for value in given.inputs for extent in extents_of(value) for leaf in _dynamic(extent)):
            if leaf.key not in stand_ins:
                made = _canonical_extent(len(stand_ins), leaf.name, leaf.low, leaf.high, leaf.key.declared)  # type: ignore[attr-defined]
                stand_ins[leaf.key] = made
                self.actual[next(iter(made.leaves)).key] = shapes.variable(leaf.key, leaf.name, leaf.low, leaf.high)
        replacement = Replacement(stand_ins)
        self.given = Arguments(
            given.dtypes,
            {name: substitute(value, stand_ins) for name, value in given.attributes.items()},
            tuple(replacement.tensors(value) for value in given.inputs),
        )


def _dynamic(extent: Integer) -> list[Leaf]:
    found = [leaf for leaf in extent.leaves if isinstance(leaf.key, Dynamic)]
    return sorted(found, key=lambda leaf: leaf.name)


@lru_cache(maxsize=4096)
def _canonical_extent(number: int, name: str, low: int | None, high: int | None, declared: bool) -> Integer:
    return shapes.variable(Dynamic(declared), name, low, high)
