"""Symbols that the conditions of an operator depend on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from snd_analysis.compose import Member, Template
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_DECLARING = (
    BlockKind.INPUT,
    BlockKind.OUTPUT,
    BlockKind.CONSTANT,
    BlockKind.VARIABLE,
    BlockKind.USING,
    BlockKind.LOWER,
)


def relevant_symbols(template: Template) -> frozenset[Symbol]:
    """Return the symbols on which conditions may depend.

    Other symbols are named in bodies only, or by assertions about them alone that have a value for all sizes: a single
    allowed value represents all.
    """
    found: set[Symbol] = set()
    for block in template.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind in _DECLARING:
            found.update(_symbols(template, [block]))
    for member in template.attributes:
        found.update(each for each in _symbols(template, [member.node]) if each is not member.symbol)
    for base, assertion in template.assertions:
        named = set(_symbols(template, [assertion.condition]))
        if (
            template.is_wrong(base, assertion)
            or sum(each.kind is not SymbolKind.USING for each in named) > 1
            or named & _helpers_of_others(template)
            or any(map(_is_partial, nodes.descendants(assertion.condition)))
        ):
            found |= named
    return frozenset(found)


def _is_partial(node: nodes.Node) -> bool:
    """Return whether an expression may have no value for some values of its operands."""
    if isinstance(node, nodes.Binary):
        return node.operator.text in ("/", "\\", "%", "**")
    others = (nodes.Subscript, nodes.Substitution, nodes.Range, nodes.Fold, nodes.Expanded, nodes.Cast)
    return isinstance(node, others)


def _helpers_of_others(template: Template) -> set[Symbol]:
    """Return the helper symbols that are made of anything: lists of strings are not."""
    return {
        symbol
        for _, using in template.using
        if any(True for _ in _symbols(template, [using.value]))
        for symbol in _symbols(template, [using.target])
    }


def shaping_attributes(template: Template) -> list[Member]:
    """Return the attributes that the shapes of inputs name."""
    shapes = [each.node.shape for each in template.inputs if each.node.shape is not None]
    packs = [each.node.pack for each in template.inputs if each.node.pack is not None]
    named = set(_symbols(template, [*shapes, *packs]))
    return [each for each in template.attributes if each.symbol in named]


def _symbols(template: Template, below: Iterable[nodes.Node]) -> Iterator[Symbol]:
    for node in below:
        for each in (node, *nodes.descendants(node)):
            symbol = template.resolution.targets.get(each)
            if isinstance(symbol, Symbol):
                yield symbol
