"""The files of a model in NNEF 1.0: a folder, or an archive of one."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Mapping

import numpy as np

from snd_runtime.files import write_tensor
from snd_server.exchange.nnef1_export.scope import Nnef1Model, WrittenArray

GRAPH = "graph.nnef"
_TARS = (".nnef.tar",)
_COMPRESSED = (".nnef.tgz", ".nnef.tar.gz")
SUFFIXES = (".nnef", *_TARS, *_COMPRESSED)
"""The endings of outputs that are models in NNEF 1.0."""


def is_nnef1(path: str) -> bool:
    """Return whether a path names a model in NNEF 1.0 to write."""
    return path.endswith(SUFFIXES)


def is_packed(path: str) -> bool:
    """Return whether a path names an archive."""
    return path.endswith((*_TARS, *_COMPRESSED))


def model_files(model: Nnef1Model, graph: str = GRAPH) -> dict[str, bytes]:
    """Return the files of a model by name. Raise ValueError for a tensor that no file can hold."""
    found = {graph: model.text.encode()}
    if model.quantization:
        found[graph.removesuffix(".nnef") + ".quant"] = model.quantization.encode()
    for each in model.stored:
        name, content = f"{each.label.lstrip('/')}.dat", _content(each)
        if found.setdefault(name, content) != content:
            raise ValueError(f"several variables have the label '{each.label}', with different values")
    return found


def write_folder(model: Nnef1Model, folder: str) -> None:
    """Write the files of a model into a new folder. Raise OSError, ValueError."""
    for name, content in model_files(model).items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            stream.write(content)


def _content(stored: WrittenArray) -> bytes:
    array = stored.array.astype(np.float32) if stored.array.dtype == np.float64 else stored.array
    return write_tensor(array)


def packed(files: Mapping[str, bytes], path: str) -> bytes:
    """Return an archive of files. The same files are the same bytes: members have no times and owners."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return gzip.compress(stream.getvalue(), mtime=0) if path.endswith(_COMPRESSED) else stream.getvalue()
