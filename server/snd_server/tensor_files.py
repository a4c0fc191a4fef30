"""Tensors in files on disk, by the ending of their names: ``.dat``, ``.npy`` and ``.npz``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.files import npz_names, read_npy, read_npz, read_tensor

Array: TypeAlias = np.ndarray[Any, Any]

SUFFIXES = (".dat", ".npy", ".npz")


def read_arrays(path: Path, most_bytes: int, key: str | None = None) -> Mapping[str, Array]:
    """The arrays in a file by name, an empty one for that of a ``.dat`` or ``.npy`` file; or only that of ``key``.

    Raises InvalidFileError, OSError, and ValueError for what is no such file or takes more than ``most_bytes``.
    """
    if path.suffix not in SUFFIXES:
        raise ValueError(f"'{path}' is neither .npy nor .npz nor .dat")
    if path.exists() and not path.is_file():
        raise ValueError(f"'{path}' is no file")
    size = path.stat().st_size
    if size > most_bytes:
        raise ValueError(f"'{path}' has {size:,} bytes, more than the {most_bytes:,} allowed")
    content = path.read_bytes()
    if path.suffix == ".dat":
        return {"": read_tensor(content)}
    if path.suffix == ".npy":
        return {"": read_npy(content)}
    found: dict[str, Array] = {}
    for name in npz_names(content) if key is None else (key,):
        left = most_bytes - sum(array.nbytes for array in found.values())
        found[name] = read_npz(content, name, left)
    return found
