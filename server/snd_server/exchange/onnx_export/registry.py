"""The table of counterparts: functions that write an operator of the library as nodes of ONNX."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from snd_server.exchange.graph_export.registry import CounterpartTable
from snd_server.exchange.onnx_export.call import ScopedCall

Counterpart: TypeAlias = "Callable[[ScopedCall], None]"

COUNTERPARTS: CounterpartTable[ScopedCall] = CounterpartTable()
counterpart = COUNTERPARTS.of
