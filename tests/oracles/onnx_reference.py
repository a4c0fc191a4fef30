"""Nodes of our own choice, with what others compute for them.

The judge is the reference evaluator of the ``onnx`` package, in 64 bits. For some kinds of nodes it is onnxruntime,
because the evaluator rounds to 32 bits, knows one direction only, or is mistaken: in LRN it takes batch items for
channels, groups of ConvTranspose it refuses, and about windows of pooling at the border it differs from onnxruntime.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

from snd_server.exchange.onnx_import.data import tensor_array
from support.onnx_models.onnx_cases import TOLERANCE, assert_same, evaluate, operators_of

OPSET, IR_VERSION = 22, 10
ROUNDED_BY_EVALUATOR = {"Erf", "Gelu", "GridSample", "HardSigmoid", "HardSwish", "LeakyRelu", "Selu", "Resize"}
UNKNOWN_TO_EVALUATOR = {"AveragePool", "ConvTranspose", "LRN", "LSTM", "LpPool", "MaxPool"}
_RANDOM = np.random.default_rng(23)


@dataclass(frozen=True, eq=False)
class ReferenceCase:
    """A node with inputs; None is an input that is left out."""

    kind: str
    inputs: Sequence[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: int = 1

    def __str__(self) -> str:
        shapes = ",".join("-" if each is None else str(list(each.shape)) for each in self.inputs)
        attributes = ",".join(f"{key}={value}" for key, value in self.attributes.items())
        return f"{self.kind}{{{attributes}}}({shapes})".replace(" ", "")

    def check(self) -> frozenset[str]:
        """Compare all outputs, and returns the operators that took the place of the node.

        Raise AssertionError if they differ, UntranslatableError if they can't be compared.
        """
        is_rounded = self.kind in ROUNDED_BY_EVALUATOR | UNKNOWN_TO_EVALUATOR
        real = np.dtype(np.float32 if is_rounded else np.float64)
        inputs = [self._converted(each, real) for each in self.inputs]
        model = self._model(inputs, real)
        names = [each.name for each in model.graph.input]
        given = [each for each in inputs if each is not None]
        judge = _by_runtime if is_rounded else _by_evaluator
        expected = judge(model, dict(zip(names, given, strict=True)))
        results, model_ = evaluate(model, given, real)
        for found, wanted in zip(results, expected, strict=True):
            # Attributes are reals of 32 bits in ONNX, and written with as few digits as tell these apart.
            assert_same(found, tensor_array(np.asarray(wanted)), TOLERANCE if is_rounded else 1e-7)
        return operators_of(model_)

    def _converted(self, value: Any, real: np.dtype[Any]) -> Any:
        is_real = value is not None and value.dtype == np.float64
        return value.astype(real) if is_real else value

    def _model(self, inputs: Sequence[Any], real: np.dtype[Any]) -> onnx.ModelProto:
        names = [f"x{at}" if each is not None else "" for at, each in enumerate(inputs)]
        outputs = [f"y{at}" for at in range(self.outputs)]
        node = onnx.helper.make_node(self.kind, names, outputs, **self.attributes)
        declared = [
            onnx.helper.make_tensor_value_info(name, _element_type(each.dtype), each.shape)
            for name, each in zip(names, inputs, strict=True)
            if each is not None
        ]
        # Only onnxruntime needs the types of the outputs; it judges only reals.
        results = [onnx.helper.make_tensor_value_info(name, _element_type(real), None) for name in outputs]
        graph = onnx.helper.make_graph([node], "node", declared, results)
        opset = onnx.helper.make_opsetid("", OPSET)
        return onnx.helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)


def _element_type(dtype: np.dtype[Any]) -> int:
    return int(onnx.helper.np_dtype_to_tensor_dtype(dtype))


def _by_evaluator(model: onnx.ModelProto, inputs: Mapping[str, Any]) -> Sequence[Any]:
    with np.errstate(all="ignore"):
        return list(ReferenceEvaluator(model).run(None, dict(inputs)))


def _by_runtime(model: onnx.ModelProto, inputs: Mapping[str, Any]) -> Sequence[Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(inputs)))


def _reals(*shape: int) -> Any:
    return _RANDOM.normal(size=shape)


def _ints(*values: int) -> Any:
    return np.array(values, np.int64)


# ---- windows ---------------------------------------------------------------------------------------------------------
def _convolutions() -> Iterator[ReferenceCase]:
    shapes = (((2, 4, 9), (6, 4, 3), 1), ((1, 4, 8, 7), (4, 2, 3, 2), 2), ((2, 3, 6, 6), (3, 1, 3, 3), 3))
    for (shape, weights, group), stride, dilation, bias in product(shapes, (1, 2, 3), (1, 2), (True, False)):
        d = len(shape) - 2
        x, w, b = _reals(*shape), _reals(*weights), _reals(weights[0]) if bias else None
        common = {"strides": [stride] * d, "dilations": [dilation] * d, "group": group}
        yield ReferenceCase("Conv", [x, w, b], {**common, "pads": [1] * d + [2] * d})
        for automatic in ("SAME_UPPER", "SAME_LOWER", "VALID"):
            if dilation == 1 or automatic == "VALID":
                yield ReferenceCase("Conv", [x, w, b], {**common, "auto_pad": automatic})
    yield ReferenceCase("Conv", [_reals(1, 2, 5, 4, 3), _reals(3, 2, 2, 3, 1), None], {"pads": [0, 1, 1, 1, 0, 0]})
    for stride, dilation, extra, group in product((1, 2, 3), (1, 2), (0, 1), (1, 2)):
        if extra < stride:
            x, w, b = _reals(2, 4, 5, 4), _reals(4, 3, 3, 2), _reals(3 * group)
            attributes = {"strides": [stride] * 2, "dilations": [dilation] * 2, "output_padding": [extra] * 2}
            yield ReferenceCase("ConvTranspose", [x, w, b], {**attributes, "pads": [1, 0, 0, 1], "group": group})
    yield ReferenceCase("ConvTranspose", [_reals(1, 2, 6), _reals(2, 3, 4), None], {"strides": [2]})


def _pools() -> Iterator[ReferenceCase]:
    kinds: tuple[tuple[str, dict[str, Any]], ...] = (
        ("MaxPool", {}),
        ("AveragePool", {}),
        ("AveragePool", {"count_include_pad": 1}),
        ("LpPool", {"p": 1}),
        ("LpPool", {"p": 3}),
    )
    for (kind, more), stride, dilation, ceil_mode in product(kinds, (1, 2, 3), (1, 2), (0, 1)):
        attributes = {"kernel_shape": [3, 2], "strides": [stride] * 2, "dilations": [dilation] * 2, **more}
        for pads in ([0, 0, 0, 0], [1, 0, 1, 1]):
            given = {**attributes, "pads": pads, "ceil_mode": ceil_mode}
            yield ReferenceCase(kind, [_reals(2, 3, 9, 8)], given)
    for (kind, more), automatic in product(kinds[:2], ("SAME_UPPER", "SAME_LOWER", "VALID")):
        given = {"kernel_shape": [3], "strides": [2], "auto_pad": automatic, **more}
        yield ReferenceCase(kind, [_reals(2, 3, 10)], given)
        yield ReferenceCase(kind, [_reals(2, 3, 9)], given)


# ---- images ----------------------------------------------------------------------------------------------------------
def _images() -> Iterator[ReferenceCase]:
    transforms = ("half_pixel", "align_corners", "asymmetric")
    for transform, size in product(transforms, ([9, 4], [5, 3], [2, 11], [4, 4], [1, 1])):
        inputs = [_reals(1, 2, 4, 6), None, None, _ints(1, 2, *size)]
        attributes = {"coordinate_transformation_mode": transform}
        for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
            yield ReferenceCase("Resize", inputs, {**attributes, "mode": "nearest", "nearest_mode": rounding})
        yield ReferenceCase("Resize", inputs, {**attributes, "mode": "linear"})
        for coefficient in (-0.75, -0.5):
            yield ReferenceCase("Resize", inputs, {**attributes, "mode": "cubic", "cubic_coeff_a": coefficient})
    for shape, mode, padding, aligned in product(
        ((2, 3, 5, 4), (1, 2, 3, 4, 3)), ("linear", "nearest", "cubic"), ("zeros", "border", "reflection"), (0, 1)
    ):
        d = len(shape) - 2
        if mode != "cubic" or d == 2:
            grid = _RANDOM.uniform(-1.3, 1.3, (shape[0], *range(3, 3 + d), d))
            attributes = {"mode": mode, "padding_mode": padding, "align_corners": aligned}
            yield ReferenceCase("GridSample", [_reals(*shape), grid], attributes)
    corners = np.array([[0.5, 1.2, 3.4, 4.1], [-3.0, -2.0, 9.0, 7.5], [2.0, 2.0, 2.3, 2.1], [5.0, 1.0, 3.0, 4.0]])
    for mode, samples, scale, reduction in product(
        ("half_pixel", "output_half_pixel"), (0, 1, 3), (1.0, 0.5), ("avg", "max")
    ):
        size = {"output_height": 2, "output_width": 3, "sampling_ratio": samples, "spatial_scale": scale}
        attributes = {**size, "coordinate_transformation_mode": mode, "mode": reduction}
        yield ReferenceCase("RoiAlign", [_reals(2, 3, 5, 4), corners, _ints(0, 1, 1, 0)], attributes)
    for size, block, attributes in (
        ((5, 6), (2, 3), {}),
        ((5, 6), (2, 3), {"strides": [1, 2], "pads": [1, 0, 0, 2]}),
        ((7, 6), (2, 2), {"dilations": [3, 2], "strides": [2, 1], "pads": [2, 1, 2, 1]}),
        ((9,), (4,), {"strides": [3]}),
        ((3, 4, 5), (2, 1, 3), {"strides": [1, 2, 2], "pads": [0, 0, 1, 0, 0, 1]}),
    ):
        steps, pads = attributes.get("strides", [1] * len(size)), attributes.get("pads", [0] * 2 * len(size))
        wide = [
            width * step - step for width, step in zip(block, attributes.get("dilations", [1] * len(size)), strict=True)
        ]
        whole = [sum(each) for each in zip(size, pads[: len(size)], pads[len(size) :], strict=True)]
        counts = [(all_ - width - 1) // step + 1 for all_, width, step in zip(whole, wide, steps, strict=True)]
        columns = _reals(2, 3 * prod(block), prod(counts))
        yield ReferenceCase("Col2Im", [columns, _ints(*size), _ints(*block)], attributes)


# ---- reductions, products, search ------------------------------------------------------------------------------------
def _reductions() -> Iterator[ReferenceCase]:
    names = ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSumExp", "SumSquare")
    for name, axes, keep in product(names, ((0,), (1, -1), (-2,), (0, 1, 2)), (0, 1)):
        yield ReferenceCase(f"Reduce{name}", [_reals(3, 4, 5), _ints(*axes)], {"keepdims": keep})
    for name in ("Sum", "Max", "Min", "Prod"):
        yield ReferenceCase(f"Reduce{name}", [_RANDOM.integers(-5, 5, (3, 4)), _ints(1)])
        yield ReferenceCase(f"Reduce{name}", [_reals(2, 0, 3), _ints(0)])
    for name, axis, keep in product(("ArgMax", "ArgMin"), (0, 1, -1), (0, 1)):
        ties = _RANDOM.integers(0, 3, (3, 4, 6)).astype(np.float64)
        yield ReferenceCase(name, [ties], {"axis": axis, "keepdims": keep})
    for exclusive, reverse, axis in product((0, 1), (0, 1), (0, -1)):
        yield ReferenceCase("CumSum", [_reals(3, 4), np.array(axis)], {"exclusive": exclusive, "reverse": reverse})
    shapes = (((3, 4), (4, 2)), ((2, 3, 4), (4, 2)), ((3, 4), (5, 4, 2)), ((2, 1, 3, 4), (5, 4, 2)), ((0, 4), (4, 2)))
    for first, second in (*shapes, ((4,), (4,)), ((4,), (2, 4, 3)), ((2, 3, 4), (4,)), ((3, 0), (0, 2))):
        yield ReferenceCase("MatMul", [_reals(*first), _reals(*second)])
    for trans_a, trans_b, c in product((0, 1), (0, 1), ((3, 5), (5,), (3, 1), ())):
        a, b = _reals(*((4, 3) if trans_a else (3, 4))), _reals(*((5, 4) if trans_b else (4, 5)))
        attributes = {"transA": trans_a, "transB": trans_b, "alpha": 0.5, "beta": 2.0}
        yield ReferenceCase("Gemm", [a, b, _reals(*c)], attributes)
    for axis, largest, k in product((0, 1, -1), (0, 1), (1, 3)):
        ties = _RANDOM.integers(0, 4, (3, 4, 5)).astype(np.float64)
        yield ReferenceCase("TopK", [ties, _ints(k)], {"axis": axis, "largest": largest}, 2)
    for center, most, iou, score in product((0, 1), (1, 5), (0.1, 0.5), (0.0, 0.4)):
        boxes, scores = _RANDOM.uniform(0, 4, (2, 12, 4)), _RANDOM.uniform(0, 1, (2, 3, 12))
        inputs = [
            boxes.astype(np.float32),
            scores.astype(np.float32),
            _ints(most),
            np.float32([iou]),
            np.float32([score]),
        ]
        yield ReferenceCase("NonMaxSuppression", inputs, {"center_point_box": center})


# ---- layout and networks ---------------------------------------------------------------------------------------------
def _layout() -> Iterator[ReferenceCase]:
    x = _reals(4, 5, 6)
    for begin, end, stride in (((0, 1), (4, 3), (1, 1)), ((-1, 4), (-9, 0), (-1, -2)), ((1, 0), (100, -1), (2, 3))):
        yield ReferenceCase("Slice", [x, _ints(*begin), _ints(*end), _ints(0, 2), _ints(*stride)])
    for mode, pads in product(("constant", "edge", "reflect"), ([1, 2, 0, 3, 1, 2], [0, 0, 2, 0, 0, 0])):
        yield ReferenceCase("Pad", [x, _ints(*pads), np.array(0.5)], {"mode": mode})
    for shape in ([-1], [0, -1], [2, 2, 5, 6], [4, 1, 30], [6, 20]):
        yield ReferenceCase("Reshape", [x, _ints(*shape)])
    for perm in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        yield ReferenceCase("Transpose", [x], {"perm": perm})
    for axis in (0, 1, -1):
        yield ReferenceCase("Gather", [x, np.array([[0, 3], [-1, 2]])], {"axis": axis})
        yield ReferenceCase("Concat", [x, x, x], {"axis": axis})
    for mode, block in product(("DCR", "CRD"), (2, 3)):
        yield ReferenceCase("DepthToSpace", [_reals(2, 2 * block * block, 3, 4)], {"blocksize": block, "mode": mode})
    yield ReferenceCase("SpaceToDepth", [_reals(2, 3, 6, 4)], {"blocksize": 2})
    yield ReferenceCase("Expand", [_reals(3, 1), _ints(2, 1, 4)])
    yield ReferenceCase("Tile", [x, _ints(1, 2, 3)])


def _networks() -> Iterator[ReferenceCase]:
    for axis, shape in product((0, 1, -1), ((3, 4), (2, 3, 4, 5))):
        yield ReferenceCase("Softmax", [_reals(*shape) * 30], {"axis": axis})
        yield ReferenceCase("LogSoftmax", [_reals(*shape)], {"axis": axis})
    for size, shape in product((1, 3, 5), ((2, 6, 4, 1), (1, 5, 3, 2))):
        attributes = {"size": size, "alpha": 0.2, "beta": 0.6, "bias": 1.5}
        yield ReferenceCase("LRN", [_reals(*shape)], attributes)
    for shape in ((4, 3), (4, 3, 5), (2, 3, 4, 5)):
        inputs = [_reals(*shape), *(_reals(3) for _ in range(3)), np.abs(_reals(3))]
        yield ReferenceCase("BatchNormalization", inputs, {"epsilon": 1e-2})
        if len(shape) > 2:
            yield ReferenceCase("InstanceNormalization", inputs[:3], {"epsilon": 1e-2})
    for direction, items in product(("forward", "reverse", "bidirectional"), (1, 3)):
        d, n, c = 1 + (direction == "bidirectional"), 4, 3
        weights = [_reals(d, 4 * n, c), _reals(d, 4 * n, n), _reals(d, 8 * n)]
        states = [_reals(d, items, n), _reals(d, items, n)]
        attributes = {"hidden_size": n, "direction": direction}
        yield ReferenceCase("LSTM", [_reals(5, items, c), *weights, None, *states], attributes, 3)
        yield ReferenceCase("LSTM", [_reals(5, items, c), *weights], attributes, 3)
        if direction == "forward":
            lengths = np.array([5, 2, 3][:items], np.int32)
            yield ReferenceCase("LSTM", [_reals(5, items, c), *weights, lengths, *states], attributes, 3)


_EXAMPLES: dict[str, tuple[float, float]] = {
    "Abs": (-3, 3),
    "Acos": (-1, 1),
    "Acosh": (1, 5),
    "Asin": (-1, 1),
    "Asinh": (-9, 9),
    "Atan": (-9, 9),
    "Atanh": (-0.99, 0.99),
    "Ceil": (-3, 3),
    "Cosh": (-5, 5),
    "Elu": (-5, 5),
    "Erf": (-4, 4),
    "Exp": (-9, 9),
    "Floor": (-3, 3),
    "Gelu": (-5, 5),
    "HardSigmoid": (-5, 5),
    "HardSwish": (-5, 5),
    "LeakyRelu": (-5, 5),
    "Log": (0, 9),
    "Mish": (-9, 9),
    "Reciprocal": (-5, 5),
    "Relu": (-5, 5),
    "Round": (-9, 9),
    "Selu": (-5, 5),
    "Sigmoid": (-50, 50),
    "Sign": (-1, 1),
    "Sinh": (-5, 5),
    "Softplus": (-50, 50),
    "Softsign": (-5, 5),
    "Sqrt": (0, 9),
    "Tan": (-1, 1),
    "Tanh": (-9, 9),
    "ThresholdedRelu": (-5, 5),
}


def _elementwise() -> Iterator[ReferenceCase]:
    for kind, (low, high) in _EXAMPLES.items():
        for shape in ((40,), (3, 0, 2), (2, 3, 4, 5)):
            yield ReferenceCase(kind, [_RANDOM.uniform(low, high, shape)])
    for kind, (first, second) in product(
        ("Add", "Sub", "Mul", "Div", "Less", "Greater", "Max", "Min", "Mod"),
        (((3, 4), (4,)), ((2, 1, 4), (3, 1)), ((), (2, 3)), ((0, 3), (1, 3)), ((2, 3, 4, 5), (2, 3, 4, 5))),
    ):
        ints = [_RANDOM.integers(1, 9, shape) for shape in (first, second)]
        yield ReferenceCase(kind, ints)
        if kind != "Mod":
            yield ReferenceCase(kind, [_reals(*first), _reals(*second)])


def reference_cases() -> list[ReferenceCase]:
    """Return all cases, the same in every run."""
    groups = (_elementwise, _reductions, _layout, _networks, _convolutions, _pools, _images)
    return [case for group in groups for case in group()]
