"""Answers to queries of the typing about other definitions. Database queries answer them, so each is recorded."""

from __future__ import annotations

from snd_analysis.db import Database, query
from snd_analysis.skriptnd.names import OperatorName, Resolution
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types import Signature, fingerprint, read_signature
from snd_analysis.workspace.names import definition, invoked, is_main_graph, is_recursive, position, resolution


class OtherDefinitions:
    """The other definitions as one file sees them, until closed."""

    __slots__ = ("_chosen", "_db", "_path")

    def __init__(self, db: Database, path: str, chosen: nodes.Definition | None = None) -> None:
        """Create the answers for a file.

        ``chosen`` is a graph to process even if it is not the main graph by default.
        """
        self._db: Database | None = db
        self._path = path
        self._chosen = chosen

    @property
    def _open(self) -> Database:
        assert self._db is not None, "what was found out is kept, who was asked is not"
        return self._db

    def close(self) -> None:
        """Forget the revision."""
        self._db = None

    def signature(self, name: OperatorName) -> Signature | None:
        """Return the signature of an operator or graph; None if there is none, or its declarations are broken."""
        return signature(self._open, name)

    def definition(self, name: OperatorName) -> nodes.Definition | None:
        """Return the definition of a name, with its body."""
        return definition(self._open, name)

    def resolution(self, name: OperatorName) -> Resolution | None:
        """Return the resolution of the names in a definition."""
        found = definition(self._open, name)
        return None if found is None else resolution(self._open, name.path, found)

    def invoked(self, name: OperatorName) -> tuple[OperatorName, ...]:
        """Return the operators that a definition invokes, each once."""
        return invoked(self._open, name)

    def is_graph(self, name: OperatorName) -> bool:
        """Return whether a name refers to a graph."""
        found = declared(self._open, name)
        return found is not None and found.kind == "graph"

    def is_recursive(self, name: OperatorName) -> bool:
        """Return whether a definition invokes itself, directly or through others."""
        return is_recursive(self._open, name)

    def own(self, definition_: nodes.Definition) -> OperatorName | None:
        """Return the name by which others know a definition of this file; None if an earlier one of it bears it."""
        name = OperatorName(self._path, definition_.name.text)
        return name if definition(self._open, name) is definition_ else None

    def position(self, name: OperatorName) -> int:
        """Return how many definitions of its file stand before a definition."""
        return position(self._open, name)

    def is_main_graph(self, definition_: nodes.Definition) -> bool:
        """Return whether a graph of this file could be processed for itself: whether no other one invokes it."""
        return definition_ is self._chosen or is_main_graph(self._open, self._path, definition_)


def _declare_the_same(one: nodes.Definition | None, other: nodes.Definition | None) -> bool:
    return one is not None and other is not None and fingerprint(one) == fingerprint(other)


@query(same=_declare_the_same, is_firewall=True)
def declared(db: Database, name: OperatorName) -> nodes.Definition | None:
    """Return a definition with the declarations of the definition of that name; its body may be older."""
    return definition(db, name)


@query
def signature(db: Database, name: OperatorName) -> Signature | None:
    """Return the signature of a definition; places in it may be those of an older version."""
    found = declared(db, name)
    return None if found is None else _read(db, name, found)


def present_signature(db: Database, name: OperatorName) -> Signature | None:
    """Return the same with the places that it has now."""
    found = definition(db, name)
    return None if found is None else _read(db, name, found)


@query
def _read(db: Database, name: OperatorName, found: nodes.Definition) -> Signature | None:
    others = OtherDefinitions(db, name.path)
    read = read_signature(found, resolution(db, name.path, found), others)
    others.close()
    return read
