r"""Attributes on which conditions depend, and the strings that an operator tells apart.

An attribute is relevant if a condition may depend on it. ``padding_align`` in ``padding ?? (padding_align == 'UPPER' ?
p / 2 : p \ 2)`` is relevant only without ``padding``: a fallback is not evaluated where its value is given. Strings
with which every comparison of an attribute has the same result are one string for the operator.

One value of an irrelevant attribute, and one of several strings that are not told apart, decides about the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from snd_analysis.compose import Template
from snd_analysis.proofs.case_analysis.length_indices import symbols_below
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


# ---- relevant attributes ---------------------------------------------------------------------------------------------
def relevant_symbols(template: Template, given: Collection[Symbol] = ()) -> frozenset[Symbol]:
    """Return the symbols on which conditions may depend where optional attributes are ``given``.

    Other symbols are named in bodies only, or by assertions about them alone that have a value for all sizes: a single
    allowed value represents all.
    """
    found: set[Symbol] = set()
    for block in template.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind in _DECLARING:
            found.update(symbols_named(template, [block], given))
    for member in template.attributes:
        found.update(each for each in symbols_named(template, [member.node]) if each is not member.symbol)
    for base, assertion in template.assertions:
        named = set(symbols_named(template, [assertion.condition], given))
        if (
            template.is_wrong(base, assertion)
            or sum(each.kind is not SymbolKind.USING for each in named) > 1
            or named & _helpers_of_others(template)
            or any(map(_is_partial, nodes.descendants(assertion.condition)))
        ):
            found |= named
    return frozenset(found)


def optional_attributes(template: Template) -> frozenset[Symbol]:
    """Return the attributes that may be null."""
    return frozenset(each.symbol for each in template.attributes if each.node.optional)


def symbols_named(template: Template, below: Iterable[nodes.Node], given: Collection[Symbol] = ()) -> Iterator[Symbol]:
    """Yield the symbols that nodes name, without the fallbacks of ``given`` values."""
    for node in below:
        symbol = template.resolution.targets.get(node)
        if isinstance(symbol, Symbol):
            yield symbol
        is_given = isinstance(node, nodes.Coalesce) and _is_given(template, node.value, given)
        parts = (node.value,) if is_given and isinstance(node, nodes.Coalesce) else nodes.children(node)
        yield from symbols_named(template, parts, given)


def _is_given(template: Template, value: nodes.Expression, given: Collection[Symbol]) -> bool:
    """Return whether a value is never null: only given attributes and lengths that are never null make it."""
    if any(isinstance(each, nodes.Coalesce | nodes.Select | nodes.Literal) for each in nodes.descendants(value)):
        return False
    never_null = {*given, *(each.symbol for each in template.attributes if not each.node.optional), *_lengths(template)}
    named = symbols_below(template, value)
    return not named.isdisjoint(given) and named <= never_null


def _lengths(template: Template) -> Iterator[Symbol]:
    """Yield the lengths of packs of attributes that are never null."""
    packs = (each.node.pack for each in template.attributes if not each.node.optional)
    for pack in packs:
        if pack is not None:
            yield from (each for each in symbols_named(template, [pack]) if each.kind is SymbolKind.LENGTH)


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
        if any(True for _ in symbols_named(template, [using.value]))
        for symbol in symbols_named(template, [using.target])
    }


# ---- strings ---------------------------------------------------------------------------------------------------------
def strings_of(template: Template, symbol: Symbol) -> list[str]:
    """Return the strings that a definition compares with anything, where it names the attribute."""
    found: dict[str, None] = {}
    for block in template.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind is BlockKind.ATTRIB:
            continue
        for each in nodes.descendants(block):
            if isinstance(each, nodes.Binary) and symbol in symbols_below(template, each.left):
                for other in (each.right, *nodes.descendants(each.right), *_list_named(template, each.right)):
                    text = _text_of(other)
                    if text is not None:
                        found[text] = None
    return list(found)


def told_apart(template: Template, symbol: Symbol, strings: Sequence[str]) -> list[str]:
    """Return one of the strings with which all comparisons of an attribute have the same results, for all of them.

    Return all strings if the attribute is used otherwise than in comparisons with literals.
    """
    blocks = (each for each in template.definition.blocks if isinstance(each, nodes.Block))
    uses: list[nodes.Node] = [each for each in blocks if each.kind in _DECLARING]
    uses += [assertion.condition for _, assertion in template.assertions]
    uses += [each.node for each in template.attributes if each.symbol is not symbol]
    compared = [each for use in uses for each in _compared_with(template, symbol, use)]
    if None in compared:
        return [*strings]
    results = {tuple(each in (texts or ()) for texts in compared): each for each in reversed(strings)}
    return [each for each in strings if each in results.values()]


def _compared_with(template: Template, symbol: Symbol, node: nodes.Node) -> Iterator[frozenset[str] | None]:
    """Yield the strings for which each comparison of an attribute below a node holds; None for any other use."""
    targets = template.resolution.targets
    if targets.get(node) is symbol:
        yield None
        return
    match node:
        case nodes.Binary(operator=operator, left=left, right=right) if (
            operator.text in ("==", "!=", "in") and targets.get(left) is symbol
        ):
            value = _value_of(template, right)
            items = value.items if isinstance(value, nodes.List) and operator.text == "in" else (value,)
            texts = [*map(_text_of, items)]
            known = frozenset(each for each in texts if each is not None)
            yield known if None not in texts else None
        case _:
            for each in nodes.children(node):
                yield from _compared_with(template, symbol, each)


def _value_of(template: Template, node: nodes.Node) -> nodes.Node:
    """Return the value of a helper symbol, if the expression is the name of one; else the expression."""
    symbol = template.resolution.targets.get(node)
    for _, using in template.using:
        is_name = symbol is not None and isinstance(using.target, nodes.NameTarget)
        if is_name and symbol in symbols_below(template, using.target):
            return using.value
    return node


def _text_of(node: nodes.Node) -> str | None:
    """Return the text of a string literal; None for anything else."""
    match node:
        case nodes.String(parts=(nodes.Text(value=text),)):
            return text
    return None


def _list_named(template: Template, node: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the nodes below the value of a helper symbol, if the expression is the name of one."""
    symbol = template.resolution.targets.get(node)
    for _, using in template.using:
        if any(template.resolution.targets.get(each) is symbol for each in nodes.descendants(using.target)) and symbol:
            yield from nodes.descendants(using.value)
