"""The table of counterparts: functions that write an operator of the library as nodes of ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from snd_server.exchange.onnx_export.call import ScopedCall

Counterpart: TypeAlias = "Callable[[ScopedCall], None]"

COUNTERPARTS: dict[str, Counterpart] = {}
"""Counterparts by ``module.operator``.

One that does not fit an invocation raises Unsuitable; another way is taken then.
"""


def counterpart(*operators: str) -> Callable[[Counterpart], Counterpart]:
    """Register a function that writes these operators."""

    def declare(write: Counterpart) -> Counterpart:
        COUNTERPARTS.update(dict.fromkeys(operators, write))
        return write

    return declare
