"""Arguments of the types that functions ask for: TypeError for any other, before something deep inside fails."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any


def path_of(name: str, value: Any) -> str:
    """Return a path as text."""
    _demand(name, value, str | os.PathLike, "a string or os.PathLike")
    found: str = os.fspath(value)
    _demand(name, found, str, "a path that is a string")
    return found


def demand_text(name: str, value: Any, *, is_optional: bool = True) -> None:
    """Raise TypeError for anything but a string, or None where it is optional."""
    _demand(name, value, str | None if is_optional else str, "a string")


def demand_int(name: str, value: Any) -> None:
    """Raise TypeError for anything but an integer, which may be one of NumPy."""
    _demand(name, value, Integral, "an integer")


def demand_number(name: str, value: Any) -> None:
    """Raise TypeError for anything but a number or None."""
    _demand(name, value, Real | None, "a number")


def by_name(name: str, value: Any) -> Mapping[str, Any]:
    """Return a mapping from strings; an empty one for None."""
    _demand(name, value, Mapping | None, "a mapping from names")
    for key in value or {}:
        _demand(f"a name in '{name}'", key, str, "a string")
    return value or {}


def _demand(name: str, value: Any, kinds: Any, what: str) -> None:
    if not isinstance(value, kinds):
        shown = f"'{name}'" if name.isidentifier() else name
        raise TypeError(f"{shown} must be {what}, not {value!r:.40} of the type '{type(value).__name__}'")
