"""The names that the tensors of a model have in a text or file that is being written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from snd_analysis.model import Tensor, TensorValue, tensors_of
from snd_analysis.symbolic.values import Pack
from snd_server.exchange.graph_export.errors import Unsuitable

_SHARED_ELEMENTS = 64
"""Number of elements up to which equal constants are one."""


class NameTable:
    """The names of a graph or function, and its constants. ``fit`` turns a name into one that the format allows."""

    def __init__(self, fit: Callable[[str], str]) -> None:
        self.constants: dict[str, np.ndarray[Any, Any]] = {}
        self._fit = fit
        self._known: dict[Hashable, str] = {}
        self._names: set[str] = set()

    def fresh(self, wanted: str) -> str:
        """Return a name that nothing else has, like the one that is wanted."""
        base = self._fit(wanted)
        name, number = base, 1
        while name in self._names:
            number += 1
            name = f"{base}_{number}"
        self._names.add(name)
        return name

    def constant(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        """Return the name of a constant; equal small ones are one."""
        is_small = array.size <= _SHARED_ELEMENTS and array.dtype != object
        key = (array.dtype.str, array.shape, array.tobytes()) if is_small else None
        if key is not None and key in self._known:
            return self._known[key]
        name = self.fresh(wanted)
        self.constants[name] = array
        if key is not None:
            self._known[key] = name
        return name


Names = TypeVar("Names", bound=NameTable)


class TensorScope(Generic[Names]):
    """The names of tensors in a graph, a part of control flow, or a function. Inner scopes see those of outer ones."""

    def __init__(self, root: Names, parent: TensorScope[Names] | None = None) -> None:
        self.root = root
        self.parent = parent
        self.names: dict[Tensor, str] = {}
        self.variables: dict[str, list[str]] = {}
        """The names of the variables of the graph or function, by scoped name."""
        self.updates: dict[str, list[str]] = {}
        """The names of the new values of variables that functions compute, by scoped name."""
        self.stacks: dict[Tensor, str] = {}
        """Stacked tensors of packs whose length only the run knows, by their representative."""

    def mark(self) -> Any:
        """Return a mark of the present state, for ``return_to``."""
        raise NotImplementedError

    def return_to(self, mark: Any) -> None:
        """Drop what was added since a mark."""
        raise NotImplementedError

    def valued(self, tensor: Tensor) -> str:
        """Return the name of a tensor that only its value determines. Raise Unsuitable if it has none."""
        raise NotImplementedError

    def array(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        """Return the name of a constant with the elements of an array."""
        raise NotImplementedError

    def bind(self, value: TensorValue, names: Sequence[str]) -> None:
        """Let the tensors of a value have these names here."""
        self.names.update(zip(tensors_of(value), names, strict=True))

    def known(self, tensor: Tensor) -> str | None:
        """Return the name of a tensor here or further out; None if it has none."""
        if tensor in self.names:
            return self.names[tensor]
        return None if self.parent is None else self.parent.known(tensor)

    def name(self, tensor: Tensor) -> str:
        """Return the name of a tensor here or further out; one with a value becomes a constant."""
        found = self.known(tensor)
        return self.valued(tensor) if found is None else found

    def stack(self, pack: Pack) -> str:
        """Return the name of the tensor that holds the tensors of a pack whose number is known in the run only."""
        tensors = [*tensors_of(pack)]
        if len(tensors) == 1 and len(pack.segments) == 1:
            for scope in self._outwards():
                if tensors[0] in scope.stacks:
                    return scope.stacks[tensors[0]]
        raise Unsuitable("the number of tensors of a pack is known in the run only")

    def variable(self, name: str) -> list[str] | None:
        """Return the names of a variable here or further out."""
        if name in self.variables:
            return self.variables[name]
        return None if self.parent is None else self.parent.variable(name)

    def _outwards(self) -> Iterable[TensorScope[Names]]:
        scope: TensorScope[Names] | None = self
        while scope is not None:
            yield scope
            scope = scope.parent
