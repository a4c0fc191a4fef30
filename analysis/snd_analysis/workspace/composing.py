"""Composed definitions, and the problems of composing them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from functools import cached_property
from itertools import zip_longest

from msgspec import Struct

from snd_analysis import formats, rules
from snd_analysis.base import Problem, Rule, Span
from snd_analysis.compose import (
    MOST_STEPS_OF_FILE,
    Failure,
    FileBudget,
    LastingModel,
    PlacedProblem,
    Reach,
    Session,
    Specialization,
    Specializations,
    Template,
    UnstatedEquality,
    compose_root,
    errors_by_omission,
    failing_known_elements,
    invoking_over_budget,
    misaligned_biases,
    open_inputs,
    placed_problems,
    reach_of,
    reach_of_cycle,
    unstated_equalities,
    warnings_of_root,
)
from snd_analysis.db import Database, incremental, query
from snd_analysis.skriptnd.names import OperatorName, is_library, library_original
from snd_analysis.workspace.checks import checked, errors, importable
from snd_analysis.workspace.files import front_end_of, project_settings
from snd_analysis.workspace.names import (
    chunk,
    definition,
    definitions,
    earlier,
    groups,
    imports,
    invoked,
    invoked_in_file,
    is_recursive,
    resolution,
)

_FEW_LEVELS = 16


@query
def template(db: Database, name: OperatorName) -> Template | None:
    """Return a definition, ready to be composed: the same object as long as its text, names and mistakes are."""
    found, around = definition(db, name), chunk(db, name)
    if found is None or around is None:
        return None
    module = library_original(name.path, around.text[found.start : found.end])
    original = OperatorName(module, name.name) if module else None
    front_end = front_end_of(name.path)
    origins = None if front_end is None else front_end.origins(db, name)
    extents = None if front_end is None else front_end.extents(db, name)
    return Template(name, found, resolution(db, name.path, found), errors(db, name), original, origins, extents)


@incremental
def _specializations(db: Database, before: Specializations | None, name: OperatorName) -> Specializations | None:
    found = template(db, name)
    return None if found is None else Specializations(found, None if before is None else before.declarations)


@query
def reach(db: Database, name: OperatorName) -> Reach:
    """Return the definitions that a definition invokes, directly or through others."""
    found = template(db, name)
    if found is None:
        return Reach(frozenset(), 0)
    if not found.in_library and is_recursive(db, name):
        return reach_of_cycle(found, lambda other: template(db, other))
    return reach_of(found, lambda other: template(db, other), lambda other: reach(db, other))


def find_reach(db: Database, path: str) -> None:
    """Compute the reach of the definitions of a file, each after its invocations, if chains are long.

    Call this outside queries: chains of thousands of definitions would otherwise be walked by recursion.
    """
    for name in _long_chains(db, path):
        reach(db, name)


@query
def _long_chains(db: Database, path: str) -> tuple[OperatorName, ...]:
    """Return the definitions of a file, each after its invocations; empty if no chain is long."""
    levels: dict[OperatorName, int] = {}
    known = invoked_in_file(db, path)
    seen: set[OperatorName] = set()
    pending = [(name, False) for name in known]
    while pending:
        name, is_last = pending.pop()
        if is_library(name.path):
            continue
        following = known[name] if name in known else invoked(db, name)
        if is_last:
            levels[name] = 1 + max((levels.get(other, 0) for other in following), default=0)
        elif name not in seen:
            seen.add(name)
            pending.append((name, True))
            pending.extend((other, False) for other in following if other not in seen)
    return (*levels,) if max(levels.values(), default=0) > _FEW_LEVELS else ()


class ComposedDefinitions:
    """The source of definitions for composing, in one revision."""

    __slots__ = ("_db",)

    def __init__(self, db: Database) -> None:
        self._db = db

    def template(self, name: OperatorName) -> Template | None:
        """Return the definition of that name, ready to be composed."""
        return template(self._db, name)

    def reach(self, name: OperatorName) -> Reach:
        """Return the definitions that a definition invokes, directly or through others."""
        return reach(self._db, name)

    def specializations(self, template: Template) -> Specializations | None:
        """Return the specializations of a definition; None for a definition that was made for a sample."""
        known = _specializations(self._db, template.name)
        return known if known is not None and known.template is template else None

    def lasting(self, of: Template, given: Hashable) -> LastingModel | None:
        """Return reusable results of an earlier version of a graph with the same arguments."""
        before = earlier(self._db, of.name.path, of.definition)
        return None if before is None else before.model_given(given)


def session(db: Database, composing: bool = True) -> Session:
    """Return the composing of graphs, or of operators by themselves, in one revision."""
    found = ComposedDefinitions(db)
    return Session(found, composing, found.lasting)


def _session_of(db: Database, found: Template) -> Session:
    """Return the composing of a definition by itself."""
    return Session(ComposedDefinitions(db), found.is_graph)


@query
def specialization(db: Database, name: OperatorName) -> Specialization | None:
    """Return a graph composed with its defaults, or an operator composed by itself, for any invocation."""
    found = template(db, name)
    if found is None:
        return None
    before = earlier(db, name.path, found.definition)
    model = None if before is None else before.model
    reached = reach(db, name)
    if not reached.has_too_many_levels and not is_recursive(db, name):
        for other in found.invoked:
            too_large = None if is_library(other.path) else _too_large(db, other)
            if too_large is not None:  # so is this, and finding that out would take as long for each level
                return invoking_over_budget(found, too_large)
    composed = compose_root(_session_of(db, found), found, {}, {}, lasting=model)
    if model is not None:
        model.forget(found.resolution)
    return composed


@query
def _too_large(db: Database, name: OperatorName) -> Specialization | None:
    """Return an operator by itself, if composing it takes more than it may."""
    composed = specialization(db, name)
    return composed if composed is not None and composed.over_budget else None


@query
def failures(db: Database, name: OperatorName) -> tuple[Failure, ...]:
    """Return the failures of a graph composed with its defaults, or of an operator composed by itself."""
    return (*_certain_failures(db, name), *_counterexamples(db, name))


@query
def _certain_failures(db: Database, name: OperatorName) -> tuple[Failure, ...]:
    composed = specialization(db, name)
    if composed is None:
        return ()
    found = (*composed.failures, *failing_known_elements(composed), *misaligned_biases(composed))
    known = ranges(db, name)
    profile = project_settings(db).tosa_profile
    if profile is not None and composed.template.is_graph and composed.valid:
        module = next((each.node.text for each in imports(db, name.path) if each.path == formats.TOSA), None)
        found = (*found, *formats.profile_failures(composed, profile, module))
    return found if known is None else (*found, *known.failures)


@query
def ranges(db: Database, name: OperatorName) -> formats.Ranges | None:
    """Return the ranges of the int tensors of a graph; None if no operator of it gives them any."""
    composed = specialization(db, name)
    if composed is None or not composed.template.is_graph or not composed.valid:
        return None
    return formats.ranges_of(composed) if formats.has_ranges(reach(db, name).templates) else None


@query
def _counterexamples(db: Database, name: OperatorName) -> tuple[Failure, ...]:
    composed = specialization(db, name)
    if composed is None:
        return ()
    own = _session_of(db, composed.template)
    return (*warnings_of_root(own, composed, {}, {}), *errors_by_omission(own, composed))


def needs_counterexamples(db: Database, path: str) -> bool:
    """Return whether counterexamples are needed to find the problems of some graph in a file."""
    for _, composed in _composed(db, path, FileBudget()):  # graphs first
        if composed is not None and not composed.template.is_graph:
            break
        if composed is not None and (composed.obligations or composed.invokes_obligations or open_inputs(composed)):
            return True
    return False


class ComposedDefinition(Struct, frozen=True, dict=True):
    """A definition composed by itself, and its problems."""

    specialization: Specialization | None = None
    problems: tuple[PlacedProblem, ...] = ()

    @cached_property
    def unstated(self) -> tuple[UnstatedEquality, ...]:
        """The equalities that it needs and does not state."""
        whole = self.specialization
        can_run = whole is not None and whole.body is not None and whole.valid
        return (*unstated_equalities(whole),) if whole is not None and can_run else ()


@query
def composed_definition(db: Database, name: OperatorName, with_counterexamples: bool) -> ComposedDefinition:
    """Return a definition composed by itself, with its problems: one cached answer for diagnostics."""
    if is_library(name.path):
        return ComposedDefinition()
    found = _failures(db, name, with_counterexamples)
    problems = problems_of_failures(db, found, name.path, with_counterexamples)
    return ComposedDefinition(specialization(db, name), tuple(problems))


def _failures(db: Database, name: OperatorName, with_counterexamples: bool) -> tuple[Failure, ...]:
    return failures(db, name) if with_counterexamples else _certain_failures(db, name)


def problems_of_failures(
    db: Database, found: Iterable[Failure], path: str, with_counterexamples: bool = True
) -> list[PlacedProblem]:
    """Return failures as problems of one file, each mistake once.

    A mistake in an imported operator is reported in the file of the operator. A failure there that occurs only for some
    invocations of other files is reported at the first of them.
    """
    kept: dict[Hashable, Failure] = {}
    for failure in found:
        innermost = failure.sites[0].place if failure.sites else None
        if innermost is None or innermost.path == path or is_library(innermost.path):
            kept[failure] = failure
        elif (failure.rule, innermost.definition, innermost.span) not in _failing_places(
            db, innermost.path, with_counterexamples
        ):
            kept.setdefault((failure.rule, innermost.path, innermost.definition, innermost.span), failure)
    return placed_problems(kept.values(), path)


@query
def _failing_places(db: Database, path: str, with_counterexamples: bool) -> frozenset[tuple[Rule, str, Span]]:
    """Return the failing places in the definitions of a file, ignoring callers in other files."""
    names = _composed(db, path, FileBudget())
    found = (failure for name, _ in names for failure in _failures(db, name, with_counterexamples))
    innermost = ((failure.rule, failure.sites[0].place) for failure in found if failure.sites)
    return frozenset((rule, at.definition, at.span) for rule, at in innermost if at.path == path)


def _composed(db: Database, path: str, budget: FileBudget) -> Iterator[tuple[OperatorName, Specialization | None]]:
    """Yield the composed definitions of a file as long as the budget allows."""
    for name in _in_order(db, path):
        if budget.is_spent:
            break
        composed = None if is_library(path) else specialization(db, name)
        yield name, composed
        if composed is not None:
            budget.count(composed)


def _in_order(db: Database, path: str) -> list[OperatorName]:
    """Return the definitions of a file, graphs first: they report mistakes that show with their shapes."""
    names = definitions(db, path)
    return [OperatorName(path, name) for name in sorted(names, key=lambda each: names[each].definition.kind)]


def beyond_budget(span: Span) -> Problem:
    """Return the problem that a definition or a sample is not composed, since earlier ones took too many steps."""
    message = (
        f"composing the graphs, the operators and then the samples of this file takes more than {MOST_STEPS_OF_FILE:,} "
        "steps, more than snd can handle: neither this nor what comes after it is composed"
    )
    return Problem(rules.VALUE_TOO_LARGE, span, message)


# ---- problems --------------------------------------------------------------------------------------------------------
def definition_problems(
    db: Database, name: OperatorName, chosen: bool = False, budget: FileBudget | None = None
) -> list[Problem]:
    """Return the problems of one definition: syntax, names and types; for an operator, also those of its composition.

    A graph that is ``chosen`` is judged as a main graph. An operator counts for ``budget``, and is not composed once
    that is spent.
    """
    path = name.path
    found = definitions(db, path).get(name.name)
    if found is None:
        return []
    own = checked(db, path, found.definition, found.chunk.problems, chosen)
    problems = [problem.shifted(found.start) for problem in (*found.chunk.problems, *own)]
    if found.definition.kind == "operator" and (budget is None or not budget.is_spent):
        problems += in_file(db, path, composed_definition(db, name, True).problems)
        composed = None if budget is None else specialization(db, name)
        if budget is not None and composed is not None:
            budget.count(composed)
    return [importable(db, path, problem) for problem in problems]


def composing_problems(db: Database, path: str, budget: FileBudget, with_counterexamples: bool) -> list[Problem]:
    """Return the failures of the graphs of a file, composed with their defaults, and of its operators by themselves."""
    found: dict[tuple[Rule, Span, str], Problem] = {}
    names = definitions(db, path)
    left: OperatorName | None = None
    for name, known in composed_definitions(db, path, budget, with_counterexamples):
        if budget.is_spent:
            left = name
            break
        composed = known or composed_definition(db, name, with_counterexamples)
        if composed.specialization is not None:
            budget.count(composed.specialization)
        for placed in composed.problems:
            if placed.definition in names:
                problem = placed.problem.shifted(names[placed.definition].start)
                found.setdefault((problem.rule, problem.span, placed.definition), problem)
    too_large = {definition for rule, _, definition in found if rule == rules.VALUE_TOO_LARGE}
    following = {each for each in too_large if _reaches_one_of(db, OperatorName(path, each), too_large)}
    problems = [
        problem
        for (rule, _, definition), problem in found.items()
        if rule != rules.VALUE_TOO_LARGE or definition not in following
    ]
    if left is not None:
        start, definition, _ = names[left.name]
        problems.append(beyond_budget(definition.name.span.shifted(start)))
    return problems


def composed_definitions(
    db: Database, path: str, budget: FileBudget, with_counterexamples: bool
) -> Iterator[tuple[OperatorName, ComposedDefinition | None]]:
    """Yield the definitions of a file, graphs first, with their compositions as long as the budget allows."""
    for group in groups(_in_order(db, path)):
        found = () if budget.is_spent else _composed_together(db, group, with_counterexamples)
        yield from zip_longest(group, found)


@query
def _composed_together(
    db: Database, names: tuple[OperatorName, ...], with_counterexamples: bool
) -> tuple[ComposedDefinition, ...]:
    """Return definitions composed by themselves, up to one that uses up the budget of a whole file."""
    budget, found = FileBudget(), list[ComposedDefinition]()
    for name in names:
        if budget.is_spent:
            break
        composed = composed_definition(db, name, with_counterexamples)
        found.append(composed)
        if composed.specialization is not None:
            budget.count(composed.specialization)
    return tuple(found)


def _reaches_one_of(db: Database, name: OperatorName, others: Collection[str]) -> bool:
    """Return whether a definition invokes one of ``others``: if those are too large, so is the definition."""
    own = template(db, name)
    return any(
        each is not own and each.name.path == name.path and each.name.name in others
        for each in reach(db, name).templates
    )


def in_file(db: Database, path: str, found: Iterable[PlacedProblem]) -> list[Problem]:
    """Return problems in definitions of a file at their places in it."""
    names = definitions(db, path)
    return [placed.problem.shifted(names[placed.definition].start) for placed in found if placed.definition in names]
