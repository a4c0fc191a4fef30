"""Variables in one file: ``--state`` and ``--save-weights``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from snd_runtime.files import write_npz, write_safetensors
from snd_runtime.lowering.lowered import Argument
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.tensor_files import OF_SEVERAL

_ITEM = re.compile(r"(.+)\[(\d+)\]")


def demand_suffix(option: str, path: str) -> None:
    """Raise ArgumentError for a file that can't hold several tensors."""
    if not path.endswith(OF_SEVERAL):
        raise ArgumentError(f"{option} {path}: this must be a .safetensors or .npz file")


def variables_content(option: str, path: str, variables: Mapping[str, Argument], names: Iterable[str]) -> bytes:
    """Return the content of a file of variables by their scoped names; items of a pack are ``NAME.0``.

    Raise ArgumentError for variables that the file can't hold.
    """
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for name in names:
        value = variables[name]
        if isinstance(value, np.ndarray):
            item = _ITEM.fullmatch(name)
            arrays[name if item is None else f"{item[1]}.{item[2]}"] = value
        elif value is not None:
            arrays.update({f"{name}.{at}": each for at, each in enumerate(value)})
    try:
        return write_npz(arrays) if path.endswith(".npz") else write_safetensors(arrays)
    except ValueError as error:
        raise ArgumentError(f"{option} {path}: {error}") from None
