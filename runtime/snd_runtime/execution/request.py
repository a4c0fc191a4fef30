"""The request for a run, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field

from snd_analysis.model import Place, Tensor
from snd_runtime.execution.quantizing import QuantizedTensor
from snd_runtime.limits import Limits
from snd_runtime.lowering.lowered import FLOAT32, Argument

Watch: TypeAlias = "Callable[[ComputedTensor], None]"
WatchNames: TypeAlias = "Callable[[NamedValue], None]"
ReportProgress: TypeAlias = "Callable[[int, int], None]"


class ComputedTensor(Struct, frozen=True):
    """A tensor, or pack of tensors, as soon as it is computed.

    ``name`` is the name in the flat graph (``block.conv1.output``), ``dtype`` int, real, bool or str.
    """

    name: str
    value: Argument
    dtype: str
    place: Place | None
    iterations: tuple[int, ...] = ()
    """The numbers of the iterations of the loops around, from the outermost; other steps have the same name."""
    tensor: Tensor | None = None
    """The tensor of the composed graph, if it is a single one."""


class NamedValue(Struct, frozen=True):
    """The value of a name that no operation computes: a tensor, or the tensors of a pack.

    ``place`` is the declaration of the name in a loop or a copy, in these iterations of the surrounding loops; None for
    constants and variables of the definition.
    """

    name: str
    value: Argument
    place: Place | None = None
    iterations: tuple[int, ...] = ()


class Execution(Struct, frozen=True):
    """Options of a run.

    ``variables`` are values by scoped name (``conv1.filter``), a sequence for a pack. ``watch`` is called with each
    tensor. ``watch_names`` is called with values of names that no operation computes: constants and variables when the
    run begins, names of a loop when an iteration begins. ``progress`` is called with the numbers of completed and of
    all operations.
    """

    real: np.dtype[Any] = FLOAT32
    seed: int = 0
    variables: Mapping[str, Argument] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    watch: Watch | None = None
    watch_names: WatchNames | None = None
    progress: ReportProgress | None = None
    compare: bool = False
    """True if operators with formulas and a composition are run by both, and fail where these disagree."""
    quantize: bool = False
    """True if to apply the operators of ``@quantize`` to the tensors that they name, as soon as these are computed."""
    compiles: bool = False
    """True if formulas that run again may be compiled, where there is a compiler.

    Sums, and ``erf``, are rounded in another way then."""
    number: int = 0
    """Number of this run among runs with one seed: random values differ between them."""

    @property
    def tells(self) -> bool:
        """Return whether a run tells anything but its results."""
        observers = (self.watch, self.watch_names, self.progress)
        return self.compare or self.quantize or any(each is not None for each in observers)


class RunResult(Struct, frozen=True):
    """The result of a run.

    ``variables`` are all variables that were used, with their new values. ``drawn`` names variables without a given
    value, which were drawn at random; ``unused`` names given values without a variable.
    """

    outputs: Mapping[str, Argument]
    variables: Mapping[str, Argument]
    drawn: tuple[str, ...]
    unused: tuple[str, ...] = ()
    quantized: tuple[QuantizedTensor, ...] = ()
    """Tensors that ``@quantize`` names."""
    updated: tuple[str, ...] = ()
    """The variables that ``@update`` gave new values."""
    notes: tuple[str, ...] = ()
    """Operations that another engine could not compute, with the reasons."""
