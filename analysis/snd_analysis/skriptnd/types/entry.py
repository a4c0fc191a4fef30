"""Types of the expressions in one entry of a long definition that keeps only the entry's effects."""

from __future__ import annotations

from collections.abc import Mapping

from snd_analysis.base import Layers
from snd_analysis.skriptnd.names import Declaration, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.compose.statements import statement
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.declarations.declared import declare_stored
from snd_analysis.skriptnd.types.others import Others
from snd_analysis.skriptnd.types.typed import Typed

_BLOCKS = {SymbolKind.CONSTANT: BlockKind.CONSTANT, SymbolKind.VARIABLE: BlockKind.VARIABLE}


def expression_types(known: Context, others: Others, entry: nodes.Node) -> Mapping[nodes.Node, Typed]:
    """Return the types of the expressions in a statement or declaration of the definition of ``known``.

    Expressions that an incremental run skipped are typed again. The mapping may contain expressions of other entries,
    too.
    """
    if any(node in known.expressions for node in nodes.descendants(entry)):
        return known.expressions
    context = Context(known.definition, known.resolution, others)
    context.symbols, context.extents = Layers(known.symbols), Layers(known.extents)
    if isinstance(entry, nodes.Component):
        work = TypingState(context)
        work.begin(entry)
        with context.at(Stage.COMPOSE):
            statement(work, entry)
    elif isinstance(entry, nodes.Parameter):
        symbol = context.symbol(entry.name)
        block = None if symbol is None else _BLOCKS.get(symbol.kind)
        if block is not None and entry in context.resolution.starts:
            declare_stored(context, Declaration(block, context.resolution.starts[entry], entry))
    return context.expressions
