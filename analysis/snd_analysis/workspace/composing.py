"""Definitions as they are composed, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping

from snd_analysis import rules
from snd_analysis.base.problem import Problem
from snd_analysis.base.rule import Rule, Severity
from snd_analysis.base.text import Span
from snd_analysis.compose.bind.root import InputShapes
from snd_analysis.compose.entry import Composition, compose_graph
from snd_analysis.compose.failure import Failure, PlacedProblem, placed_problems
from snd_analysis.compose.reuse import LastingModel
from snd_analysis.compose.root import compose_root, warnings_of_root
from snd_analysis.compose.session import Reached, Session
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.specializations import Specializations
from snd_analysis.compose.template import Template
from snd_analysis.skriptnd.names import OperatorName, is_library, library_original
from snd_analysis.symbolic.values import Value
from snd_analysis.workspace.checks import Checks
from snd_analysis.workspace.files import Origin
from snd_analysis.workspace.known import Composed, Known


class Composing(Checks):
    """Compositions by the names of definitions."""

    def __init__(self, origin: Origin, known: Known, checkpoint: Callable[[], None] = lambda: None) -> None:
        super().__init__(origin, known, checkpoint)
        self._templates: dict[OperatorName, Template | None] = {}
        self._reached = Reached()

    def session(self) -> Session:
        """The composing of graphs in this state of the files."""
        return Session(self, True, self._reached, self.checkpoint, self._lasting_model)

    def _lasting_model(self, template: Template, given: Hashable) -> LastingModel | None:
        lasting = self._known.lasting_of(template.name.path, template.definition)
        return None if lasting is None else lasting.model_given(given)

    def template(self, name: OperatorName) -> Template | None:
        """A definition, ready to be composed: the same object as long as its text, its names and its mistakes are."""
        if name not in self._templates:
            self._templates[name] = self._find_template(name)
        return self._templates[name]

    def _find_template(self, name: OperatorName) -> Template | None:
        found = self.definitions(name.path).get(name.name)
        if found is None:
            return None
        definition, chunk = found.definition, found.chunk
        resolution = self.resolution(name.path, definition)
        errors: tuple[Span, ...] = ()
        if not is_library(name.path):
            problems = (*chunk.problems, *self._check(name.path, definition, not chunk.problems))
            wrong = (each.span for each in problems if each.rule.severity is Severity.ERROR)
            errors = (*wrong, *resolution.unclear)
        known = self._known.templates.get((name.path, definition))
        if known is None or known.resolution is not resolution or known.errors != errors:
            module = library_original(name.path, chunk.text[definition.start : definition.end])
            original = OperatorName(module, name.name) if module else None
            before = self._known.declarations.get(name) if known is None else self._known.leave(known)
            known = Template(name, definition, resolution, errors, original)
            self._known.templates[name.path, definition] = known
            self._known.specializations[known] = Specializations(known, before)
        return known

    def specializations(self, template: Template) -> Specializations | None:
        """What is composed of a definition already."""
        return self._known.specializations.get(template)

    def compose(
        self,
        name: OperatorName,
        attributes: Mapping[str, Value] | None = None,
        dtypes: Mapping[str, str] | None = None,
        inputs: Mapping[str, InputShapes] | None = None,
    ) -> Composition:
        """A graph composed with these attributes, generic types and shapes of inputs, else as declared (chapter 3)."""
        return compose_graph(self, name, attributes, dtypes, inputs)

    def specialization(self, name: OperatorName) -> Specialization | None:
        """A graph composed with its defaults, or an operator composed by itself, for any invocation."""
        known = self._composed_by_itself(name)
        return None if known is None else known.specialization

    def failures(self, name: OperatorName) -> tuple[Failure, ...]:
        """What is wrong with a graph composed with its defaults, or an operator composed by itself."""
        known = self._composed_by_itself(name)
        if known is None:
            return ()
        if known.failures is None:
            found = known.specialization
            warnings = warnings_of_root(self._session_of(found.template), found, {}, {})
            known.failures = (*found.failures, *warnings)
        return known.failures

    def _composed(self, name: OperatorName) -> list[PlacedProblem]:
        return [] if is_library(name.path) else placed_problems(self.failures(name), name.path)

    def _session_of(self, template: Template) -> Session:
        """The composing of a definition by itself."""
        return Session(self, template.is_graph, self._reached, self.checkpoint)

    def _composed_by_itself(self, name: OperatorName) -> Composed | None:
        template = self.template(name)
        if template is None:
            return None
        session = self._session_of(template)
        reached = session.reached(template)
        known = self._known.composed.get((name.path, template.definition))
        if known is None or known.reached != reached:
            lasting = self._known.lasting_of(name.path, template.definition)
            model = None if lasting is None else lasting.model
            specialization = compose_root(session, template, {}, {}, lasting=model)
            if model is not None:
                model.forget(template.resolution)
            known = Composed(reached, specialization)
            self._known.composed[name.path, template.definition] = known
        return known

    # ---- problems ----------------------------------------------------------------------------------------------------
    def composing_problems(self, path: str, composition: Composition) -> list[Problem]:
        """What is wrong with a composed graph, in the file that it is from."""
        return self._in_file(path, placed_problems(composition.failures, path))

    def definition_problems(self, name: OperatorName, chosen: bool = False) -> list[Problem]:
        """What is wrong with one definition: its syntax, its names and types; of an operator, what it is composed of.

        A graph that is ``chosen`` is judged as a main graph.
        """
        path = name.path
        found = self.definitions(path).get(name.name)
        if found is None:
            return []
        definition, is_right = found.definition, not found.chunk.problems
        checked = self._check_chosen(path, definition, is_right) if chosen else self._check(path, definition, is_right)
        problems = [problem.shifted(found.start) for problem in (*found.chunk.problems, *checked)]
        if definition.kind == "operator":
            problems += self._in_file(path, self._composed(name))
        return [self._importable(path, problem) for problem in problems]

    def _composing_problems(self, path: str) -> list[Problem]:
        """What fails in the graphs of a file, composed with their defaults, and in its operators by themselves."""
        found: dict[tuple[Rule, Span, str], Problem] = {}
        definitions = self.definitions(path)
        # A mistake that shows with the shapes of a graph is told by them.
        for name in sorted(definitions, key=lambda each: definitions[each].definition.kind):
            self.checkpoint()
            for placed in self._composed(OperatorName(path, name)):
                if placed.definition in definitions:
                    problem = placed.problem.shifted(definitions[placed.definition].start)
                    found.setdefault((problem.rule, problem.span, placed.definition), problem)
        too_large = {definition for rule, _, definition in found if rule == rules.VALUE_TOO_LARGE}
        following = {definition for definition in too_large if self._reaches_one_of(path, definition, too_large)}
        return [
            problem
            for (rule, _, definition), problem in found.items()
            if rule != rules.VALUE_TOO_LARGE or definition not in following
        ]

    def _reaches_one_of(self, path: str, definition: str, others: Collection[str]) -> bool:
        """Whether a definition invokes one of others: what is too large in these makes what is made of them so."""
        template = self.template(OperatorName(path, definition))
        if template is None:
            return False
        reached = self._session_of(template).reached(template)
        return any(each is not template and each.name.path == path and each.name.name in others for each in reached)

    def _in_file(self, path: str, found: Iterable[PlacedProblem]) -> list[Problem]:
        definitions = self.definitions(path)
        return [
            placed.problem.shifted(definitions[placed.definition].start)
            for placed in found
            if placed.definition in definitions
        ]
