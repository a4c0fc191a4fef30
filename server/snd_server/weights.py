"""Weights of a model: a folder with a file for each variable, or one ``.npz`` file with all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.files import InvalidFileError, npz_names, read_npy, read_npz, read_tensor
from snd_server.given import Misgiven

Array: TypeAlias = np.ndarray[Any, Any]

_SUFFIXES = (".dat", ".npy", ".npz")
_ITEM = re.compile(r"(?P<name>.+)\.(?P<at>\d+)")
_UNNAMED = re.compile(r"(arr_)?(\d+)")


def read_weights(place: str, most_bytes: int) -> dict[str, Array]:
    """The weights by scoped name; those of a pack as ``NAME[0]``. Raises Misgiven for what can't be used.

    In a folder, ``conv1.filter`` is ``conv1.filter.dat`` or, as NNEF 1.0 has it, ``conv1/filter.dat``; the first tensor
    of a pack is ``NAME.0.dat``. Files of more than ``most_bytes`` together are refused before they are read.
    """
    root = Path(place)
    if root.is_dir():
        files = sorted(path for path in root.rglob("*") if path.suffix in _SUFFIXES and path.is_file())
    elif root.is_file() and root.suffix == ".npz":
        files = [root]
    else:
        raise Misgiven(f"--weights {place}: there is no such folder, nor .npz file")
    total = sum(path.stat().st_size for path in files)
    if total > most_bytes:
        raise Misgiven(f"--weights {place}: the files have {total:,} bytes, more than the {most_bytes:,} allowed")
    found: dict[str, Array] = {}
    origin: dict[str, Path] = {}
    for path in files:
        scope = "" if path == root else ".".join(path.relative_to(root).with_suffix("").parts)
        try:
            arrays = list(_arrays(path, scope, most_bytes))
        except (InvalidFileError, OSError) as error:
            raise Misgiven(f"--weights {path}: {error}") from None
        for name, array in arrays:
            if name in found:
                raise Misgiven(f"--weights {path}: '{name}' is in {origin[name]} already")
            found[name], origin[name] = array, path
    return found


def _arrays(path: Path, scope: str, most_bytes: int) -> Iterator[tuple[str, Array]]:
    content = path.read_bytes()
    if path.suffix == ".npz":
        keys = npz_names(content)
        for key in keys:
            yield _name_within(scope, key, len(keys)), read_npz(content, key, most_bytes)
    else:
        yield _indexed(scope), read_tensor(content) if path.suffix == ".dat" else read_npy(content)


def _name_within(scope: str, key: str, count: int) -> str:
    if not scope:
        return _indexed(key)
    unnamed = _UNNAMED.fullmatch(key)
    if unnamed is not None:
        return _indexed(scope) if count == 1 else f"{scope}[{unnamed[2]}]"
    return _indexed(f"{scope}.{key}")


def _indexed(name: str) -> str:
    item = _ITEM.fullmatch(name.replace("/", "."))
    return name.replace("/", ".") if item is None else f"{item['name']}[{item['at']}]"
