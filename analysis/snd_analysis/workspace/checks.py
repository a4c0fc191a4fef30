"""What is wrong with each definition by its own text and the signatures of others."""

from __future__ import annotations

from collections.abc import Callable

from snd_analysis import rules
from snd_analysis.base.problem import Problem
from snd_analysis.skriptnd.check import check_definition, type_definition
from snd_analysis.skriptnd.names import Environment, OperatorName, candidates, is_library, with_import
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types import Context, LastingTypes, Others, Signature
from snd_analysis.workspace.files import Origin
from snd_analysis.workspace.known import Known
from snd_analysis.workspace.names import Names
from snd_analysis.workspace.others import AskedOthers

# Definitions whose types are kept for questions about their expressions.
_MOST_TYPINGS = 32


class Checks(Names):
    """Checks and types of definitions."""

    def __init__(self, origin: Origin, known: Known, checkpoint: Callable[[], None] = lambda: None) -> None:
        super().__init__(origin, known, checkpoint)
        self._checked: dict[tuple[str, nodes.Definition], tuple[Problem, ...]] = {}

    def _check(self, path: str, definition: nodes.Definition, syntax_is_right: bool) -> tuple[Problem, ...]:
        key = path, definition
        if key not in self._checked:
            self._checked[key] = self._find_problems(path, definition, syntax_is_right)
        return self._checked[key]

    def _find_problems(self, path: str, definition: nodes.Definition, syntax_is_right: bool) -> tuple[Problem, ...]:
        environment = self.environment(path)
        known = self._known.checks.get((path, definition))
        if known is not None and known[0] is environment and known[1].unchanged(self):
            return known[2]
        others = AskedOthers(self, path)
        resolution = self.resolution(path, definition)
        types = self._lasting_types(path, definition)
        problems, context = check_definition(definition, resolution, others, syntax_is_right, types)
        others.close()
        if types is not None:
            types.forget(resolution)
            self._remember(path, definition, (environment, others, context))
        self._known.checks[path, definition] = (environment, others, problems)
        return problems

    def _lasting_types(self, path: str, definition: nodes.Definition) -> LastingTypes | None:
        lasting = self._known.lasting_of(path, definition)
        return None if lasting is None else lasting.types

    def typing(self, path: str, definition: nodes.Definition) -> Context:
        """What is known of types in a definition; in a long one not of all expressions, see ``expression_types``."""
        environment, typings = self.environment(path), self._known.typings
        known = typings.get((path, definition))
        if known is None or known[0] is not environment or not known[1].unchanged(self):
            others = AskedOthers(self, path)
            types = self._lasting_types(path, definition)
            known = environment, others, type_definition(definition, self.resolution(path, definition), others, types)
            others.close()
            self._remember(path, definition, known)
        return known[2]

    def _remember(
        self, path: str, definition: nodes.Definition, known: tuple[Environment, AskedOthers, Context]
    ) -> None:
        typings = self._known.typings
        if len(typings) >= _MOST_TYPINGS:
            del typings[next(iter(typings))]
        typings[path, definition] = known

    def _importable(self, path: str, problem: Problem) -> Problem:
        """A problem, with the import that mends it if that is all that is missing."""
        if problem.rule != rules.UNKNOWN_MODULE or problem.repair is not None:
            return problem
        module = self.source(path).text[problem.span.start : problem.span.end]
        found = next(candidates(module, path, self.exists, self.module_paths), path)
        return problem if found == path or is_library(found) else with_import(problem, module)

    def others(self, path: str) -> Others:
        """The other definitions as the definitions of a file see them."""
        return AskedOthers(self, path)

    def signature(self, name: OperatorName) -> Signature | None:
        """What a definition says to whoever invokes it; None if there is none, or its declarations are broken."""
        return AskedOthers(self, name.path).signature(name)

    def _check_chosen(self, path: str, definition: nodes.Definition, syntax_is_right: bool) -> tuple[Problem, ...]:
        """What is wrong with a graph as a main graph."""
        others = AskedOthers(self, path, definition)
        return check_definition(definition, self.resolution(path, definition), others, syntax_is_right)[0]
