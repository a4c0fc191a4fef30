"""The contents of a sample. All spans count from its start, so a sample that moves stays the same object."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import Problem, Span
from snd_analysis.skriptnd.syntax import nodes

TOLERANCE = 1e-5
"""Relative: how far a real may be from the one that is recorded."""

NestedLeaf: TypeAlias = "int | float | bool | str"
NestedRows: TypeAlias = "NestedLeaf | tuple[NestedRows, ...]"
"""A tensor, or a pack of them, as nested rows."""

ItemExtent: TypeAlias = "int | tuple[int, ...]"
"""An extent of a tensor; of a pack, one for all tensors or one for each."""


class Recorded(Struct, frozen=True):
    """``# y: real[2] = [-0.1, 2.0]``: one result. Without ``value`` and ``summary`` only its type is recorded."""

    line: Span
    """The comment, without its line break."""
    name: str
    name_span: Span
    type_span: Span
    """The type, shape and length."""
    dtype: str | None
    """Type of the elements; None for null."""
    shape: tuple[ItemExtent, ...] = ()
    length: int | None = None
    """The number of tensors of a pack."""
    value: NestedRows | None = None
    summary: str | None = None
    """Summary of a large tensor, recorded in place of its value."""
    tolerance: float | None = None
    """One of its own."""


class RecordedError(Struct, frozen=True):
    """``# error: stride must be positive``: the invocation fails, and the message holds these words."""

    line: Span
    text: str

    def matches(self, message: str) -> bool:
        """Return whether a message is the one that is expected."""
        return " ".join(self.text.split()).rstrip(".") in " ".join(message.split())


class Sample(Struct, frozen=True, eq=False):
    """An invocation in a comment with its recorded results. Compared by identity."""

    span: Span
    """Range from the first ``#`` to the end of the last line."""
    marker: Span
    """The ``# >>>`` that it begins with."""
    code_end: int
    """Offset of the end of the last line that has code."""
    invocation: nodes.Call | None
    """The invocation; None if it could not be parsed, which is among the problems."""
    code: str = ""
    """The text up to ``code_end``, with blanks in place of all that is no code."""
    results: tuple[Recorded, ...] = ()
    error: RecordedError | None = None
    tolerance: float = TOLERANCE
    problems: tuple[Problem, ...] = ()

    @property
    def has_results(self) -> bool:
        """Return whether anything is recorded that an evaluation could be compared with."""
        return bool(self.results) or self.error is not None
