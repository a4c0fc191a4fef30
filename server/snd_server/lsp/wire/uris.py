"""The URIs of clients and the paths of the analysis.

A file has its absolute path, a module of the standard library ``snd:NAME``, and anything else (``untitled:``, virtual
documents) its URI.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from urllib.parse import quote, unquote, urlsplit

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, format_modules, is_library, library_file, library_modules

_FILE = "file:"
_DRIVE = re.compile(r"/[A-Za-z]:")


def path_of(uri: str) -> str:
    """Return the path by which the analysis knows a document."""
    if not uri.startswith(_FILE):
        return uri
    path = os.path.normpath(_file_path(uri))
    return _library_paths().get(path, path)


def uri_of(path: str) -> str:
    """Return the URI of a path, in the one form in which we name it; the client's own may be spelled otherwise."""
    if is_library(path):
        path = _library_file(path)
    elif not os.path.isabs(path):
        return path
    return _file_uri(path)


def _file_path(uri: str) -> str:
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if _DRIVE.match(path):
        path = path[1].lower() + path[2:]
    elif parts.netloc:  # a share of Windows
        path = f"//{unquote(parts.netloc)}{path}"
    return path.replace("/", os.sep)


def _file_uri(path: str) -> str:
    path = path.replace(os.sep, "/")
    host = ""
    if path.startswith("//"):
        host, _, path = path[2:].partition("/")
    path = f"/{path.lstrip('/')}"
    if _DRIVE.match(path):
        return f"file://{host}/{path[1].lower()}:{quote(path[3:])}"
    return f"file://{host}{quote(path)}"


def _library_file(path: str) -> str:
    """Return the file of a module of the library."""
    return os.path.normpath(str(files("snd_analysis").joinpath("libraries", library_file(path))))


@cache
def _library_paths() -> Mapping[str, str]:
    """Return the paths of the modules of the library by their files."""
    paths = [LIBRARY_PREFIX + module for module in (*library_modules(), *format_modules())]
    return {_library_file(path): path for path in paths}
