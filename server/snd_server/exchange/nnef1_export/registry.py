"""The table of counterparts: functions that write an operator of a library as operations of NNEF 1.0."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from snd_server.exchange.graph_export.registry import CounterpartTable
from snd_server.exchange.nnef1_export.call import OperationCall

Counterpart: TypeAlias = "Callable[[OperationCall], None]"

COUNTERPARTS: CounterpartTable[OperationCall] = CounterpartTable()
counterpart = COUNTERPARTS.of
