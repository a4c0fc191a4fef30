"""Runs composed graphs and operators (2.10, 2.11, chapter 3).

A body whose shapes are all known becomes a program of steps over slots, once (``compilation``, ``program``). One that
depends on data is composed and run statement by statement (``stepwise``). Operators are run by their composition, their
formulas, or intrinsics (``operators``).
"""

from snd_runtime.execution.binding import bind_arrays
from snd_runtime.execution.plain import value_of
from snd_runtime.execution.quantizing import QuantizedTensor
from snd_runtime.execution.request import ComputedTensor, Execution, NamedValue, RunResult
from snd_runtime.execution.running import StatefulGraph, execute
from snd_runtime.execution.weight_use import WeightUse, variable_tensors, weight_use

__all__ = [
    "ComputedTensor",
    "Execution",
    "NamedValue",
    "QuantizedTensor",
    "RunResult",
    "StatefulGraph",
    "WeightUse",
    "bind_arrays",
    "execute",
    "value_of",
    "variable_tensors",
    "weight_use",
]
