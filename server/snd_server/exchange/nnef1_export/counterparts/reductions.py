"""``math``: operators that reduce or accumulate along dimensions; ``algo``: the largest elements."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis.model import Tensor
from snd_analysis.symbolic.integers import Integer
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.nnef1_export.call import OperationCall
from snd_server.exchange.nnef1_export.counterparts.arithmetic import demand_scalars
from snd_server.exchange.nnef1_export.literals import Expression, written_extent
from snd_server.exchange.nnef1_export.registry import COUNTERPARTS, Counterpart, counterpart

_REDUCTIONS = ("sum_reduce", "min_reduce", "max_reduce", "mean_reduce", "any_reduce", "all_reduce")


def _reduction(name: str) -> Counterpart:
    def write(call: OperationCall) -> None:
        demand_scalars(call)
        tensor = call.operation.inputs[0]
        if name == "sum_reduce" and call.scope.root.is_tract and isinstance(tensor, Tensor) and tensor.dtype == "int":
            call.scope.root.notes["tract sums ints in 32 bits: sums beyond 2,147,483,647 differ"] = None
        write_squeezed(call, name, call.axes())

    return write


def write_squeezed(call: OperationCall, operation: str, axes: Sequence[int]) -> None:
    """Write a reduction along axes, which vanish where the operator squeezes them."""
    axes = sorted(axes)  # tract takes no other order
    if not axes:
        call.write("copy", [call.input()])
    elif call["squeeze"]:
        kept = call.scope.node(operation, [call.input()], axes=list(axes))
        call.write("squeeze", [kept], axes=list(axes))
    else:
        call.write(operation, [call.input()], axes=list(axes))


COUNTERPARTS.update({f"math.{name}": _reduction(name) for name in _REDUCTIONS})


@counterpart("math.prod_reduce")
def _product(call: OperationCall) -> None:
    call.demand_tract("product along dimensions")
    write_squeezed(call, "tract_core_product_reduce", call.axes())


@counterpart("math.argmax", "math.argmin")
def _extremum(call: OperationCall) -> None:
    assert call.operation.operator is not None
    write_squeezed(call, f"{call.operation.operator.name}_reduce", [call.axis()])


@counterpart("math.moments")
def _moments(call: OperationCall) -> None:
    if call["squeeze"] or not call["axes"]:
        raise Unsuitable("NNEF 1.0 keeps the dimensions")
    outputs = [names[0] for names in call.names]
    call.scope.nodes_of("moments", [call.input()], outputs, axes=call.axes())


@counterpart("math.cumsum")
def _cumulative_sum(call: OperationCall) -> None:
    call.demand_tract("sum up to each element")
    given = {"axis": call.axis(), "exclusive": call["exclusive"], "reverse": call["reverse"]}
    call.write("tract_core_cumsum", [call.input()], **given)


@counterpart("algo.top_k")
def _top_k(call: OperationCall) -> None:
    call.demand_tract("search for the largest elements")
    values, axis = call.operation.outputs[0], call.axis()
    assert isinstance(values, Tensor)
    extent = (values.shape or ())[axis]
    if not isinstance(extent, Integer):
        raise Unsuitable("the rank is not known before the run")
    count = Expression(written_extent(extent, call.scope.dialect))
    outputs = [names[0] for names in call.names]
    call.scope.nodes_of("tract_core_topk", [call.input(), count], outputs, axis=axis, largest=call["largest"])
