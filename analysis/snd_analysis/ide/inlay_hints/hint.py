"""Type of an inlay hint."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Location


class HintKind(StrEnum):
    """Kind of a hint; each kind can be switched off by itself."""

    SHAPE = "shapes"
    """Types and shapes of results, at the ends of statements in ``@compose``."""
    ATTRIBUTE = "attributes"
    """Values of attributes that are deduced, not given and no plain defaults."""
    ARGUMENT = "arguments"
    """Names of inputs, before their arguments."""
    GENERIC = "generics"
    """Generic types that are deduced."""
    BLOCK_END = "block-ends"
    """The head of a block far above, at its closing brace."""
    VALUE = "values"
    """Values of samples. They are not made here: it takes a runtime."""
    GRAPH_VALUE = "graph-values"
    """Values of the tensors of graphs, at the ends of statements. They are not made here, either."""


class LabelPart(Struct, frozen=True):
    """A piece of a hint; ``location`` is where it leads."""

    text: str
    location: Location | None = None


class InlayHint(Struct, frozen=True):
    """Text that is shown at an offset of a file and is not in it."""

    offset: int
    kind: HintKind
    parts: tuple[LabelPart, ...]
    before: bool = False
    """True if a space stands before it."""
    after: bool = False
    """True if a space stands after it."""

    @property
    def text(self) -> str:
        """The whole of it."""
        return "".join(part.text for part in self.parts)
