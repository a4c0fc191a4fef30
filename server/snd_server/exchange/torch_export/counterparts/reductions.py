"""``math`` and ``algo``: operators that reduce, accumulate or sort along dimensions."""

from __future__ import annotations

from collections.abc import Callable

from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.torch_export.call import TorchCall
from snd_server.exchange.torch_export.counterparts.arithmetic import name_of
from snd_server.exchange.torch_export.registry import COUNTERPARTS, counterpart

_REDUCTIONS = {"sum_reduce": "sum", "mean_reduce": "mean", "max_reduce": "amax", "min_reduce": "amin",
               "any_reduce": "any", "all_reduce": "all"}  # fmt: skip


def _reduction(function: str) -> Callable[[TorchCall], None]:
    def write(call: TorchCall) -> None:
        axes = call.axes()
        if not axes:
            raise Unsuitable("nothing is reduced")
        if function in ("amax", "amin") and 0 in call.known():
            raise Unsuitable("PyTorch has no greatest element of none")
        shown = str(axes[0]) if len(axes) == 1 else str(tuple(axes))
        call.write(f"{call.input()}.{function}({shown}{_kept(call)})")

    return write


def _kept(call: TorchCall) -> str:
    return "" if call["squeeze"] else ", keepdim=True"


COUNTERPARTS.update({f"math.{name}": _reduction(function) for name, function in _REDUCTIONS.items()})


@counterpart("math.prod_reduce")
def _product(call: TorchCall) -> None:
    text = call.input()
    for axis in sorted(call.axes(), reverse=True):
        text = f"{text}.prod({axis}{_kept(call)})"
    call.write(text)


@counterpart("math.lp_reduce")
def _norm(call: TorchCall) -> None:
    if not call["axes"]:
        raise Unsuitable("nothing is reduced")
    call.write(f"torch.linalg.vector_norm({call.input()}, {call['p']!r}, {tuple(call.axes())}{_kept(call)})")


@counterpart("math.moments")
def _moments(call: TorchCall) -> None:
    if not call["axes"]:
        raise Unsuitable("nothing is reduced")
    (mean,), (variance,) = call.names
    axes, kept = tuple(call.axes()), _kept(call)
    call.scope.add([variance, mean], f"torch.var_mean({call.input()}, {axes}, correction=0{kept})")


@counterpart("math.argmax", "math.argmin")
def _place(call: TorchCall) -> None:
    call.write(f"{call.input()}.{name_of(call)}({call['axis'] % call.rank()}{_kept(call)})")


@counterpart("math.cumsum")
def _running_sum(call: TorchCall) -> None:
    if call["exclusive"] or call["reverse"]:
        raise Unsuitable("PyTorch adds up forwards, and each element itself")
    call.write(f"{call.input()}.cumsum({call['axis']})")


@counterpart("onnx.cumprod")
def _running_product(call: TorchCall) -> None:
    if call["exclusive"] or call["reverse"]:
        raise Unsuitable("PyTorch multiplies forwards, and each element itself")
    call.write(f"{call.input()}.cumprod({call['axis']})")


@counterpart("algo.top_k")
def _top_k(call: TorchCall) -> None:
    axis = call["axis"] % call.rank()
    extent = call.known()[axis]
    if extent is None:
        raise Unsuitable("how many elements there are is known in the run only")
    count = min(call["k"], extent)
    # The first of equal elements is the best; topk of PyTorch promises no order.
    order = f"torch.sort({call.input()}, dim={axis}, descending={call['largest']}, stable=True)"
    call.write_all(f"(each.narrow({axis}, 0, {count}) for each in {order})")
