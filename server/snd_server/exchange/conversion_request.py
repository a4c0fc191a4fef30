"""The command line of ``snd convert``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct, field

CLEAN, PROBLEMS, FAULT = 0, 1, 101
WeightsForm: TypeAlias = Literal["dat", "npz", "safetensors"]


class ConvertRequest(Struct, frozen=True):
    """The command line of ``snd convert``. Memory is in bytes."""

    path: str
    output: str
    force: bool = False
    verify: bool = False
    seed: int = 0
    quiet: bool = False
    memory_bytes: int = 4 << 30
    config: str | None = None
    weights: WeightsForm = "dat"
    fixed: tuple[str, ...] = ()
    """Inputs of an ONNX model that become constants, as ``NAME=VALUE``."""
    weights_from: str | None = None
    """Source of the values of variables; None for the model itself."""
    map: str | None = None
    write_map: str | None = None
    trust: bool = False
    """True to let PyTorch execute code: of a Python function, or in a .pt2 file."""
    inputs: tuple[str, ...] = ()
    """Example inputs of a Python function, as types: ``[1,3,224,224]``."""
    extents: Mapping[str, str] = field(default_factory=dict)
    """Names of the symbols of a program."""
    strict: bool = True
    """True to demand a weight in ``weights_from`` for each variable, and a variable for each weight."""
    pulse: tuple[str, int] | None = None
    """The symbol of a model in NNEF 1.0 that the new model sees pulse by pulse, and the number of items of a pulse."""
