"""``onnx``: operators of converted models that tract has operations for."""

from __future__ import annotations

import numpy as np

from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.counterparts.networks import lengthened
from snd_server.exchange.nnef1_export.registry import counterpart

_BITWISE = {"AND": "tract_core_bitand", "OR": "tract_core_bitor", "XOR": "tract_core_bitxor"}


def _both(call: OperationCall) -> list[str]:
    rank = max(call.rank(0), call.rank(1))
    return [lengthened(call, at, rank) if call.rank(at) else call.input(at) for at in range(2)]


@counterpart("onnx.round")
def _round(call: OperationCall) -> None:
    call.demand_tract("rounding of halves to even numbers")
    call.write("tract_core_round_even", [call.input()])


@counterpart("onnx.div")
def _quotient(call: OperationCall) -> None:
    call.demand_tract("arithmetic of integers")
    call.write("div", _both(call))


@counterpart("onnx.fmod")
def _remainder(call: OperationCall) -> None:
    node, (left, right) = call.scope.node, _both(call)
    if call.dtype == "real":  # not even a quotient of 64 bits determines it
        raise Unsuitable("NNEF 1.0 has no remainder of scalars")
    call.demand_tract("arithmetic of integers")
    quotient = node("div", [left, right])
    call.write("sub", [left, node("mul", [quotient, right])])


@counterpart("onnx.wrap")
def _wrap(call: OperationCall) -> None:
    call.demand_tract("integers of few bits")
    if call["bits"] not in (8, 16, 32):
        raise Unsuitable("tract has integers of 8, 16 and 32 bits")
    few = call.scope.node("tract_core_cast", [call.input()], to=f"{'i' if call['signed'] else 'u'}{call['bits']}")
    call.write("tract_core_cast", [few], to="i64")


@counterpart("onnx.bitwise")
def _bitwise(call: OperationCall) -> None:
    operation = _BITWISE.get(call["operation"].upper())
    if operation is None:
        raise Unsuitable("tract has no such operation on bits")
    call.write(operation, _both(call))


@counterpart("onnx.gather_elements")
def _gather_elements(call: OperationCall) -> None:
    call.write("tract_core_gather_elements", [call.input(0), call.input(1)], axis=call.axis())


@counterpart("onnx.scatter_elements")
def _scatter_elements(call: OperationCall) -> None:
    inputs = [call.input(at) for at in range(3)]
    call.write("tract_core_scatter_elements", inputs, axis=call.axis(), reduction=call["reduction"])


@counterpart("onnx.scatter_nd")
def _scatter_nd(call: OperationCall) -> None:
    call.demand_tract("operation that scatters elements")
    node, depth = call.scope.node, call.shape(1)[-1]
    extents = np.array(call.shape()[:depth]).reshape((*[1] * (call.rank(1) - 1), depth))
    counted = node("add", [call.input(1), call.scope.constant(extents, np.int64, "extents")])
    indices = node("select", [node("lt", [call.input(1), call.scope.constant(0)]), counted, call.input(1)])
    call.write("tract_core_scatter_nd", [call.input(0), indices, call.input(2)], reduction=call["reduction"])


@counterpart("onnx.trilu")
def _trilu(call: OperationCall) -> None:
    call.write("tract_core_trilu", [call.input()], upper=call["upper"], k=call["k"])
