"""Subjects that names refer to."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Fragment(Struct, frozen=True):
    """A fragment of the file, or its graph."""

    name: str


class OperationSubject(Struct, frozen=True):
    """An operation, or a built-in function."""

    name: str


class ParameterSubject(Struct, frozen=True):
    """A parameter of an operation, by its name."""

    operation: str
    name: str


class LocalSubject(Struct, frozen=True):
    """A name of one body: a parameter, a result, or an assigned name.

    All assignments of one name in one body are one subject. A variable of a comprehension is a subject of its own.
    """

    definition: str
    name: str
    comprehension: int | None = None
    """Offset of the comprehension in the file, for a name that is local to it."""


class SymbolSubject(Struct, frozen=True):
    """An extent that is not known: of an ``extension tract_symbol``, or first named in the shape of an input."""

    name: str


Nnef1Subject: TypeAlias = "Fragment | OperationSubject | ParameterSubject | LocalSubject | SymbolSubject"
