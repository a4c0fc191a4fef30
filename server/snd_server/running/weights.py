"""Weights of a model: a folder with a file for each variable, or one file with all of them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from snd_analysis.base import counted
from snd_analysis.workspace import Snapshot
from snd_runtime.evaluation import StoredArray
from snd_runtime.files import InvalidFileError, read_safetensors, read_tensor, write_tensor
from snd_server.limits import MOST_ARCHIVE_MEMBERS, MOST_LISTED_NAMES, MOST_LISTED_PATHS
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.archive_paths import split_member
from snd_server.workspace_files.archives import read_members
from snd_server.workspace_files.files import is_tensor_archive, tensor_archives
from snd_server.workspace_files.model_folder import MAIN
from snd_server.workspace_files.reading import read_file, reason
from snd_server.workspace_files.tensor_files import OF_SEVERAL, SUFFIXES, read_arrays, stored_arrays

if TYPE_CHECKING:
    from snd_analysis.nnef1.elaborate import StoredVariable

Array: TypeAlias = np.ndarray[Any, Any]

_ITEM = re.compile(r"(?P<name>.+)\.(?P<at>\d+)")
_UNNAMED = re.compile(r"(arr_)?(\d+)")


def read_weights(place: str, most_bytes: int) -> dict[str, Array | StoredArray]:
    """Return the weights by scoped name; items of a pack as ``NAME[0]``. Raise ArgumentError for unusable ones.

    In a folder, ``conv1.filter`` is ``conv1.filter.dat`` or, as in NNEF 1.0, ``conv1/filter.dat``; the first tensor of
    a pack is ``NAME.0.dat``. A file ``NAME.npz`` or ``NAME.safetensors`` holds ``NAME`` if it has a single array
    without another name, the tensors of that pack if they are numbered, else variables of the scope ``NAME``. Weights
    of more than ``most_bytes`` are refused. Tensors of a ``.safetensors`` file stay there until they are needed.
    """
    root = Path(place)
    if root.is_dir():
        files = _files_below(root)
    elif root.is_file() and root.suffix in OF_SEVERAL:
        files = [root]
    else:
        raise ArgumentError(f"weights {place}: there is no such folder, nor .npz or .safetensors file")
    found: dict[str, Array | StoredArray] = {}
    origin: dict[str, Path] = {}
    left = most_bytes
    for path in files:
        scope = "" if path == root else ".".join(path.relative_to(root).with_suffix("").parts)
        try:
            arrays = stored_arrays(path, left) if path.suffix == ".safetensors" else read_arrays(path, left)
        except (InvalidFileError, ValueError) as error:
            raise ArgumentError(f"weights {path}: {error}") from None
        except OSError as error:
            raise ArgumentError(f"weights {path}: {reason(error)}") from None
        for key, array in arrays.items():
            name = _indexed(scope) if path.suffix not in OF_SEVERAL else _name_within(scope, key, len(arrays))
            if name in found:
                raise ArgumentError(f"weights {path}: '{name}' is in {origin[name]} already")
            found[name], origin[name] = array, path
            left -= array.nbytes
    return found


def _files_below(root: Path) -> list[Path]:
    """Return the tensor files below a folder in order.

    Raise ArgumentError if there are too many paths: a configuration may name the root folder.
    """
    found: list[Path] = []
    for count, path in enumerate(root.rglob("*")):
        if count >= MOST_LISTED_PATHS:
            raise ArgumentError(f"weights {root}: there are more than {MOST_LISTED_PATHS:,} paths in this folder")
        if path.suffix in SUFFIXES and path.is_file():
            found.append(path)
    return sorted(found)


def loaded(weights: Mapping[str, Any]) -> dict[str, Any]:
    """Return weights as arrays, wherever they lie."""
    return {name: value.array() if isinstance(value, StoredArray) else value for name, value in weights.items()}


def mismatch(drawn: Sequence[str], unused: Sequence[str], names: str = "name") -> str | None:
    """Return how variables and weights differ, in words; None if each has its counterpart.

    ``names`` is the word for the names of weights.
    """
    parts = []
    if drawn:
        parts.append(f"{_named(drawn, 'variable')} no weight ({_listed(drawn)})")
    if unused:
        parts.append(f"{_named(unused, 'weight')} no variable of that {names} ({_listed(unused)})")
    return ", and ".join(parts) or None


def _named(names: Sequence[str], what: str) -> str:
    return f"{counted(len(names), what)} {'has' if len(names) == 1 else 'have'}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_LISTED_NAMES]) + (", …" if len(names) > MOST_LISTED_NAMES else "")


def by_variables(
    snapshot: Snapshot, path: str, weights: Mapping[str, Array | StoredArray]
) -> dict[str, Array | StoredArray]:
    """Return weights by the names of the variables of a model in NNEF 1.0, for files that have the labels as names."""
    labels = {each.name: _indexed(each.label.strip("/")) for each in snapshot.stored_variables(path)}
    rest = {name: array for name, array in weights.items() if name not in labels.values()}
    return {**rest, **{name: weights[label] for name, label in labels.items() if label in weights}}


def stored_weights(snapshot: Snapshot, path: str, most_bytes: int) -> Mapping[str, Array]:
    """Return the variables of a model in NNEF 1.0 that have a file, and the first states of its streams.

    The file is ``LABEL.dat`` beside the graph, or a tensor of a ``.safetensors`` file there. Raise ArgumentError for a
    file that can't be used. Files of more than ``most_bytes`` together are refused.
    """
    contents = stored_files(snapshot, path, most_bytes)
    found: dict[str, Array] = {}
    for variable in snapshot.stored_variables(path):
        if variable.name in contents:
            array = _tensor(f"{variable.label}.dat", contents[variable.name])
            # Blocks of items are stored as a matrix, for any variable.
            found[variable.name] = array.reshape(variable.shape) if array.size == prod(variable.shape) else array
    return found


def stored_files(snapshot: Snapshot, path: str, most_bytes: int) -> Mapping[str, bytes]:
    """Return the variables of a model in NNEF 1.0 with a file or first state, each as the content of a ``.dat`` file.

    Raise ArgumentError for a file that can't be read. Files of more than ``most_bytes`` together are refused.
    """
    variables = snapshot.stored_variables(path)
    if not variables:
        return {}
    from snd_analysis.workspace import tensor_path  # of NNEF 1.0, as all that is stored

    labels = {each.name: each.label for each in variables if each.initial is None}
    labels |= {each.name: each.initial for each in variables if isinstance(each.initial, str)}
    files = {name: tensor_path(path, label) for name, label in labels.items()}
    contents = dict(_stored(path, list(dict.fromkeys(filter(None, files.values()))), most_bytes))
    found = {name: contents[file] for name, file in files.items() if file is not None and file in contents}
    others = {label.lstrip("/") for name, label in labels.items() if name not in found}
    if others:
        left = most_bytes - sum(map(len, contents.values()))
        together = dict(_stored_together(path, others, left))
        for name, label in labels.items():
            if name not in found and (plain := label.lstrip("/")) in together:
                found[name] = together[plain]
    return {**found, **dict(_first_states(variables, most_bytes))}


def _first_states(variables: Sequence[StoredVariable], most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield what a model keeps of a stream before its first pulse, unless files have it. Raise ArgumentError."""
    for each in variables:
        if not isinstance(each.initial, tuple):
            continue
        if prod(each.shape) * np.dtype(np.float64).itemsize > most_bytes:
            raise ArgumentError(f"the state '{each.name}' takes more memory than is allowed")
        items = np.asarray(each.initial)
        kind = items.dtype if items.dtype.kind != "f" else np.float32
        yield each.name, write_tensor(np.broadcast_to(items.astype(kind), (prod(each.shape),)).reshape(each.shape))


def _stored_together(path: str, labels: Collection[str], most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield the tensors of these labels that lie in files with others, the first of each."""
    folder = os.path.dirname(path)
    member = split_member(path)
    names = tensor_archives(folder) if member is None else _archives_within(*member)
    missing = set(labels)
    for file, content in sorted(_stored(path, [os.path.join(folder, each) for each in names], most_bytes)):
        try:
            tensors = read_safetensors(content, missing)
        except InvalidFileError as error:
            raise ArgumentError(f"{file}: {error}") from None
        missing -= tensors.keys()
        yield from ((label, write_tensor(array)) for label, array in tensors.items())


def _archives_within(archive: str, graph: str) -> list[str]:
    """Return the names of the files of several tensors that stand beside a graph in an archive."""
    try:
        members = read_members(archive, lambda name: int(is_tensor_archive(name)), MOST_ARCHIVE_MEMBERS)
    except OSError as error:
        raise ArgumentError(f"{archive}: {reason(error)}") from None
    return [name for around, name in map(os.path.split, members) if around == os.path.dirname(graph)]


def _stored(path: str, files: Sequence[str], most_bytes: int) -> Iterator[tuple[str, bytes]]:
    left = most_bytes
    places = [(file, split_member(file)) for file in files]
    archives = {member[0]: set[str]() for _, member in places if member is not None}
    for _, member in places:
        if member is not None:
            archives[member[0]].add(member[1])
    try:
        for archive, names in archives.items():
            found = read_members(archive, dict.fromkeys(names, left).get, left)
            for name, content in found.items():
                left -= len(content.start)
                yield f"{archive}/{name}", content.start
        for file, member in places:
            if member is None and os.path.isfile(file):
                whole = read_file(file, left)
                left -= len(whole)
                yield file, whole
    except OSError as error:
        raise ArgumentError(f"{error.filename}: {reason(error)}") from None


def weights_beside(path: str, configured: str | None) -> str | None:
    """Return the default weights of a model: the configured ones, or ``weights`` beside it.

    They are a folder, or a file of several tensors; None if there are none. Raise ArgumentError for configured weights
    that are missing.
    """
    if configured is not None:
        return configured
    beside = os.path.join(os.path.dirname(path), "weights")
    found = (each for each in (beside, *(f"{beside}{suffix}" for suffix in OF_SEVERAL)) if os.path.exists(each))
    return next(found, None) if os.path.basename(path) == MAIN else None


def _tensor(file: str, content: bytes) -> Array:
    try:
        return read_tensor(content)
    except InvalidFileError as error:
        raise ArgumentError(f"{file}: {error}") from None


def _name_within(scope: str, key: str, count: int) -> str:
    if not scope:
        return _indexed(key)
    unnamed = _UNNAMED.fullmatch(key)
    if count == 1 and (unnamed is not None or key in (scope, scope.rpartition(".")[2])):
        return _indexed(scope)
    return f"{scope}[{unnamed[2]}]" if unnamed is not None else _indexed(f"{scope}.{key}")


def _indexed(name: str) -> str:
    item = _ITEM.fullmatch(name.replace("/", "."))
    return name.replace("/", ".") if item is None else f"{item['name']}[{item['at']}]"
