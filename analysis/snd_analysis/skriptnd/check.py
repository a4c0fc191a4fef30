"""All checks of one definition, in the order of the flow: structure, names, types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.base.diagnostics import Severity
from snd_analysis.base.problem import Problem
from snd_analysis.skriptnd.lints.catalogue import severity_of
from snd_analysis.skriptnd.lints.structure import check_structure
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.names.symbols import OperatorName
from snd_analysis.skriptnd.names.unused import unused_problems
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.compose import check_compose
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.declarations import declare
from snd_analysis.skriptnd.types.lasting import LastingTypes
from snd_analysis.skriptnd.types.lowering import check_lowering
from snd_analysis.skriptnd.types.precedence import check_precedence
from snd_analysis.skriptnd.types.signature import fingerprint, learn_signature

if TYPE_CHECKING:
    from snd_analysis.workspace.names import Names


class Facts:
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

    def checkpoint(self) -> None:
        """Is called between statements: what it raises ends the question."""
        assert self._snapshot is not None
        self._snapshot.checkpoint()

    def definition(self, name: OperatorName) -> nodes.Definition | None:
        """The definition that a name stands for."""
        assert self._snapshot is not None
        if name not in self._asked:
            self._asked[name] = self._snapshot.definition(name)
        return self._asked[name]

    def resolution(self, name: OperatorName) -> Resolution | None:
        """What the names in another definition stand for."""
        assert self._snapshot is not None
        definition = self.definition(name)
        return None if definition is None else self._snapshot.resolution(name.path, definition)

    def body(self, name: OperatorName) -> nodes.Definition | None:
        """Like ``definition``, for who looks beyond the signature: the answer counts as changed by any edit of it."""
        definition = self.definition(name)
        self._bodies[name] = definition
        return definition

    def invoked(self, name: OperatorName) -> tuple[OperatorName, ...]:
        """The operators that another definition invokes, each once."""
        assert self._snapshot is not None
        if name not in self._invoked:
            self._invoked[name] = self._snapshot.invoked(name)
        return self._invoked[name]

    def is_recursive(self, name: OperatorName) -> bool:
        """Whether a definition invokes itself, directly or through others."""
        assert self._snapshot is not None
        if name not in self._recursive:
            self._recursive[name] = self._snapshot.is_recursive(name)
        return self._recursive[name]

    def own(self, definition: nodes.Definition) -> OperatorName | None:
        """The name by which others know a definition of the file at hand; None if an earlier one of it bears it."""
        name = OperatorName(self._path, definition.name.text)
        return name if self.definition(name) is definition else None

    def position(self, name: OperatorName) -> int:
        """How many definitions of its file stand before a definition."""
        assert self._snapshot is not None
        if name not in self._positions:
            self._positions[name] = _position(self._snapshot, name)
        return self._positions[name]

    def is_main_graph(self, definition: nodes.Definition) -> bool:
        """Whether a graph of the file at hand is one that could be processed for itself, see ``main_graphs``."""
        assert self._snapshot is not None
        if definition is self._chosen:
            return True
        if definition not in self._main:
            self._main[definition] = definition in main_graphs(self._snapshot, self._path)
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
    """The graphs of a file that no other definition of it invokes; the first is the one to be processed (2.15).

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


def type_definition(
    definition: nodes.Definition, resolution: Resolution, facts: Facts, lasting: LastingTypes | None = None
) -> Context:
    """The types of a definition. Of statements that ``lasting`` knows, those of their expressions are left out."""
    context = Context(definition, resolution, facts)
    declare(context, None if lasting is None else lasting.declared)
    learn_signature(context)
    check_lowering(context)
    check_compose(context, None if lasting is None else lasting.statements)
    return context


def check_definition(
    definition: nodes.Definition,
    resolution: Resolution,
    facts: Facts,
    syntax_is_right: bool,
    lasting: LastingTypes | None = None,
) -> tuple[tuple[Problem, ...], Context]:
    """Everything that is wrong with a definition but its syntax, and its types. Spans count from the chunk's start.

    ``lasting`` is what may be used of an earlier version, and learns what may be used next.
    """
    context = type_definition(definition, resolution, facts, lasting)
    found = [*check_structure(definition), *context.problems, *check_precedence(resolution)]
    problems = [*resolution.problems, *(problem for problem in found if resolution.is_clear(problem.span))]
    facts.close()
    if syntax_is_right and not any(severity_of(problem.rule) is Severity.ERROR for problem in problems):
        problems.extend(unused_problems(resolution))
    return tuple(problems), context
