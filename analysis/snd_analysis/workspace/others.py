"""What a definition asks about others, with what was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from snd_analysis.skriptnd.names import OperatorName, Resolution
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types import Signature, fingerprint, read_signature

if TYPE_CHECKING:
    from snd_analysis.workspace.names import Names

_signatures: WeakKeyDictionary[Resolution, Signature | None] = WeakKeyDictionary()


class AskedOthers:
    """What a check asks about other definitions. It remembers what it was told, so that the answer of the check can be
    used again as long as nothing of that changed."""

    def __init__(self, snapshot: Names, path: str, chosen: nodes.Definition | None = None) -> None:
        """``chosen`` is a graph that is to be processed, whether or not it would be the main one by itself."""
        self._snapshot: Names | None = snapshot
        self._chosen = chosen
        self._path = path
        self._asked: dict[OperatorName, nodes.Definition | None] = {}
        self._bodies: dict[OperatorName, nodes.Definition | None] = {}
        self._invoked: dict[OperatorName, tuple[OperatorName, ...]] = {}
        self._recursive: dict[OperatorName, bool] = {}
        self._main: dict[nodes.Definition, bool] = {}
        self._positions: dict[OperatorName, int] = {}

    @property
    def _state(self) -> Names:
        assert self._snapshot is not None
        return self._snapshot

    def checkpoint(self) -> None:
        """Is called between statements: what it raises ends the question."""
        self._state.checkpoint()

    def signature(self, name: OperatorName) -> Signature | None:
        """Return the signature of an operator or graph; None if there is none, or its declarations are broken."""
        definition = self._declared(name)
        if definition is None:
            return None
        resolution = self._state.resolution(name.path, definition)
        if resolution not in _signatures:
            _signatures[resolution] = read_signature(definition, resolution, self)
        return _signatures[resolution]

    def _declared(self, name: OperatorName) -> nodes.Definition | None:
        if name not in self._asked:
            self._asked[name] = self._state.definition(name)
        return self._asked[name]

    def definition(self, name: OperatorName) -> nodes.Definition | None:
        """Return the definition that a name stands for, with its body."""
        self._bodies[name] = definition = self._declared(name)
        return definition

    def resolution(self, name: OperatorName) -> Resolution | None:
        """Return what the names in a definition stand for."""
        definition = self.definition(name)
        return None if definition is None else self._state.resolution(name.path, definition)

    def invoked(self, name: OperatorName) -> tuple[OperatorName, ...]:
        """Return the operators that a definition invokes, each once."""
        if name not in self._invoked:
            self._invoked[name] = self._state.invoked(name)
        return self._invoked[name]

    def is_graph(self, name: OperatorName) -> bool:
        """Return whether a name stands for a graph."""
        definition = self._declared(name)
        return definition is not None and definition.kind == "graph"

    def is_recursive(self, name: OperatorName) -> bool:
        """Return whether a definition invokes itself, directly or through others."""
        if name not in self._recursive:
            self._recursive[name] = self._state.is_recursive(name)
        return self._recursive[name]

    def own(self, definition: nodes.Definition) -> OperatorName | None:
        """Return the name by which others know a definition of this file; None if an earlier one of it bears it."""
        name = OperatorName(self._path, definition.name.text)
        return name if self._declared(name) is definition else None

    def position(self, name: OperatorName) -> int:
        """Return how many definitions of its file stand before a definition."""
        if name not in self._positions:
            self._positions[name] = _position(self._state, name)
        return self._positions[name]

    def is_main_graph(self, definition: nodes.Definition) -> bool:
        """Return whether a graph of this file could be processed for itself: whether no other one invokes it."""
        if definition is self._chosen:
            return True
        if definition not in self._main:
            self._main[definition] = definition in main_graphs(self._state, self._path)
        return self._main[definition]

    def close(self) -> None:
        """Lets go of the snapshot."""
        self._snapshot = None

    def unchanged(self, snapshot: Names) -> bool:
        """Whether ``snapshot`` would give the same answers."""
        # This is asked of every definition after every edit.
        for name, known in self._asked.items():
            now = snapshot.definition(name)
            if now is not known and not _same_signature(now, known):
                return False
        if not (self._bodies or self._recursive or self._invoked or self._positions or self._main):
            return True
        return (
            all(snapshot.definition(name) is known for name, known in self._bodies.items())
            and all(snapshot.is_recursive(name) == known for name, known in self._recursive.items())
            and all(snapshot.invoked(name) == known for name, known in self._invoked.items())
            and all(_position(snapshot, name) == known for name, known in self._positions.items())
            and self._main_unchanged(snapshot)
        )

    def _main_unchanged(self, snapshot: Names) -> bool:
        if not self._main:
            return True
        main = main_graphs(snapshot, self._path)
        return all((definition in main) == answer for definition, answer in self._main.items())


def _same_signature(now: nodes.Definition | None, known: nodes.Definition | None) -> bool:
    return now is not None and known is not None and fingerprint(now) == fingerprint(known)


def _position(snapshot: Names, name: OperatorName) -> int:
    names = list(snapshot.definitions(name.path))
    return names.index(name.name) if name.name in names else len(names)


def main_graphs(snapshot: Names, path: str) -> tuple[nodes.Definition, ...]:
    """Return the graphs of a file that no other definition of it invokes; the first is the one to be processed (2.15).

    A graph that is invoked is a part of another one. If every graph is, the first is taken.
    """
    definitions = [each for _, each in snapshot.tree(path).definitions]
    graphs = [each for each in definitions if each.kind == "graph"]
    if len(graphs) < 2:
        return tuple(graphs)
    invoked = {
        target.name
        for each in definitions
        for target in snapshot.resolution(path, each).invoked
        if target.path == path and target.name != each.name.text
    }
    return tuple(each for each in graphs if each.name.text not in invoked) or (graphs[0],)
