"""All checks of one definition, in the order of the flow: structure, names, types."""

from __future__ import annotations

from snd_analysis.base import OperatorName, Problem, Severity
from snd_analysis.rules import problems_of
from snd_analysis.skriptnd.lints import ValidDefinition
from snd_analysis.skriptnd.names import PassFold, PassResults, Resolution
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types import Context, Others, check_lowering, declare, without_consequences
from snd_analysis.skriptnd.types.compose import check_compose


def type_definition(
    definition: nodes.Definition, resolution: Resolution, others: Others, known: PassResults | None = None
) -> Context:
    """Return the types of a definition. Expressions in ``known`` statements are left out."""
    context, fold = Context(definition, resolution, others), PassFold(known)
    declare(context, fold)
    check_lowering(context)
    check_compose(context, fold)
    return context


def check_definition(
    definition: nodes.Definition,
    resolution: Resolution,
    others: Others,
    syntax_is_right: bool,
    known: PassResults | None = None,
) -> tuple[tuple[Problem, ...], Context]:
    """Return all problems of a definition except syntax errors, and its types. Spans count from the chunk's start.

    ``known`` has reusable results of an earlier version, and learns the new ones.
    """
    context = type_definition(definition, resolution, others, known)
    found = [*problems_of(definition), *context.problems, *problems_of(resolution)]
    clear = [problem for problem in found if resolution.is_clear(problem.span)]
    problems = [*without_consequences(definition, resolution, resolution.problems, clear)]
    if syntax_is_right and not any(problem.rule.severity is Severity.ERROR for problem in problems):
        problems.extend(problems_of(ValidDefinition(resolution, lambda name: _updates(others, name))))
    return tuple(problems), context


def _updates(others: Others, name: OperatorName) -> bool:
    """Return whether an operator updates variables, itself or by an operator that it invokes."""
    pending, seen = [name], {name}
    while pending:
        definition = others.definition(pending[-1])
        blocks = () if definition is None else definition.blocks
        if definition is None or any(
            isinstance(block, nodes.Block) and block.kind is BlockKind.UPDATE for block in blocks
        ):
            return True
        more = set(others.invoked(pending.pop())) - seen
        seen |= more
        pending.extend(more)
    return False
