"""Names of definitions across files."""

from __future__ import annotations

from msgspec import Struct


class OperatorName(Struct, frozen=True):
    """An operator or graph by its module's path and its name; an unknown one resolves to nothing instead."""

    path: str
    name: str

    @property
    def shown(self) -> str:
        """Return the written name: a definition made for one invocation has the name of the invoked one."""
        return shown_name(self.name)


MADE_FOR = " >>> "
"""Separator of fragment name and invocation, in the names of graphs made for an invocation in a sample."""


def shown_name(name: str) -> str:
    """Return the name of a definition as it is written."""
    return name.partition(MADE_FOR)[0]
