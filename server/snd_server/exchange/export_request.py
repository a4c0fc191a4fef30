"""The command line of ``snd export``."""

from __future__ import annotations

from msgspec import Struct

CLEAN, PROBLEMS = 0, 1
PYTHON_SUFFIX = ".py"
"""End of the name of a file with modules of PyTorch."""


class ExportRequest(Struct, frozen=True):
    """The command line of ``snd export``. Memory is in bytes."""

    path: str
    output: str
    graph: str | None = None
    attributes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    weights: str | None = None
    seed: int = 0
    dialect: str = "tract"
    """The dialect of NNEF 1.0."""
    flat: bool = False
    quantize: bool = False
    verify: bool = False
    quiet: bool = False
    memory_bytes: int = 4 << 30
    config: str | None = None
    strict: bool | None = None
    """True to demand a weight for each variable, and a variable for each weight; None for given ``weights`` only."""
