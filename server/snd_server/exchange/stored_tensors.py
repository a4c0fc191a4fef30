"""The tensors of a file of weights or of a model, one after the other.

No more than one is in memory, where the format allows it.
"""

from __future__ import annotations

import io
import mmap
import os
import zipfile
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.files import InvalidFileError, read_npz, read_safetensors, read_safetensors_header
from snd_server.exchange.onnx_import.data import tensor_array
from snd_server.exchange.onnx_import.source import InvalidModelError
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.model_folder import ONNX_SUFFIX, PROGRAM_SUFFIX
from snd_server.workspace_files.reading import demand_size, open_file, read_file
from snd_server.workspace_files.tensor_files import SUFFIXES, read_arrays

Array: TypeAlias = np.ndarray[Any, Any]


def stored_tensors(path: str, most_bytes: int) -> Iterator[tuple[str, Array]]:
    """Yield the tensors of a file with their names; that of a file of one tensor has the name of the file.

    Raise ArgumentError for a file of another kind or a broken one, and OSError for one that can't be read.
    """
    suffix = Path(path).suffix
    try:
        match suffix:
            case ".safetensors":
                yield from _of_safetensors(path, most_bytes)
            case ".npz":
                yield from _of_npz(path, most_bytes)
            case _ if suffix == ONNX_SUFFIX:
                yield from _of_onnx(path, most_bytes)
            case _ if suffix == PROGRAM_SUFFIX:
                yield from _of_program(path, most_bytes)
            case _ if suffix in SUFFIXES:
                (array,) = read_arrays(Path(path), most_bytes).values()
                yield Path(path).stem, array
            case _:
                known = ", ".join([*SUFFIXES, ONNX_SUFFIX, PROGRAM_SUFFIX])
                raise ArgumentError(f"{path} is no file of weights by the ending of its name: {known}")
    except (InvalidFileError, InvalidModelError) as problem:
        raise ArgumentError(f"{path}: {problem}") from None


def _of_safetensors(path: str, most_bytes: int) -> Iterator[tuple[str, Array]]:
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        demand_size(path, size, most_bytes)
        if not size:
            read_safetensors_header(b"")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            for name, each in read_safetensors_header(content).items():
                if each.is_plain:
                    array = np.frombuffer(content[each.begin : each.end], each.code, prod(each.shape))
                    yield name, array.reshape(each.shape)
                else:
                    yield name, read_safetensors(content[:], {name})[name]


def _of_npz(path: str, most_bytes: int) -> Iterator[tuple[str, Array]]:
    content = read_file(path, most_bytes)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [each.removesuffix(".npy") for each in archive.namelist() if each.endswith(".npy")]
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InvalidFileError(f"this is not an .npz file: {error}") from None
    for name in names:
        yield name, read_npz(content, name, most_bytes)[name]


def _of_onnx(path: str, most_bytes: int) -> Iterator[tuple[str, Array]]:
    from snd_server.exchange.onnx_import import OnnxMissingError, read_model

    try:
        graph = read_model(path, most_bytes)
    except OnnxMissingError as problem:
        raise ArgumentError(str(problem)) from None
    for name, array in graph.initializers.items():
        yield name, tensor_array(array)


def _of_program(path: str, most_bytes: int) -> Iterator[tuple[str, Array]]:
    from snd_server.exchange.torch_import import ProgramArchive

    with open_file(path) as file:
        archive = ProgramArchive(file, most_bytes)
        for name, stored in archive.tensors().items():
            yield name, archive.array(stored)
