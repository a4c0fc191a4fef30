"""All checks of one definition, in the order of the flow: structure, names, types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snd_analysis.diagnostics import Severity
from snd_analysis.names.resolution import Resolution
from snd_analysis.names.symbols import OperatorName
from snd_analysis.names.unused import unused_problems
from snd_analysis.rules.catalogue import severity_of
from snd_analysis.rules.structure import check_structure
from snd_analysis.syntax import nodes
from snd_analysis.syntax.problem import Problem

if TYPE_CHECKING:
    from snd_analysis.workspace import Snapshot


class Facts:
    """What a check asks about other definitions. It remembers what it was told, so that the answer of the check can be
    used again as long as nothing of that changed."""

    def __init__(self, snapshot: Snapshot, path: str) -> None:
        self._snapshot: Snapshot | None = snapshot
        self._path = path
        self._asked: dict[OperatorName, nodes.Definition | None] = {}

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
        return definition and self._snapshot.resolution(name.path, definition)

    def close(self) -> None:
        """Lets go of the snapshot."""
        self._snapshot = None

    def unchanged(self, snapshot: Snapshot) -> bool:
        """Whether ``snapshot`` would give the same answers."""
        return all(snapshot.definition(name) is definition for name, definition in self._asked.items())


def check_definition(
    definition: nodes.Definition, resolution: Resolution, facts: Facts, syntax_is_right: bool
) -> tuple[Problem, ...]:
    """Everything that is wrong with a definition but its syntax. Spans count from the start of the chunk."""
    problems = [*check_structure(definition), *resolution.problems]
    facts.close()
    if syntax_is_right and not any(severity_of(problem.rule) is Severity.ERROR for problem in problems):
        problems.extend(unused_problems(definition, resolution.symbols, resolution.uses))
    return tuple(problems)
