"""Signatures, read from the declarations of operators and graphs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache

from snd_analysis.base import Layers
from snd_analysis.skriptnd.names import Declaration, PassFold, Resolution, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes, signature_is_damaged
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types.compose.reuse import statement
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import Context, Stage, dtype_of
from snd_analysis.skriptnd.types.declarations.declared import declare_stored, declare_symbols
from snd_analysis.skriptnd.types.expressions.dimensions import dimensions
from snd_analysis.skriptnd.types.expressions.extents import peek
from snd_analysis.skriptnd.types.signature import AttributeParameter, GenericType, Others, Signature, TensorParameter
from snd_analysis.skriptnd.types.type import Typed

# Only definitions that were edited are compared, and these with all that use them at once.
_REMEMBERED = 64

_SEEN_BY_OTHERS = frozenset({BlockKind.DTYPE, BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.USING, BlockKind.OUTPUT})


def read_signature(definition: nodes.Definition, resolution: Resolution, others: Others) -> Signature | None:
    """Return the signature of an operator or graph; None if its declarations are broken."""
    if signature_is_damaged(definition):
        return None
    context = Context(definition, resolution, others)
    declare_symbols(context, PassFold(None))
    blocks = _blocks_seen_by_others(definition)
    wrong = definition.kind == "operator" and any(
        block.start <= problem.span.start < block.end for problem in context.problems for block in blocks
    )
    attributes: dict[str, AttributeParameter] = {}
    inputs, outputs, generics = [], [], []
    for symbol in context.resolution.symbols:
        node = symbol.node
        if isinstance(node, nodes.DtypeDeclaration):
            default = None if node.default is None else dtype_of(context, node.default)
            generics.append(GenericType(symbol.name, node.base.text, default, node.default is not None))
        elif not isinstance(node, nodes.Parameter):
            continue
        elif symbol.kind is SymbolKind.ATTRIBUTE:
            attributes.setdefault(symbol.name, _attribute(context, symbol, node))
        elif symbol.kind is SymbolKind.INPUT:
            inputs.append(_tensor(context, symbol, node))
        elif symbol.kind is SymbolKind.OUTPUT:
            outputs.append(_tensor(context, symbol, node))
    return Signature(context.definition, tuple(generics), attributes, tuple(inputs), tuple(outputs), not wrong)


@lru_cache(_REMEMBERED)
def fingerprint(definition: nodes.Definition) -> Hashable:
    """Equal for definitions that callers see alike: positions, comments, assertions and bodies don't count."""
    blocks = _blocks_seen_by_others(definition)
    written = tuple((block.kind, tuple(_content(entry.statement) for entry in block.entries)) for block in blocks)
    return definition.kind, definition.public, definition.name.text, written, signature_is_damaged(definition)


def _blocks_seen_by_others(definition: nodes.Definition) -> list[nodes.Block]:
    return [each for each in definition.blocks if isinstance(each, nodes.Block) and each.kind in _SEEN_BY_OTHERS]


def _content(node: nodes.Node) -> Hashable:
    parts: list[Hashable] = [type(node).__name__]
    for name in nodes.content_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, nodes.Node):
            parts.append(_content(value))
        elif isinstance(value, tuple):
            parts.append(tuple(_content(item) if isinstance(item, nodes.Node) else item for item in value))
        else:
            # 1, 1.0 and true are equal, but not the same
            parts.append((type(value).__name__, value))
    return tuple(parts)


def _attribute(context: Context, symbol: Symbol, node: nodes.Parameter) -> AttributeParameter:
    default = None if node.default is None else peek(context, node.default.value)
    typed = context.typed(symbol)
    return AttributeParameter(symbol, node, typed.type, typed.value, default)


def _tensor(context: Context, symbol: Symbol, node: nodes.Parameter) -> TensorParameter:
    parts = None if node.shape is None else dimensions(context, node.shape, node.optional)
    rank_symbol = None if node.rank is None else context.resolution.symbol(node.rank.text)
    return TensorParameter(symbol, node, context.typed(symbol).type, parts, rank_symbol)


# ---- types of the expressions in one entry of a long definition that keeps only the entry's effects ------------------
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
