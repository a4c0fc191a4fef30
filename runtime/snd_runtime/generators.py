"""Tensors by a rule: ``random[2,3]``, ``iota[2,3]``, ``zeros[2,3]``, ``ones[2,3]``."""

from __future__ import annotations

import re
from math import prod
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from snd_analysis.model import Place
from snd_runtime.limits import MOST_RANK, Budget, Limits
from snd_runtime.values import FLOAT32, numpy_dtype

Array: TypeAlias = np.ndarray[Any, Any]

GENERATORS = ("random", "iota", "zeros", "ones")
_WRITTEN = re.compile(rf"\s*({'|'.join(GENERATORS)})\s*\[([^\[\]]*)\]\s*")


class Generator(Struct, frozen=True):
    """A generator as written: one of GENERATORS, and the extents."""

    kind: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.kind}[{','.join(map(str, self.shape))}]"


def parse_generator(text: str) -> Generator | None:
    """Yield the generator that is written; None for any other text. Raise ValueError if its extents are none."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return None
    kind, inside = match.groups()
    parts = [part.strip() for part in inside.split(",")] if inside.strip() else []
    if not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts):
        raise ValueError(f"the extents in '{text.strip()}' must be numbers, as in '{kind}[2,3]'")
    if len(parts) > MOST_RANK:
        raise ValueError(f"'{kind}[…]' has {len(parts)} extents, more than {MOST_RANK}")
    return Generator(kind, tuple(map(int, parts)))


def generate(
    generator: Generator,
    dtype: str,
    source: np.random.Generator,
    *,
    real: np.dtype[Any] = FLOAT32,
    budget: Budget | None = None,
    place: Place | None = None,
) -> Array:
    """Return the tensor of type ``int``, ``real``, ``bool`` or ``str``.

    ``random`` reals have mean 0 and standard deviation 1; ints are 0 or 1, which index anything that has two items.
    ``iota`` counts from 0 in row-major order. Raise EvaluationFailed (at ``place``) for a tensor that is too large,
    and ValueError for strings other than ``zeros`` (empty strings), and for ``iota`` of bools.
    """
    kind, shape = generator.kind, generator.shape
    if (dtype == "str" and kind != "zeros") or (dtype == "bool" and kind == "iota"):
        raise ValueError(f"'{kind}' gives no tensor of type '{dtype}'")
    item = numpy_dtype(dtype, real)
    (budget or Budget(Limits())).allocate(f"'{generator}'", shape, item.itemsize, place)
    if kind == "iota":
        return np.arange(prod(shape), dtype=item).reshape(shape)
    if kind == "random":
        return _random(shape, item, source)
    return np.full(shape, "" if dtype == "str" else kind == "ones", item)


def source_of(seed: int, name: str) -> np.random.Generator:
    """Return random numbers for one tensor, independent of other tensors and of the order."""
    return np.random.default_rng([seed, *name.encode()])


def _random(shape: tuple[int, ...], item: np.dtype[Any], source: np.random.Generator) -> Array:
    if item.kind == "f":
        # Always 32 bits, so that the same numbers are drawn however exact reals are.
        return source.standard_normal(shape, np.float32).astype(item, copy=False)
    return source.integers(0, 2, shape, np.int64).astype(item, copy=False)
