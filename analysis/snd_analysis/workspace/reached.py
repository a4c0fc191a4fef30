"""Problems of one graph of a file and of all that it reaches, for commands that need nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from snd_analysis import rules
from snd_analysis.base import MADE_FOR, Diagnostic, Problem
from snd_analysis.compose import Composition, FileBudget
from snd_analysis.skriptnd.lints import Imports, Module
from snd_analysis.skriptnd.names import OperatorName, is_library, library_modules
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.workspace.snapshot import Snapshot


def reached_definitions(snapshot: Snapshot, graph: OperatorName) -> list[OperatorName]:
    """Return a graph and all that it invokes, directly or through others; by file and place.

    The standard library is left out, and so are definitions made from a text that is reported at its own place.
    """
    template = snapshot.template(graph)
    if template is None:
        return []
    found = [each.name for each in snapshot.reach(graph).templates if not is_library(each.name.path)]
    names = [each for each in found if MADE_FOR not in each.name]
    return sorted(
        names, key=lambda name: (name.path != graph.path, name.path, snapshot.definitions(name.path)[name.name].start)
    )


def reached_diagnostics(
    snapshot: Snapshot, graph: OperatorName, composition: Composition
) -> Mapping[str, tuple[Diagnostic, ...]]:
    """Return the problems of a graph chosen for processing, as composed, and of all that it reaches, by file.

    Problems outside all definitions count as well, except for imports of modules that nothing reached names. If the
    graph was composed with shapes for its inputs, the declarations may leave them open. Nothing is suppressed.
    """
    problems: dict[str, list[Problem]] = {graph.path: []}
    reached, budget = reached_definitions(snapshot, graph), FileBudget()
    for name in reached:
        found = snapshot.definition_problems(name, chosen=name == graph, budget=budget)
        if name == graph:
            found = [each for each in found if not _is_settled(snapshot, graph, composition, each)]
        problems.setdefault(name.path, []).extend(found)
    for path, found in problems.items():
        if not is_library(path):  # the library has no problems (invariant 7)
            found += _around_definitions(snapshot, path, [name for name in reached if name.path == path])
    problems[graph.path] += snapshot.composing_problems(graph.path, composition)
    return {path: snapshot.as_diagnostics(path, found) for path, found in problems.items()}


def _is_settled(snapshot: Snapshot, graph: OperatorName, composition: Composition, problem: Problem) -> bool:
    """Return whether the composition determines an extent or shape that a problem calls open."""
    template = snapshot.template(graph)
    if template is None or problem.rule not in (rules.UNBOUNDED_EXTENT, rules.MISSING_SHAPE):
        return False
    start = snapshot.definitions(graph.path)[graph.name].start
    spans = {member.name: member.node.span.shifted(start + member.base) for member in template.inputs}
    return any(
        span.start <= problem.span.start < span.end and composition.bounds_input(name) for name, span in spans.items()
    )


def _around_definitions(snapshot: Snapshot, path: str, names: list[OperatorName]) -> list[Problem]:
    tree = snapshot.tree(path)
    problems = [*rules.problems_of(tree)]
    for placed in tree.chunks:
        if not any(placed.chunk.definitions):
            problems += [problem.shifted(placed.start) for problem in placed.chunk.problems]
    reached = {name.name for name in names}
    doubled = rules.problems_of(Module(path, tree))
    problems += [each for each in doubled if tree.text[each.span.start : each.span.end] in reached]
    modules = frozenset(module for name in names for module in _modules_named(snapshot, name))
    imports = tuple(item for item in snapshot.imports(path) if item.node.text in modules)
    return [*problems, *rules.problems_of(Imports(imports, modules, (*library_modules(),)))]


def _modules_named(snapshot: Snapshot, name: OperatorName) -> set[str]:
    definition = snapshot.definitions(name.path)[name.name].definition
    written = {each.text for each in nodes.descendants(definition) if isinstance(each, nodes.Qualified)}
    return {text.rpartition(".")[0] for text in written}
