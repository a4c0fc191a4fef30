"""The text of ``graph.quant``: the quantizations of the tensors of a graph, in Khronos' dialect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from snd_analysis.model import Quantization, Tensor
from snd_analysis.nnef1.syntax import Dialect
from snd_runtime.execution.plain import plain
from snd_server.exchange.graph_export.errors import Unsuitable
from snd_server.exchange.nnef1_export.literals import written_value

_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "linear_quantize": ("min", "max", "bits"),
    "min_max_linear_quantize": ("min", "max", "bits", "signed", "symmetric"),
    "zero_point_linear_quantize": ("zero_point", "scale", "bits", "signed", "symmetric"),
    "logarithmic_quantize": ("max", "bits"),
}


def quantization_text(named: Iterable[tuple[str, Tensor]]) -> tuple[str, list[str]]:
    """Return the text for tensors by the names that they have, and notes about quantizations without a form."""
    lines, notes = [], []
    for name, tensor in named:
        if tensor.quantization is not None:
            try:
                lines.append(f'"{name}": {_written(tensor.quantization)};')
            except Unsuitable as unsuitable:
                notes.append(f"the quantization of '{tensor.name}' is left out: {unsuitable}")
    return "".join(f"{line}\n" for line in lines), notes


def _written(found: Quantization) -> str:
    name = found.operator.name
    if name not in _PARAMETERS:
        raise Unsuitable(f"graph.quant has no operation '{name}'")
    arguments = []
    for parameter in _PARAMETERS[name]:
        try:
            single = _DEFAULTS.get(parameter)
            if parameter in found.attributes:
                single = _single(plain(found.attributes[parameter]))
        except ValueError:
            raise Unsuitable(f"'{parameter}' is known in the run only") from None
        written = float(single) if parameter in _REALS and single is not None else single
        arguments.append(f"{parameter} = {written_value(written, Dialect.KHRONOS)}")
    return f"{name}({', '.join(arguments)})"


_REALS = frozenset(["min", "max", "scale"])
_DEFAULTS: Mapping[str, Any] = {"signed": True, "symmetric": False}


def _single(value: Any) -> Any:
    """Return the value for all channels. Raise Unsuitable if they have different ones."""
    if not isinstance(value, tuple | list):
        return value
    if not value or any(each != value[0] for each in value):
        raise Unsuitable("its channels have different values")
    return value[0]
