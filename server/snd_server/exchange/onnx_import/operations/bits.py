"""Bitwise operators of ONNX, translated to the module ``onnx`` of the library, which computes them by arithmetic."""

from __future__ import annotations

from snd_server.exchange.onnx_import.data import Data
from snd_server.exchange.onnx_import.node import OnnxNode, translation
from snd_server.exchange.onnx_import.operations.elementwise import bits_of, broadcast, operands


@translation("BitwiseNot")
def bitwise_not(node: OnnxNode) -> Data:
    x = node.input(0)
    if x.dtype.kind == "u":
        return node.run("math.sub", 2 ** bits_of(x.dtype) - 1, x, like=x.dtype)
    return node.run("math.sub", -1, x, like=x.dtype)


@translation("BitShift")
def bit_shift(node: OnnxNode) -> Data:
    x, count = node.input(0), node.input(1)
    bits = bits_of(x.dtype)
    most = min(bits, 62)
    count = node.run("math.clamp", count, 0, most) if count.array is None or count.array.max() > most else count
    power = node.run("math.pow", 2, count, like=x.dtype)
    if node.text("direction", "LEFT") == "RIGHT":
        return broadcast(node, "math.div", x, power)
    shifted = broadcast(node, "math.mul", x, power)
    return node.run("onnx.wrap", shifted, bits=min(bits, 62), signed=x.dtype.kind == "i", like=x.dtype)


@translation("BitwiseAnd", "BitwiseOr", "BitwiseXor")
def bitwise(node: OnnxNode) -> Data:
    operation = node.kind.removeprefix("Bitwise").lower()
    x, y = operands(node.input(0), node.input(1))
    return node.run("onnx.bitwise", x, y, operation=operation, like=node.input(0).dtype)
