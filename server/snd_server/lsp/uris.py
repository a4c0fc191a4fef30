"""The URIs of clients and the paths of the analysis.

A file has its absolute path, a module of the standard library ``snd:NAME``, and anything else (``untitled:``, virtual
documents) its URI.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files

from pygls import uris

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, is_library, library_modules

_FILE = "file:"
_SUFFIX = ".sknd"


def path_of(uri: str) -> str:
    """The path by which the analysis knows a document."""
    if not uri.startswith(_FILE):
        return uri
    path = uris.to_fs_path(uri)
    if path is None:
        return uri
    path = os.path.normpath(path)
    folder, name = os.path.split(path)
    if folder == library_folder() and name.endswith(_SUFFIX) and name.removesuffix(_SUFFIX) in library_modules():
        return LIBRARY_PREFIX + name.removesuffix(_SUFFIX)
    return path


def uri_of(path: str) -> str:
    """The URI of a path, in the one form in which we name it; the client's own may be spelled otherwise."""
    if is_library(path):
        path = os.path.join(library_folder(), f"{path.removeprefix(LIBRARY_PREFIX)}{_SUFFIX}")
    elif not os.path.isabs(path):
        return path
    return uris.from_fs_path(path) or path


@cache
def library_folder() -> str:
    """The folder in which the standard library lies."""
    return os.path.normpath(str(files("snd_analysis").joinpath("libraries", "std")))
