"""``math`` and ``algo``: operators that reduce, accumulate or sort along dimensions."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from snd_analysis.model import Tensor
from snd_analysis.skriptnd.names import counterparts_of_nodes
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.onnx_export.call import ScopedCall
from snd_server.exchange.onnx_export.registry import COUNTERPARTS, Counterpart, counterpart

_REDUCTIONS = counterparts_of_nodes("ReduceSum", "ReduceProd", "ReduceMin", "ReduceMax", "ReduceMean")


def _reduction(kind: str) -> Counterpart:
    def write(call: ScopedCall) -> None:
        axes = call["axes"]
        if not axes:  # ONNX would take none for all
            raise Unsuitable("nothing is reduced")
        if kind in ("ReduceMin", "ReduceMax", "ReduceMean") and 0 in call.known():
            raise Unsuitable("ONNX has no greatest element of none")
        call.write(kind, [call.input(), call.scope.constant(axes)], keepdims=int(not call["squeeze"]))

    return write


COUNTERPARTS.update({name: _reduction(kind) for kind, name in _REDUCTIONS.items()})


@counterpart("math.any_reduce", "math.all_reduce")
def _logical(call: ScopedCall) -> None:
    if not call["axes"]:
        raise Unsuitable("nothing is reduced")
    if 0 in call.known():
        raise Unsuitable("ONNX has no greatest element of none")
    assert call.operation.operator is not None
    kind = "ReduceMax" if call.operation.operator.name == "any_reduce" else "ReduceMin"
    scope = call.scope
    number = scope.node("Cast", [call.input()], to=TensorProto.INT32)
    found = scope.node(kind, [number, scope.constant(call["axes"])], keepdims=int(not call["squeeze"]))
    call.write("Cast", [found], to=TensorProto.BOOL)


@counterpart("math.lp_reduce")
def _norm(call: ScopedCall) -> None:
    kind = {1.0: "ReduceL1", 2.0: "ReduceL2"}.get(call["p"])
    if kind is None or not call["axes"]:
        raise Unsuitable("ONNX has the norms L1 and L2")
    call.write(kind, [call.input(), call.scope.constant(call["axes"])], keepdims=int(not call["squeeze"]))


@counterpart("math.argmax", "math.argmin")
def _extremum(call: ScopedCall) -> None:
    assert call.operation.operator is not None
    kind = "ArgMax" if call.operation.operator.name == "argmax" else "ArgMin"
    call.write(kind, [call.input()], axis=call["axis"], keepdims=int(not call["squeeze"]))


@counterpart("math.cumsum")
def _cumulative_sum(call: ScopedCall) -> None:
    axis = call.scope.constant(call["axis"])
    call.write("CumSum", [call.input(), axis], exclusive=int(call["exclusive"]), reverse=int(call["reverse"]))


@counterpart("algo.top_k")
def _top_k(call: ScopedCall) -> None:
    scope, axis = call.scope, call["axis"]
    axis += call.rank() if axis < 0 else 0
    values = call.operation.outputs[0]
    assert isinstance(values, Tensor)
    count = scope.extents([(values.shape or ())[axis]])
    outputs = [names[0] for names in call.names]
    # Sorted even where that is not asked for: the order is then free.
    scope.nodes_of("TopK", [call.input(), count], outputs, axis=axis, largest=int(call["largest"]), sorted=1)


@counterpart("algo.nonmax_suppress")
def _suppression(call: ScopedCall) -> None:
    scope = call.scope
    inputs = [call.input(0), call.input(1), scope.constant([call["max_outputs_per_class"]])]
    inputs.append(scope.constant([call["iou_threshold"]], np.float32))
    if call["score_threshold"] is not None:
        inputs.append(scope.constant([call["score_threshold"]], np.float32))
    call.write("NonMaxSuppression", inputs, center_point_box=int(call["box_format"] == "CENTER"))
