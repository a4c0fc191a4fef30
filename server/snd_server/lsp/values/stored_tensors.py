"""Tensors in files, examined for hovers: their ranges, their problems, and a picture."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from functools import lru_cache

from snd_server.lsp.limits import MOST_HOVERED_BYTES
from snd_server.lsp.session.late_runtime import load_runtime
from snd_server.workspace_files.files import tensor_archives
from snd_server.workspace_files.reading import read_file

_REMEMBERED = 64


def stored_markdown(path: str, *, tables: bool) -> str:
    """Return the contents of a tensor file, as Markdown: statistics, and a picture with ``tables``.

    Empty if it has none. This reads the file, so it must not run on the thread of the analysis.
    """
    try:
        found = os.stat(path)
    except OSError:
        return ""
    if found.st_size > MOST_HOVERED_BYTES:
        return f"The file has {found.st_size:,} bytes: too many to be looked at for a hover."
    return _markdown(path, found.st_mtime_ns, found.st_size, tables)


@lru_cache(maxsize=_REMEMBERED)
def _markdown(path: str, _modified: int, _size: int, tables: bool) -> str:
    load_runtime()
    from snd_analysis.ide import code, paragraphs
    from snd_runtime.files import InvalidFileError, read_tensor
    from snd_runtime.picture import picture
    from snd_runtime.summary import summarize

    try:
        array = read_tensor(read_file(path, MOST_HOVERED_BYTES))
    except (OSError, InvalidFileError):
        return ""
    drawn = picture(array) if tables else None
    image = "" if drawn is None else f"![values](data:image/png;base64,{base64.b64encode(drawn).decode()})"
    return paragraphs([code(str(summarize(array))), image])


def weights_stamp(paths: Iterable[str]) -> str:
    """Return a text that changes when one of these files does."""
    return " ".join(_stamp(each) for path in paths for each in _files(path))


def _files(path: str) -> Iterable[str]:
    """Return the files of a path: a single file, or all files in a folder that hold several tensors."""
    folder, name = os.path.split(path)
    if not name.startswith("*"):
        return [path]
    try:
        return [os.path.join(folder, each) for each in tensor_archives(folder)]
    except OSError:
        return []


def _stamp(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return "-"
    return f"{found.st_mtime_ns}:{found.st_size}"
