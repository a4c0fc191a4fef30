"""Functions that compiled loops call: functions of reals, and accumulations that the compiler vectorizes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.lowering.compiled.elementary import exp_of_one, log_of_one, tanh_with
from snd_runtime.lowering.error_function import error_function_of_one

Function: TypeAlias = "Callable[..., Any]"

_LEAST_LLVM = 20
"""Older versions have no machine code for ``llvm.maximum``."""


def _sum() -> Function:
    """Return a sum of two reals; a loop may add up its summands in any order."""
    from numba.extending import intrinsic

    def added(typing: Any, a: Any, b: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.fadd(*arguments, flags=("reassoc",))

        return a(a, b), code

    made: Function = intrinsic(added)
    return made


def _extreme(name: str) -> Function:
    """Return an instruction of the compiler that chooses one of two reals, NaN if one is.

    Raise ImportError if the compiler is too old to have it.
    """
    from llvmlite import binding, ir
    from numba.extending import intrinsic

    if binding.llvm_version_info[0] < _LEAST_LLVM:
        raise ImportError(f"{name} needs numba 0.62")

    def extreme(typing: Any, a: Any, b: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            real = arguments[0].type
            function = builder.module.declare_intrinsic(name, [real], ir.FunctionType(real, [real, real]))
            return builder.call(function, arguments, fastmath=("nsz",))

        return a(a, b), code

    made: Function = intrinsic(extreme)
    return made


def _compiled(function: Function) -> Function:
    """Return a function of one real in machine code; products may be added without being rounded before."""
    from numba import njit

    made: Function = njit(error_model="numpy", boundscheck=False, fastmath={"contract"})(function)
    return made


SINGLE: dict[str, Callable[[], Function]] = {
    "erf": lambda: _compiled(error_function_of_one),
    "exp": lambda: _compiled(exp_of_one),
    "log": lambda: _compiled(log_of_one),
    "tanh": lambda: _compiled(tanh_with(_compiled(exp_of_one))),
}
"""Functions of reals of 32 bits. They differ from NumPy's in the last bits."""
FUNCTIONS = frozenset({*SINGLE, "as_real"})
"""Names of the functions that operations call."""
_OTHERS: dict[str, Callable[[], Function]] = {
    "added": _sum,
    "larger": lambda: _extreme("llvm.maximum"),
    "smaller": lambda: _extreme("llvm.minimum"),
    "as_float32": lambda: _compiled(lambda value: np.float32(value)),
    "as_float64": lambda: _compiled(lambda value: np.float64(value)),
}


def function_named(name: str, real: str = "float32") -> Function:
    """Return a function that compiled loops may call, for reals of this type.

    Raise ImportError if there is no compiler that has it.
    """
    return _made(f"as_{real}" if name == "as_real" else name)


@cache
def _made(name: str) -> Function:
    return (SINGLE | _OTHERS)[name]()
