"""Dynamic extents of an operator's outputs, made anew for every invocation of it (2.6.1)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

from snd_analysis import shapes
from snd_analysis.compose.declared import Dynamic
from snd_analysis.model import Shape, Tensor, TensorValue, empty_pack, item_of_empty
from snd_analysis.shapes import Integer
from snd_analysis.values import Maybe, Pack, Run, substitute


class Renewal:
    """Puts new unknowns, with names and bounds as before, in place of the dynamic extents of one instance."""

    def __init__(self, dynamic: Mapping[Dynamic, Integer]) -> None:
        self._values: dict[Hashable, Integer] = {}
        for key, extent in dynamic.items():
            leaf = next(iter(extent.leaves))
            self._values[key] = shapes.variable(Dynamic(key.declared), leaf.name, leaf.low, leaf.high)

    @property
    def extents(self) -> dict[Dynamic, Integer]:
        """The new extents, as an instance around needs them."""
        return {next(iter(extent.leaves)).key: extent for extent in self._values.values()}  # type: ignore[misc]

    def tensors(self, value: TensorValue) -> TensorValue:
        """A tensor, or those of a pack, with new extents."""
        if isinstance(value, Tensor):
            return value if value.shape is None else replace(value, shape=self._shape(value.shape))
        if isinstance(value, Maybe):
            return Maybe(value.present, self.tensors(value.value))
        if isinstance(value, Pack):
            if not value.segments:
                return empty_pack(self.tensors(item_of_empty(value)), value.dtype)
            segments = [
                Run(self._extent(segment.length), self.tensors(segment.element))
                if isinstance(segment, Run)
                else self.tensors(segment)
                for segment in value.segments
            ]
            return Pack(segments, dtype=value.dtype)
        return value

    def _shape(self, shape: Shape) -> Shape:
        return tuple(
            Run(self._extent(part.length), substitute(part.element, self._values))
            if isinstance(part, Run)
            else self._extent(part)
            for part in shape
        )

    def _extent(self, extent: Integer) -> Integer:
        renewed = substitute(extent, self._values)
        return renewed if isinstance(renewed, Integer) else extent
