"""Loops for a compiler: numba, where it is installed (the extra ``snd[fast]``).

NumPy is slow where an operation has few elements at a time: pooling, depthwise convolutions, normalisations of small
images. ``nests.py`` writes the loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from math import inf
from typing import Any

import numpy as np
from msgspec import Struct

from snd_runtime.lowering.arithmetic import Array
from snd_runtime.lowering.compiled.calls import AddressWord, CompiledCall, Word, entry_address, run_calls
from snd_runtime.lowering.compiled.functions import SINGLE, function_named
from snd_runtime.lowering.memory import array_types

WORTH_COMPILING = 1 << 24
"""Number of points that NumPy computes in about the time of compiling a kernel. Kernels are compiled after that."""
_CALL = 1 << 16
"""Number of points that each call counts in addition, for the constant cost of a NumPy call."""

HEAD, INDENT = "def kernel(", "    "
"""First line of the text of a kernel, and the indentation of its lines."""


class Kernel(Struct, frozen=True):
    """Loops with their arguments; the tensors are given in this order."""

    source: str
    numbers: Array
    constants: Array
    tensors: tuple[Any, ...]
    kinds: tuple[tuple[str, int], ...]
    """The element type of each tensor, and how many elements it has."""
    results: tuple[int, ...]
    """Positions of the tensors that the kernel writes."""
    points: int
    functions: frozenset[str] = frozenset()
    """The functions that it calls."""

    def run(self, arrays: Sequence[Array], real: np.dtype[Any]) -> bool:
        """Compute the results, given the arrays of all tensors, results included; return False if NumPy has to."""
        call = self.call(real)
        if call is None or not all(arrays[at].flags.c_contiguous for at in self.results):
            return False
        if not is_worth_compiling(self.source, self.points):
            return False
        return run_calls([call], dict(zip(self.tensors, arrays, strict=True)))

    def call(self, real: np.dtype[Any]) -> CompiledCall | None:
        """Return the call of the loops, on tensors with reals of this type; None if they can't compute these."""
        if real != np.float32 and not self.functions.isdisjoint(SINGLE):
            return None
        constants = self.constants.astype(real)
        words: list[Word] = [self.numbers.ctypes.data, len(self.numbers), constants.ctypes.data, len(constants)]
        for tensor, (_, size) in zip(self.tensors, self.kinds, strict=True):
            words += [AddressWord(tensor), size]
        dtypes = tuple(array_types(real)[dtype].name for dtype, _ in self.kinds)
        entry = partial(_entry, self.source, real.name, dtypes, self.functions)
        return CompiledCall(entry, tuple(words), (self.numbers, constants), self.points)


_COMPUTED: dict[str, int] = {}


def is_worth_compiling(what: str, points: int) -> bool:
    """Return whether NumPy, which may have to compute so many more points, has taken as long as a compiler would."""
    computed = _COMPUTED[what] = _COMPUTED.get(what, 0) + points + _CALL
    return computed >= WORTH_COMPILING


class Worth:
    """The decision whether calls that are made together are worth compiling."""

    def __init__(self, calls: Sequence[CompiledCall]) -> None:
        self._each = sum(call.points + _CALL for call in calls)
        self._functions = len({call.function for call in calls})
        self._computed = 0.0

    def give_up(self) -> None:
        """Let it never be reached: they can't be compiled."""
        self._computed = -inf

    def is_reached(self) -> bool:
        """Return the same as ``is_worth_compiling`` for all of them, which NumPy may have to compute once more."""
        self._computed += self._each
        return self._computed >= WORTH_COMPILING * self._functions


@cache
def _entry(source: str, real: str, dtypes: tuple[str, ...], functions: frozenset[str]) -> int:
    """Compile loops over tensors of these types: the address of the function."""
    kinds = ["int64", real, *dtypes]
    head, *body = source.splitlines()
    names = head[len(HEAD) : -2].split(", ")
    lines = [
        f"{name} = {kind}(words[{2 * at}], words[{2 * at + 1}])"
        for at, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]
    lines += [line[len(INDENT) :] for line in body]
    return entry_address(lines, 2 * len(names), {each: function_named(each, real) for each in functions})


@cache
def has_compiler() -> bool:
    """Return whether there is a compiler, and its base can be loaded. It may be incompatible all the same."""
    if find_spec("numba") is None:
        return False
    try:
        import_module("llvmlite.binding")
    except Exception:  # a library of the system may be missing, say
        return False
    return True
