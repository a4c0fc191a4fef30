"""How definitions are named across files."""

from __future__ import annotations

from msgspec import Struct


class OperatorName(Struct, frozen=True):
    """An operator or graph by its module's path and its name; an unknown one resolves to nothing instead."""

    path: str
    name: str
