"""Tensors in files on disk, by the ending of their names: ``.dat``, ``.npy``, ``.npz`` and ``.safetensors``."""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.evaluation import StoredArray
from snd_runtime.files import read_npy, read_npz, read_safetensors, read_safetensors_header, read_tensor
from snd_server.workspace_files.reading import demand_size, open_file, read_file

Array: TypeAlias = np.ndarray[Any, Any]

OF_SEVERAL = (".npz", ".safetensors")
SUFFIXES = (".dat", ".npy", *OF_SEVERAL)


def read_arrays(path: Path, most_bytes: int, key: str | None = None) -> Mapping[str, Array]:
    """Return the arrays in a file by name, or only that of ``key``.

    The array of a ``.dat`` or ``.npy`` file has an empty name. Raise InvalidFileError; OSError for an irregular file,
    or a file of more than ``most_bytes``; and ValueError for another suffix.
    """
    if path.suffix not in SUFFIXES:
        raise ValueError(f"'{path}' is neither .npy nor .npz nor .dat nor .safetensors")
    content = read_file(path, most_bytes)
    match path.suffix:
        case ".dat":
            return {"": read_tensor(content)}
        case ".npy":
            return {"": read_npy(content)}
        case ".safetensors":
            return read_safetensors(content, None if key is None else {key})
        case _:
            return read_npz(content, key, most_bytes)


def stored_arrays(path: Path, most_bytes: int) -> dict[str, Array | StoredArray]:
    """Return the tensors of a ``.safetensors`` file by name; tensors that need no conversion stay in it.

    Raise InvalidFileError and OSError.
    """
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        demand_size(path, size, most_bytes)
        if not size:
            return dict(read_safetensors(b""))
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            header = read_safetensors_header(content)
    stored: dict[str, Array | StoredArray] = {
        name: StoredArray(os.path.abspath(path), each.begin, each.code, each.shape)
        for name, each in header.items()
        if each.is_plain
    }
    others = header.keys() - stored.keys()
    if others:
        stored.update(read_safetensors(read_file(path, most_bytes), others))
    return {name: stored[name] for name in header}
