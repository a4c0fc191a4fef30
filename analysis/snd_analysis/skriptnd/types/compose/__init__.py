"""Typing of ``@compose``, ``@update`` and ``@quantize`` (2.10, 2.11, 2.13, 2.14).

It uses the signatures of the invoked operators, and no concrete values.
"""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Problem
from snd_analysis.skriptnd.names import PassFold
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.compose.quantize import check_quantize
from snd_analysis.skriptnd.types.compose.recursion import (
    check_generated_labels,
    check_recursion,
    check_shared_variables,
)
from snd_analysis.skriptnd.types.compose.reuse import TypingOfStatements
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import Context, Stage

__all__ = ["check_compose"]


def check_compose(context: Context, fold: PassFold) -> None:
    """Type every statement of a definition, giving tensors their types in ``context.symbols``.

    Declared symbols must have theirs already. Statements that ``fold`` knows are not looked at again, and have no types
    in ``context.expressions``. Reports the rules of 2.10, 2.10.1, 2.11, 2.13 and 2.14.
    """
    work = TypingState(context)
    typing = TypingOfStatements(work)
    with context.at(Stage.COMPOSE):
        fold.give("statements", context.given)
        for block in (BlockKind.COMPOSE, BlockKind.UPDATE):
            work.updating = block == BlockKind.UPDATE
            fold.run(block, context.resolution.rows[block], typing)
        _check_outputs_assigned(context)
        check_recursion(context)
        check_generated_labels(context)
        check_shared_variables(context)
        check_quantize(work)
    context.base = 0


def _check_outputs_assigned(context: Context) -> None:
    """Report outputs of a composed definition that are not assigned (2.10)."""
    for symbol in context.resolution.unassigned_outputs:
        message = f"nothing is assigned to the output '{symbol.name}' in '@compose'"
        context.problems.append(Problem(rules.OUTPUT_NOT_ASSIGNED, context.resolution.span(symbol), message))
