"""Parameters of requests that the protocol does not have. Each function raises JsonRpcInvalidParams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from snd_server.lsp.uris import path_of


def document_path(params: Any) -> str:
    """The path of ``textDocument``."""
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams("textDocument: the document is missing")
    return path_of(uri)


def text(params: Any, name: str) -> str | None:
    """A text that may be left out."""
    value = getattr(params, name, None)
    if value is not None and not isinstance(value, str):
        raise JsonRpcInvalidParams(f"{name}: this must be a string")
    return value


def texts(params: Any, name: str) -> tuple[str, ...]:
    """A list of texts; empty if it is left out."""
    value = getattr(params, name, None)
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(each, str) for each in value):
        raise JsonRpcInvalidParams(f"{name}: this must be a list of strings NAME=VALUE")
    return tuple(value)


def number(value: Any, name: str) -> int:
    """A number that is not negative."""
    found = getattr(value, name, None)
    if not isinstance(found, int) or found < 0:
        raise JsonRpcInvalidParams(f"{name}: this must be a number")
    return found
