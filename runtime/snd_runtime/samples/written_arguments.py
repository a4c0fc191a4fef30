"""Arguments of samples as somebody would write them: small ones as numbers, larger ones as generators."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.lowering.lowered import Argument
from snd_runtime.samples.limits import MOST_WRITTEN_ARGUMENTS
from snd_runtime.values import dtype_name, value_text

Array: TypeAlias = np.ndarray[Any, Any]

STYLES = ("mixed", "positive", "random", "ones", "zeros")
"""Numbers of both signs, positive ones; generators."""

_REALS = {"mixed": (1.0, -2.0, 0.5, 3.0, -1.5, 2.5, -0.5, 4.0), "positive": (1.0, 2.0, 0.5, 3.0, 1.5, 2.5, 0.25, 4.0)}
_INTS = {"mixed": (1, 0, 1, 0, 1, 0, 0, 1), "positive": (1, 2, 3, 4, 5, 6, 7, 8)}
_GENERATORS = {
    "mixed": {"real": "random", "int": "iota"},
    "positive": {"real": "ones", "int": "ones"},
    "random": {"real": "random", "int": "zeros"},
}


def argument_text(value: Argument, style: str) -> str:
    """Return the argument for a tensor of the type and shape of ``value``, a pack of such tensors, or null."""
    if value is None:
        return "~"
    if isinstance(value, np.ndarray):
        return _tensor_text(value, style)
    return f"[{', '.join(_tensor_text(np.asarray(item), style) for item in value)}]"


def _tensor_text(like: Array, style: str) -> str:
    dtype = dtype_name(like)
    if like.ndim and (style not in _REALS or like.size > MOST_WRITTEN_ARGUMENTS) and dtype != "str":
        generator = _GENERATORS.get(style, {}).get(dtype, "zeros" if style == "zeros" else "ones")
        return f"{generator}[{','.join(map(str, like.shape))}]"
    return _written(like, dtype, style)


def _written(like: Array, dtype: str, style: str) -> str:
    one = {"zeros": 0.0}.get(style, 1.0)
    numbers: dict[str, tuple[object, ...]] = {
        "real": _REALS.get(style, (one,)),
        "int": _INTS.get(style, (int(one),)),
        "bool": (True, False) if style == "mixed" else (bool(one),),
        "str": ("a", "b", "c"),
    }
    kinds: dict[str, Any] = {"real": np.float32, "int": np.int64, "bool": np.bool_, "str": object}
    array = np.array([*islice(cycle(numbers[dtype]), like.size)], kinds[dtype]).reshape(like.shape)
    return value_text(array)
