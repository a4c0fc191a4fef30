"""Models as a command line names them: a file, or the folder of a model."""

from __future__ import annotations

import os

from snd_server.archive_paths import GRAPH, is_archive

MAIN = "main.sknd"
_MAIN_FILES = (MAIN, GRAPH)


def main_file(path: str) -> str:
    """Return the file that a path stands for: of a folder its ``main.sknd``, or else its ``graph.nnef``.

    Of an archive it is the ``graph.nnef`` in it.
    """
    if is_archive(path):
        return f"{path}/{GRAPH}"
    if not os.path.isdir(path):
        return path
    files = [os.path.join(path, name) for name in _MAIN_FILES]
    return next((each for each in files if os.path.isfile(each)), files[0])
