"""What is wrong with each definition by its own text and the signatures of others."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.base import Problem, Severity, Span
from snd_analysis.db import Database, query
from snd_analysis.skriptnd.names import OperatorName, is_library, with_import
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types import Context
from snd_analysis.workspace.definition_checks import check_definition, type_definition
from snd_analysis.workspace.earlier import earlier
from snd_analysis.workspace.files import front_end_of, source
from snd_analysis.workspace.names import chunk, definition, module_candidates, resolution
from snd_analysis.workspace.others import OtherDefinitions


@query
def checked(
    db: Database, path: str, definition: nodes.Definition, syntax: Sequence[Problem], chosen: bool = False
) -> tuple[Problem, ...]:
    """Return what is wrong with a definition besides the ``syntax`` of its chunk.

    Where the syntax was repaired, nothing else is said of the repaired part: it is one mistake. A graph that is
    ``chosen`` is judged as a main graph.
    """
    if front_end_of(path) is not None:
        return ()  # what makes a definition has checked what it is made of
    others = OtherDefinitions(db, path, definition if chosen else None)
    before = earlier(db, path, definition)
    names = resolution(db, path, definition)
    types = None if before is None or chosen else before.types
    problems, _ = check_definition(definition, names, others, not syntax, types)
    others.close()
    if types is not None:
        types.forget(names)
    return tuple(problem for problem in problems if not any(_begins_in(problem, each) for each in syntax))


@query
def typing(db: Database, path: str, definition: nodes.Definition) -> Context:
    """Return what is known of types in a definition; in a long one not of all expressions, see ``expression_types``."""
    others = OtherDefinitions(db, path)
    before = earlier(db, path, definition)
    names = resolution(db, path, definition)
    context = type_definition(definition, names, others, None if before is None else before.types)
    others.close()
    return context


def _begins_in(problem: Problem, repaired: Problem) -> bool:
    return problem.span.start in range(repaired.span.start, max(repaired.span.end, repaired.span.start + 1))


@query
def errors(db: Database, name: OperatorName) -> tuple[Span, ...]:
    """Return the places in a definition that are reported to be wrong: nothing is built on them."""
    found, around = definition(db, name), chunk(db, name)
    if found is None or around is None or is_library(name.path) or front_end_of(name.path) is not None:
        return ()
    problems = (*around.problems, *checked(db, name.path, found, around.problems))
    wrong = (each.span for each in problems if each.rule.severity is Severity.ERROR)
    return (*wrong, *resolution(db, name.path, found).unclear)


def importable(db: Database, path: str, problem: Problem) -> Problem:
    """Return a problem of a file, with the import that mends it if that is all that is missing."""
    if problem.rule != rules.UNKNOWN_MODULE or problem.repair is not None:
        return problem
    module = source(db, path).text[problem.span.start : problem.span.end]
    found = next(iter(module_candidates(db, module, path)), path)
    return problem if found == path or is_library(found) else with_import(problem, module)
