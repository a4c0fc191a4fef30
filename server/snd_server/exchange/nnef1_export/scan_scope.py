"""The body of a scan: a fragment that takes what it reads of its surroundings as further parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from snd_analysis.model import Tensor, TensorValue
from snd_server.exchange.nnef1_export.scope import StackedPack, TextRoot, TextScope, is_name


class ScanScope(TextScope):
    """The statements of the body of a scan."""

    def __init__(self, outer: TextScope) -> None:
        super().__init__(TextRoot(outer.dialect, True))
        self._outer = outer
        self.captured: dict[str, str] = {}
        """The parameters for tensors of the surroundings, by the names of these there."""
        self.root.borrow = self._borrow

    def _borrow(self, array: np.ndarray[Any, Any], wanted: str) -> str:
        return self._capture(self._outer.variable_of(array, wanted))

    def _capture(self, name: str) -> str:
        if not is_name(name):
            return name
        if name not in self.captured:
            self.captured[name] = self.root.fresh(name)
        return self.captured[name]

    def known(self, tensor: Tensor) -> str | None:
        """Return the name of a tensor; one of the surroundings becomes a parameter."""
        if tensor in self.names:
            return self.names[tensor]
        found = self._outer.known(tensor)
        return None if found is None else self._capture(found)

    def variable(self, name: str) -> list[str] | None:
        """Return the names of a variable; one of the surroundings becomes a parameter."""
        if name in self.variables:
            return self.variables[name]
        found = self._outer.variable(name)
        return None if found is None else [self._capture(each) if each else each for each in found]

    def packed(self, value: TensorValue) -> StackedPack | None:
        """Return the tensor that holds a pack; one of the surroundings becomes a parameter."""
        found = super().packed(value)
        if found is not None:
            return found
        outer = self._outer.packed(value)
        return None if outer is None else StackedPack(self._capture(outer.name), outer.axis, outer.is_squeezed)
