"""The table of operators with the expressions of PyTorch that compute the same."""

from __future__ import annotations

from snd_server.exchange.graph_export.registry import CounterpartTable
from snd_server.exchange.torch_export.call import TorchCall

COUNTERPARTS: CounterpartTable[TorchCall] = CounterpartTable()
counterpart = COUNTERPARTS.of
