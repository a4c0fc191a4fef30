"""Parameters of requests that the protocol does not have. Each function raises JsonRpcInvalidParams."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from snd_server.lsp.limits import MOST_SECONDS
from snd_server.lsp.wire.uris import path_of


def document_path(params: Any) -> str:
    """Return the path of ``textDocument``."""
    uri = entry(entry(params, "textDocument"), "uri")
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams("textDocument: the document is missing")
    return path_of(uri)


def entry(params: Any, name: str) -> Any:
    """Return a value of an object as clients send it; None if it is left out."""
    return params.get(name) if isinstance(params, Mapping) else None


def text(params: Any, name: str) -> str | None:
    """Return an optional string."""
    value = entry(params, name)
    if value is not None and not isinstance(value, str):
        raise JsonRpcInvalidParams(f"{name}: this must be a string")
    return value


def one_of(params: Any, name: str, values: Collection[str]) -> str | None:
    """Return one of some texts, which may be left out."""
    value = text(params, name)
    if value is not None and value not in values:
        raise JsonRpcInvalidParams(f"{name}: this must be {' or '.join(values)}, not '{value}'")
    return value


def texts(params: Any, name: str) -> tuple[str, ...]:
    """Return a list of texts; empty if it is left out."""
    value = entry(params, name)
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(each, str) for each in value):
        raise JsonRpcInvalidParams(f"{name}: this must be a list of strings NAME=VALUE")
    return tuple(value)


def flag(params: Any, name: str) -> bool:
    """Return whether something is wanted; not, if it is left out."""
    value = entry(params, name)
    if value is not None and not isinstance(value, bool):
        raise JsonRpcInvalidParams(f"{name}: this must be true or false")
    return value is True


def whole(params: Any, name: str) -> int | None:
    """Return an optional int that is not negative."""
    value = entry(params, name)
    if value is not None and (type(value) is not int or value < 0):
        raise JsonRpcInvalidParams(f"{name}: this must be a whole number from 0")
    return value


def seconds(params: Any, name: str) -> float | None:
    """Return how long something may take; it may be left out."""
    value = entry(params, name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MOST_SECONDS:
        raise JsonRpcInvalidParams(f"{name}: this must be a number of seconds, above 0 and up to {MOST_SECONDS:g}")
    return float(value)


def place(params: Any, name: str) -> types.Position | None:
    """Return an optional position."""
    value = entry(params, name)
    if value is None:
        return None
    line, character = whole(value, "line"), whole(value, "character")
    if line is None or character is None:
        raise JsonRpcInvalidParams(f"{name}: a position has a line and a character")
    return types.Position(line, character)


def demand_alone(params: Any, name: str, others: Collection[str]) -> None:
    """Refuse a parameter together with ``others``; ``false`` and an empty list count as absent."""
    for other in others:
        if _says(params, name) and _says(params, other):
            raise JsonRpcInvalidParams(f"{other}: this can't be given together with '{name}'")


def _says(params: Any, name: str) -> bool:
    value = entry(params, name)
    return value is not None and value is not False and value != []
