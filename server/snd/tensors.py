"""Tensors as runs give them: NumPy arrays that notebooks show by their statistics."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.lowering.lowered import Argument
from snd_runtime.summary import summarize

Value: TypeAlias = "Tensor | list[Tensor] | None"
"""A tensor, a list for a pack, or None for null."""


class Tensor(np.ndarray[Any, np.dtype[Any]]):
    """A NumPy array. A notebook shows its type and statistics, not its elements."""

    @property
    def summary(self) -> str:
        """The type and the statistics in one line: ``real[1,10] n=10 x∈[-2.1, 2.6] μ=-0.39 σ=1.1 nan=0``."""
        return str(summarize(np.asarray(self)))

    def _repr_html_(self) -> str:
        return f"<code>{html.escape(self.summary)}</code>"


class Results(dict[str, Value]):
    """The outputs of a run by name, a list for a pack. A notebook shows a line of statistics for each tensor."""

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><td><code>{html.escape(name)}</code></td><td><code>{html.escape(text)}</code></td></tr>"
            for name, text in self._lines()
        )
        return f"<table>{''.join(rows)}</table>"

    def _lines(self) -> Iterator[tuple[str, str]]:
        for name, value in self.items():
            if isinstance(value, list):
                yield from ((f"{name}[{at}]", item.summary) for at, item in enumerate(value))
            else:
                yield name, "null" if value is None else value.summary


def tensor_of(value: Argument) -> Value:
    """Return a result of a run in the form for its caller."""
    if value is None:
        return None
    if isinstance(value, Sequence):
        return [item.view(Tensor) for item in value]
    return value.view(Tensor)
