"""Typing of ``@compose``, ``@update`` and ``@quantize`` (2.10, 2.11, 2.13, 2.14), with what the signatures of the
invoked operators decide, and without any concrete value."""

from __future__ import annotations

from snd_analysis.memo import Memo
from snd_analysis.names.resolve import entries_of
from snd_analysis.names.symbols import SymbolKind
from snd_analysis.syntax import nodes
from snd_analysis.syntax.problem import Problem
from snd_analysis.types.compose.composition import Composition
from snd_analysis.types.compose.labels import check_generated_labels
from snd_analysis.types.compose.quantize import check_quantize
from snd_analysis.types.compose.recursion import check_recursion
from snd_analysis.types.compose.reuse import StatementTypes, statement_types
from snd_analysis.types.compose.statements import statement
from snd_analysis.types.context import Context, Place

__all__ = ["check_compose"]


def check_compose(context: Context, memo: Memo[StatementTypes] | None = None) -> None:
    """Types every statement of a definition, giving tensors their types in ``context.symbols``.

    Declared symbols must have theirs already. Statements of which ``memo`` knows the types are not looked at again, and
    have none in ``context.expressions``. Reports the rules of 2.10, 2.10.1, 2.11, 2.13 and 2.14.
    """
    work = Composition(context)
    with context.at(Place.COMPOSE):
        for block in ("compose", "update"):
            work.updating = block == "update"
            for base, component in entries_of(context.definition, block, nodes.Component):
                context.base = base
                if memo is None:
                    statement(work, component)
                else:
                    statement_types(work, component, memo)
        _check_outputs_assigned(context)
        check_recursion(context)
        check_generated_labels(context)
        check_quantize(work)
    context.base = 0


def _check_outputs_assigned(context: Context) -> None:
    """Every output of a definition that is composed must be assigned (2.10)."""
    blocks = {block.kind: block for block in context.definition.blocks if isinstance(block, nodes.Block)}
    compose = blocks.get("compose")
    if (
        compose is None
        or "lower" in blocks
        or any(isinstance(entry.statement, nodes.ErrorEntry) for entry in compose.entries)
    ):
        return
    parts = context.resolution.parts
    assigned = set(context.resolution.ambiguous)
    for _, component in entries_of(context.definition, "compose", nodes.Component):
        part = parts[component]
        if part.lacks_result:
            return  # a broken statement, which may have been the one
        assigned.update(part.outputs)
    for symbol in context.resolution.symbols:
        if symbol.kind is SymbolKind.OUTPUT and symbol not in assigned:
            message = f"nothing is assigned to the output '{symbol.name}' in '@compose'"
            context.problems.append(Problem("output-not-assigned", context.resolution.span(symbol), message))
