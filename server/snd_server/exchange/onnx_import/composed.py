"""Operators of the library that exporters write as several nodes: activations and normalizations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isclose, pi, sqrt
from typing import Any

from msgspec import Struct, field

from snd_analysis.convert import InvocationStep, literal, numbers
from snd_analysis.model import Tensor, TensorValue
from snd_analysis.symbolic.values import NULL
from snd_server.exchange.onnx_import.data import OnnxArgument

_EXACT = 1e-6
"""Allowed difference of a number from that of a formula: single precision."""


class Other(Struct, frozen=True):
    """An invocation that replaces another one."""

    operator: str
    inputs: Sequence[OnnxArgument]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    dtypes: Sequence[str] = ()


class Makers:
    """The invocations that tensors come from."""

    def __init__(self) -> None:
        self._steps: dict[Tensor, InvocationStep] = {}

    def add(self, step: InvocationStep) -> None:
        """Add an invocation of one result."""
        if len(step.outputs) == 1 and isinstance(step.outputs[0], Tensor):
            self._steps[step.outputs[0]] = step

    def of(self, value: TensorValue, operator: str = "") -> InvocationStep | None:
        """Return the invocation that gives a tensor, if it is one of this operator; None of others."""
        found = self._steps.get(value) if isinstance(value, Tensor) else None
        return found if found is None or operator in ("", found.operator) else None

    def argument(self, value: TensorValue, operator: str) -> TensorValue:
        """Return the first argument of an invocation that gives a tensor; null for others."""
        found = self.of(value, operator)
        return NULL if found is None else found.inputs[0]


def composed(step: InvocationStep, made: Makers) -> Other | None:
    """Return an operator that computes the result of a statement directly from operands of several earlier ones."""
    if step.operator in ("math.mul", "math.div"):
        return _silu(step, made) or _gelu(step, made) or _rms_norm(step, made)
    return _layer_norm(step, made) if step.operator == "math.add" else None


# ---- activations -----------------------------------------------------------------------------------------------------
def _silu(step: InvocationStep, made: Makers) -> Other | None:
    """Recognize ``x * sigmoid(x)``."""
    for x, gate in _pairs(step, "math.mul"):
        if isinstance(x, Tensor) and made.argument(gate, "nn.sigmoid") is x:
            return Other("nn.silu", [x])
    return None


def _gelu(step: InvocationStep, made: Makers) -> Other | None:
    """Recognize ``0.5 * x * (1 + erf(x / sqrt(2)))``, or the approximation by ``tanh``."""
    factor, factors = _product(step, made)
    if not isclose(factor, 0.5, rel_tol=_EXACT) or len(factors) != 2:
        return None
    for x, gate in (factors, factors[::-1]):
        for wave, one in _pairs(made.of(gate), "math.add"):
            if literal(one) != 1.0:
                continue
            if _is_product(made.argument(wave, "nn.erf"), sqrt(0.5), [x], made):
                return Other("nn.gelu", [x])
            scale, sums = _factors(made.argument(wave, "math.tanh"), made)
            if isclose(scale, sqrt(2 / pi), rel_tol=_EXACT) and len(sums) == 1:
                for first, cube in _pairs(made.of(sums[0]), "math.add"):
                    if first is x and _is_product(cube, 0.044715, [x, x, x], made):
                        return Other("nn.gelu", [x], {"approximate": "TANH"})
    return None


# ---- normalizations --------------------------------------------------------------------------------------------------
def _rms_norm(step: InvocationStep, made: Makers) -> Other | None:
    """Recognize ``x / sqrt(mean(x ** 2) + epsilon) * scale``."""
    for scale, normal in _pairs(step, "math.mul"):
        x, epsilon = _by_deviation(normal, made)
        if isinstance(x, Tensor) and isinstance(scale, Tensor) and epsilon is not None and _is_vector(scale, x):
            return Other("onnx.rms_norm", [x, scale], {"epsilon": epsilon})
    return None


def _layer_norm(step: InvocationStep, made: Makers) -> Other | None:
    """Recognize ``d / sqrt(mean(d ** 2) + epsilon) * scale + bias``, where ``d`` is ``x - mean(x)``."""
    for bias, scaled in _pairs(step, "math.add"):
        known = made.of(scaled, "onnx.rms_norm")
        if known is None:
            continue
        deviation, scale = known.inputs[:2]
        difference = made.of(deviation, "math.sub")
        x = NULL if difference is None else difference.inputs[0]
        if difference is None or not isinstance(x, Tensor) or not isinstance(bias, Tensor) or not _is_vector(bias, x):
            continue
        if isinstance(scale, Tensor) and _mean_of(difference.inputs[1], made) is x:
            return Other("onnx.layer_norm", [x, scale, bias], {"epsilon": known.attributes["epsilon"]})
    return None


def _by_deviation(value: TensorValue, made: Makers) -> tuple[TensorValue, float | None]:
    """Return the tensor that is divided by the root of the mean of its squares, and the constant added to that mean."""
    for x, factor in _pairs(made.of(value), "math.mul"):
        root = made.argument(factor, "math.rcp")
        quotient = made.of(factor, "math.div")
        if quotient is not None and literal(quotient.inputs[0]) == 1.0:
            root = quotient.inputs[1]
        inner = made.argument(root, "math.sqrt") or made.argument(factor, "math.rsqrt")
        epsilon = _epsilon(inner, x, made)
        if epsilon is not None:
            return x, epsilon
    quotient = made.of(value, "math.div")
    if quotient is not None:
        return quotient.inputs[0], _epsilon(made.argument(quotient.inputs[1], "math.sqrt"), quotient.inputs[0], made)
    return NULL, None


def _epsilon(value: TensorValue, x: TensorValue, made: Makers) -> float | None:
    """Return the constant added to the mean of the squares of a tensor; None if this is no such sum."""
    for mean, epsilon in _pairs(made.of(value), "math.add"):
        number = literal(epsilon)
        if isinstance(number, float) and number >= 0.0 and _is_product(_mean_of(mean, made), 1.0, [x, x], made):
            return number
    return None


def _mean_of(value: TensorValue, made: Makers) -> TensorValue:
    """Return the tensor whose mean along the last dimension, which is kept, a tensor is; null if there is none."""
    step = made.of(value, "math.mean_reduce")
    if step is None or set(step.attributes) != {"axes"} or not isinstance(step.inputs[0], Tensor):
        return NULL
    rank = len(step.inputs[0].shape or ())
    return step.inputs[0] if numbers(step.attributes["axes"]) in ((-1,), (rank - 1,)) else NULL


def _is_vector(value: Tensor, x: Tensor) -> bool:
    """Return whether a tensor has an element for each index along the last dimension of another one."""
    return bool(x.shape) and value.shape == (x.shape or ())[-1:]


# ---- products --------------------------------------------------------------------------------------------------------
def _pairs(step: InvocationStep | None, operator: str) -> list[tuple[TensorValue, TensorValue]]:
    """Return the arguments of an invocation of this operator, in both orders; nothing for others."""
    if step is None or step.operator != operator or step.attributes:
        return []
    first, second = step.inputs[:2]
    return [(first, second), (second, first)]


def _factors(value: TensorValue, made: Makers) -> tuple[float, list[Tensor]]:
    """Return the factors of a tensor: a number, and tensors."""
    step = made.of(value)
    if step is None or step.attributes:
        return 1.0, [value] if isinstance(value, Tensor) else []
    return _product(step, made)


def _product(step: InvocationStep, made: Makers) -> tuple[float, list[Tensor]]:
    first, second = (*step.inputs, NULL, NULL)[:2]
    number = literal(second)
    match step.operator:
        case "math.mul" if not step.attributes:
            scale, found = 1.0, list[Tensor]()
            for each in step.inputs[:2]:
                known = literal(each)
                factor, tensors = (known, []) if isinstance(known, float) else _factors(each, made)
                scale, found = scale * factor, [*found, *tensors]
            return scale, found
        case "math.div" if isinstance(number, float) and number != 0.0:
            scale, found = _factors(first, made)
            return scale / number, found
        case "math.sqr":
            scale, found = _factors(first, made)
            return scale * scale, [*found, *found]
        case "math.pow" if isinstance(number, float) and number in (2.0, 3.0):
            scale, found = _factors(first, made)
            return scale**number, [*found] * int(number)
    (output,) = step.outputs
    return 1.0, [output] if isinstance(output, Tensor) else []


def _is_product(value: TensorValue, scale: float, tensors: Sequence[TensorValue], made: Makers) -> bool:
    found, factors = _factors(value, made)
    same = len(factors) == len(tensors) and all(one is other for one, other in zip(factors, tensors, strict=True))
    return same and isclose(found, scale, rel_tol=_EXACT)
