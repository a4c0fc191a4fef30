"""The variables of one run: given ones by scoped name, others drawn at random.

A variable that nothing gives is drawn from a normal distribution: of mean 0 and variance 1 / n for a rank of 2 or more,
where the fan-in n is the product of all extents but the first, the number of output channels. For lower ranks the
deviation is 0.1. Their mean is 1 for factors, such as gains and variances, which formulas multiply or divide by or take
the root or logarithm of (``factors``), else 0: so the output of a deep network depends on its input. Ints are 0, bools
false and strings empty. Elements beyond the first 131,071 repeat these. A drawn value depends on the seed and the
scoped name only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from math import prod, sqrt
from typing import Any, TypeAlias

import numpy as np

from snd_analysis import rules
from snd_analysis.compose.formulas import INT_MAX
from snd_analysis.model import Place, Tensor, TensorValue
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.values import Pack
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution.factors import Factors
from snd_runtime.execution.limits import MOST_DRAWN
from snd_runtime.execution.plain import array_dtype, static_shape
from snd_runtime.limits import Budget
from snd_runtime.lowering.arithmetic import STR, Array
from snd_runtime.lowering.lowered import Argument
from snd_runtime.rules import UNKNOWN_VALUE, VARIABLE_VALUE

_SMALL = 0.1
"""Standard deviation of elementwise summands and factors."""


FittedVariables: TypeAlias = "dict[str, tuple[Argument, TensorValue]]"
"""Values of variables by scoped name, each with the declaration that it was found to fit."""


class Variables:
    """The current values of variables by scoped name, during a run."""

    def __init__(
        self,
        given: Mapping[str, Argument],
        seed: int,
        real: np.dtype[Any],
        budget: Budget,
        factors: Factors,
        checked: FittedVariables | None = None,
    ) -> None:
        self._checked: FittedVariables = {} if checked is None else checked
        self._factors = factors
        self._given = given
        self._seed = seed
        self._real = real
        self._budget = budget
        self.values: dict[str, Argument] = {}
        self._drawn: set[str] = set()
        self._used: set[str] = set()
        self._stored: set[str] = set()

    @property
    def drawn(self) -> tuple[str, ...]:
        """Names of variables without a given value, in order."""
        return tuple(sorted(self._drawn))

    @property
    def unused(self) -> tuple[str, ...]:
        """Names of given variables that were not asked for."""
        return tuple(sorted(name for name in self._given if name not in self._used))

    @property
    def stored(self) -> tuple[str, ...]:
        """Names of variables that the run updated, in order."""
        return tuple(sorted(self._stored))

    def value(self, name: str, declared: TensorValue) -> Argument:
        """Return the value of a variable. Raise EvaluationFailed if the given value does not fit."""
        if name in self.values:
            return self.values[name]
        value, declaration = self._checked.get(name, (None, None))
        if value is not None and value is self._given.get(name) and declaration is declared:
            self._used.add(name)
            self.values[name] = value
            return value
        if isinstance(declared, Pack):
            items = declared.items or ()
            made: Argument = tuple(
                self._array(f"{name}[{at}]", item, self._item(name, at, len(items)))
                for at, item in enumerate(items)
                if isinstance(item, Tensor)
            )
        else:
            assert isinstance(declared, Tensor)
            made = self._array(name, declared, self._single(name, declared.place))
        self.values[name] = made
        self._checked[name] = made, declared
        return made

    def store(self, name: str, value: Argument) -> None:
        """Give a variable its new value (2.11)."""
        self.values[name] = value
        self._checked.pop(name, None)
        self._stored.add(name)

    # ---- given ones --------------------------------------------------------------------------------------------------
    def _single(self, name: str, place: Place | None) -> Array | None:
        value = self._given.get(name)
        if value is None:
            return None
        self._used.add(name)
        if not isinstance(value, np.ndarray):
            raise EvaluationFailed(VARIABLE_VALUE, f"the variable '{name}' is one tensor, not a pack", place)
        return value

    def _item(self, name: str, at: int, count: int) -> Array | None:
        pack = self._given.get(name)
        if pack is None:
            return self._single(f"{name}[{at}]", None)
        self._used.add(name)
        if isinstance(pack, np.ndarray) or len(pack) != count:
            found = "one tensor" if isinstance(pack, np.ndarray) else f"{len(pack)} tensors"
            message = f"the variable '{name}' is a pack of {count} tensors, but {found} is given for it"
            raise EvaluationFailed(VARIABLE_VALUE, message)
        return pack[at]

    def _array(self, name: str, tensor: Tensor, given: Array | None) -> Array:
        shape = static_shape(tensor)
        if shape is None or tensor.dtype is None:
            raise EvaluationFailed(UNKNOWN_VALUE, f"the shape of the variable '{name}' is not known", tensor.place)
        dtype = array_dtype(tensor.dtype, self._real)
        if given is None:
            self._drawn.add(name)
            self._budget.hold(f"the variable '{name}'", shape, dtype.itemsize, tensor.place)
            return self._draw(name, shape, dtype, len(shape) < 2 and self._is_factor(name, tensor))
        if tensor.dtype == "bool" and given.dtype.kind in "iu" and np.isin(given, (0, 1)).all():
            given = given.astype(np.bool_)  # tensor files hold bools as ints
        kinds = {"real": "fiu", "int": "iu", "bool": "b", "str": "OU"}[tensor.dtype]
        if given.shape != shape or given.dtype.kind not in kinds:
            message = (
                f"the variable '{name}' is '{tensor.dtype}[{_extents(shape)}]', "
                f"but the given value is '{given.dtype}[{_extents(given.shape)}]'"
            )
            if len(shape) > 1 and given.shape == shape[::-1] != shape:
                message += ", which fits transposed"
            raise EvaluationFailed(VARIABLE_VALUE, message, tensor.place)
        if given.dtype == dtype:
            return given
        if tensor.dtype == "int" and given.dtype == np.uint64 and given.size and int(given.max()) > INT_MAX:
            message = f"an element of the variable '{name}': {rules.formulas.too_wide(int(given.max()))}"
            raise EvaluationFailed(rules.INT_OVERFLOW, message, tensor.place)
        self._budget.hold(f"the variable '{name}'", shape, dtype.itemsize, tensor.place)
        return given.astype(dtype)

    # ---- drawn ones --------------------------------------------------------------------------------------------------
    def _is_factor(self, name: str, tensor: Tensor) -> bool:
        if tensor.place is None:
            return False
        owner = OperatorName(tensor.place.path, tensor.place.definition)
        return self._factors.is_variable(owner, name.rpartition(".")[2].partition("[")[0])

    def _draw(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], is_factor: bool) -> Array:
        if dtype != self._real:
            return np.full(shape, "", STR) if dtype == STR else np.zeros(shape, dtype)
        made = np.empty(prod(shape), dtype)
        deviation = sqrt(1.0 / max(prod(shape[1:]), 1)) if len(shape) > 1 else _SMALL
        drawn = made[:MOST_DRAWN]
        _fill(drawn, generator_for(self._seed, name, 0), deviation)
        for start in range(MOST_DRAWN, made.size, MOST_DRAWN):
            made[start : start + MOST_DRAWN] = drawn[: made.size - start]
        if is_factor:
            # Within 0.5, since nothing works with a variance below 0.
            np.clip(made, -0.5, 0.5, out=made)
            made += 1
        return made.reshape(shape)


def _fill(piece: Array, generator: np.random.Generator, deviation: float) -> None:
    # Always 32 bits, so that the same numbers are drawn however exact reals are.
    if piece.dtype == np.float32:
        generator.standard_normal(out=piece, dtype=np.float32)
    else:
        piece[:] = generator.standard_normal(piece.size, np.float32)
    piece *= piece.dtype.type(deviation)


def generator_for(seed: int, name: str, *numbers: int) -> np.random.Generator:
    """Return a generator that depends on a seed, a name and numbers only: the order of draws does not matter."""
    digest = hashlib.sha256(name.encode()).digest()
    entropy = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF, *_words(digest[:16]), *numbers]
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(entropy)))


def _words(digest: bytes) -> Iterator[int]:
    return (int.from_bytes(digest[at : at + 4], "little") for at in range(0, len(digest), 4))


def _extents(shape: Sequence[int]) -> str:
    return ",".join(map(str, shape))
