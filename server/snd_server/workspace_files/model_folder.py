"""Models as a command line names them: a file, or the folder of a model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from snd_server.workspace_files.archive_paths import GRAPH, is_archive

if TYPE_CHECKING:
    from snd_analysis.workspace import Snapshot

MAIN = "main.sknd"
ONNX_SUFFIX = ".onnx"
PROGRAM_SUFFIX = ".pt2"
"""End of the names of files by ``torch.export.save``."""
SOURCE_SUFFIXES = (ONNX_SUFFIX, PROGRAM_SUFFIX)
"""Ends of the names of models that are translated before they are read."""
_MAIN_FILES = (MAIN, GRAPH)


def main_file(path: str) -> str:
    """Return the main file of a path: for a folder its ``main.sknd``, or else its ``graph.nnef``.

    For an archive it is the ``graph.nnef`` in it.
    """
    if is_archive(path):
        return f"{path}/{GRAPH}"
    if not os.path.isdir(path):
        return path
    files = [os.path.join(path, name) for name in _MAIN_FILES]
    # An existing path that is no file is reported by its own name.
    return next((each for is_there in (os.path.isfile, os.path.lexists) for each in files if is_there(each)), files[0])


def no_graph(snapshot: Snapshot, path: str, advice: str = "") -> str:
    """Return the message for a file without a graph, with advice.

    For an ONNX model, it tells how to convert it; for an unreadable file, the reason.
    """
    if path.endswith(ONNX_SUFFIX):
        return convert_first(path)
    file = snapshot.file(path)
    if file is not None and file.unreadable is not None:
        return f"{path}: {file.unreadable.message}"
    return f"there is no graph in {path}{advice}"


def no_file(path: str) -> str:
    """Return the message for a file that is not there. For a folder with an ONNX model, it says how to convert it."""
    folder = os.path.dirname(path) or os.curdir
    if os.path.basename(path) != MAIN or not os.path.isdir(folder):
        return f"there is no file {path}"
    models = onnx_models(folder)
    if models:
        return f"there is no file {path}, but {convert_first(models[0])}"
    return f"there is neither {MAIN} nor {GRAPH} in {folder}"


def onnx_models(folder: str) -> list[str]:
    """Return the ONNX models right in a folder; none if it can't be read."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.normpath(os.path.join(folder, name)) for name in names if name.endswith(ONNX_SUFFIX)]


def convert_first(path: str) -> str:
    """Return the message for an ONNX model that is given where only SkriptND and NNEF 1.0 can be read."""
    return f"{path} is an ONNX model: 'snd convert {path} -o FOLDER' writes it in SkriptND"
