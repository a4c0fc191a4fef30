"""``image``: resizing."""

from __future__ import annotations

from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.registry import counterpart


@counterpart("image.nearest_upsample")
def _nearest_upsample(call: OperationCall) -> None:
    factors = [1] * call.rank()
    for axis, factor in zip(call.axes(), call["factor"], strict=True):
        factors[axis] = factor
    if call.rank() < 3 or factors[:2] != [1, 1]:
        raise Unsuitable("NNEF 1.0 resizes along all axes but the first two")
    if call.is_tract:
        call.scope.root.register("tract_core")
    call.write("nearest_upsample", [call.input()], factor=factors[2:])
