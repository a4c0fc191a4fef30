"""The command line of ``snd convert``."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

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
    """Where the variables have their values from; None for the model itself."""
    map: str | None = None
    write_map: str | None = None
    strict: bool = True
    """Whether every variable must have a weight in ``weights_from``, and every weight a variable."""
