"""``math``: operators that compute element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snd_server.exchange.graph_export.alignment import starts_of
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.graph_export.tensors import rank_of
from snd_server.exchange.torch_export.call import TorchCall
from snd_server.exchange.torch_export.registry import COUNTERPARTS, counterpart
from snd_server.exchange.torch_export.scope import DTYPES

_FUNCTIONS = {
    "sqrt": "sqrt", "rsqrt": "rsqrt", "exp": "exp", "log": "log", "log2": "log2", "sin": "sin", "cos": "cos",
    "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asin": "asin", "acos": "acos", "atan": "atan",
    "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "abs": "abs", "sign": "sign", "floor": "floor",
    "ceil": "ceil", "sqr": "square", "rcp": "reciprocal", "not": "logical_not",
}  # fmt: skip
_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "eq": "==", "ne": "!=",
    "and": "&", "or": "|", "xor": "^",
}  # fmt: skip


def _function(name: str) -> Callable[[TorchCall], None]:
    return lambda call: call.write(f"torch.{name}({call.tensor()})")


def _infix(sign: str) -> Callable[[TorchCall], None]:
    def write(call: TorchCall) -> None:
        left, right = operands(call, "lhs_align", "rhs_align")
        call.write(f"{left} {sign} {right}")

    return write


COUNTERPARTS.update({f"math.{name}": _function(other) for name, other in _FUNCTIONS.items()})
COUNTERPARTS.update({f"math.{name}": _infix(sign) for name, sign in _INFIX.items()})


def operands(call: TorchCall, *names: str, as_tensors: bool = False) -> list[str]:
    """Return the arguments, such that they broadcast as PyTorch does it: aligned at their last dimensions."""
    rank = rank_of(call.output)
    has_tensor = any(call.rank(at) for at in range(len(names)))
    found = []
    for at, start in enumerate(starts_of(call, names)):
        own = call.rank(at)
        text = call.input(at) if has_tensor and not as_tensors else call.tensor(at)
        missing = rank - start - own
        if own and missing:
            text = f"{text}[{', '.join(['...', *['None'] * missing])}]"
        if own and start + own > rank:
            raise Unsuitable("it aligns dimensions otherwise than PyTorch")
        found.append(text)
    return found


@counterpart("math.iden")
def _same(call: TorchCall) -> None:
    call.write(call.input())


@counterpart("math.neg")
def _negated(call: TorchCall) -> None:
    call.write(f"-{call.tensor()}")


@counterpart("math.div")
def _quotient(call: TorchCall) -> None:
    left, right = operands(call, "lhs_align", "rhs_align")
    call.write(f"{left} {'/' if call.dtype == 'real' else '//'} {right}")


@counterpart("math.mod")
def _remainder(call: TorchCall) -> None:
    left, right = operands(call, "lhs_align", "rhs_align")
    call.write(f"{left} % {right}")


@counterpart("math.pow")
def _power(call: TorchCall) -> None:
    left, right = operands(call, "lhs_align", "rhs_align")
    call.write(f"({left}) ** {right}" if left.startswith("-") else f"{left} ** {right}")


@counterpart("math.min", "math.max")
def _extreme(call: TorchCall) -> None:
    left, right = operands(call, "lhs_align", "rhs_align", as_tensors=True)
    call.write(f"torch.{name_of(call)}imum({left}, {right})")


def name_of(call: TorchCall) -> str:
    """Return the name of the operator."""
    assert call.operation.operator is not None
    return call.operation.operator.name


@counterpart("math.select")
def _selected(call: TorchCall) -> None:
    condition, left, right = operands(call, "cond_align", "lhs_align", "rhs_align", as_tensors=True)
    call.write(f"torch.where({condition}, {left}, {right})")


@counterpart("math.clamp")
def _clamped(call: TorchCall) -> None:
    x, low, high = operands(call, "val_align", "min_align", "max_align")
    if call.rank(1) or call.rank(2):
        x, low, high = operands(call, "val_align", "min_align", "max_align", as_tensors=True)
        call.write(f"torch.maximum(torch.minimum({x}, {high}), {low})")
        return
    call.write(f"torch.clamp({x}, {low}, {high})")


@counterpart("math.axpb")
def _line(call: TorchCall) -> None:
    a, x, b = operands(call, "a_align", "x_align", "b_align")
    call.write(f"{a} * {x} + {b}")


@counterpart("math.axpby")
def _weighted(call: TorchCall) -> None:
    if any(call[f"{each}_align"] is not None for each in "axby"):
        raise Unsuitable("it aligns dimensions otherwise than PyTorch")
    a, x, b, y = (call.input(at) for at in range(4))
    call.write(f"{a} * {x} + {b} * {y}")


@counterpart("math.sum_n", "math.min_n", "math.max_n", "math.prod_n")
def _of_several(call: TorchCall) -> None:
    if not call.items():
        raise Unsuitable("there is no tensor")
    functions = {"sum_n": "sum", "prod_n": "prod", "min_n": "amin", "max_n": "amax"}
    call.write(f"torch.{functions[name_of(call)]}(torch.stack([{', '.join(call.items())}]), 0)")


@counterpart("math.round")
def _rounded(call: TorchCall) -> None:
    # SkriptND rounds halves away from zero, PyTorch to the even neighbour.
    x = call.tensor()
    call.write(f"torch.sign({x}) * torch.floor(torch.abs({x}) + 0.5)")


@counterpart("onnx.round")
def _rounded_to_even(call: TorchCall) -> None:
    call.write(f"torch.round({call.tensor()})")


@counterpart("onnx.div")
def _cut_quotient(call: TorchCall) -> None:
    left, right = operands(call, "lhs_align", "rhs_align", as_tensors=True)
    call.write(f"torch.div({left}, {right}, rounding_mode='trunc')")


@counterpart("onnx.fmod")
def _cut_remainder(call: TorchCall) -> None:
    left, right = operands(call, "lhs_align", "rhs_align", as_tensors=True)
    call.write(f"torch.fmod({left}, {right})")


@counterpart("layout.cast")
def _cast(call: TorchCall) -> None:
    if call.output.dtype not in DTYPES or call.dtype == "str":
        raise Unsuitable("PyTorch has no strings")
    call.write(f"{call.tensor()}.to({DTYPES[call.output.dtype or 'real']})")


def joined(items: Sequence[str]) -> str:
    """Return the text of a list."""
    return f"[{', '.join(items)}]"
