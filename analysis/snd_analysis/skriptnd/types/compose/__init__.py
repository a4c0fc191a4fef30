"""Typing of ``@compose``, ``@update`` and ``@quantize`` (2.10, 2.11, 2.13, 2.14), with what the signatures of the
invoked operators decide, and without any concrete value."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.base import Problem
from snd_analysis.skriptnd.names import Fold
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.compose.labels import check_generated_labels
from snd_analysis.skriptnd.types.compose.quantize import check_quantize
from snd_analysis.skriptnd.types.compose.recursion import check_recursion
from snd_analysis.skriptnd.types.compose.reuse import TypingOfStatements
from snd_analysis.skriptnd.types.compose.shared_variables import check_shared_variables
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import Context, Stage

__all__ = ["check_compose"]


def check_compose(context: Context, fold: Fold) -> None:
    """Types every statement of a definition, giving tensors their types in ``context.symbols``.

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
    """Every output of a definition that is composed must be assigned (2.10)."""
    blocks = {block.kind: block for block in context.definition.blocks if isinstance(block, nodes.Block)}
    compose = blocks.get(BlockKind.COMPOSE)
    if compose is None:
        return
    assigned = set(context.resolution.ambiguous)
    for part in context.resolution.rows[BlockKind.COMPOSE]:
        if part.lacks_result:
            return  # a broken statement, which may have been the one
        assigned.update(part.outputs)
    outputs = (
        context.symbol(node.name) for _, node in entries_of(context.definition, BlockKind.OUTPUT, nodes.Parameter)
    )
    missing = [symbol for symbol in outputs if symbol is not None and symbol not in assigned]
    if missing and not any(isinstance(entry.statement, nodes.ErrorEntry) for entry in compose.entries):
        for symbol in missing:
            message = f"nothing is assigned to the output '{symbol.name}' in '@compose'"
            context.problems.append(Problem(rules.OUTPUT_NOT_ASSIGNED, context.resolution.span(symbol), message))
