"""Indices that run up to a length of a pack or a rank without making a number of the length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis.compose import Template
from snd_analysis.skriptnd.names import ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes

_Dimension = tuple[Symbol, int]
"""A tensor and the position of an extent in its shape."""


class LengthIndices:
    """Dimensions with a length as extent, and the indices that only run over such dimensions or choose items."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._targets = template.resolution.targets
        self._dimensions = dict(_own_dimensions(template))
        self._bounds: dict[Symbol, Symbol | None] = {}
        """The length up to which an index runs; None for other bounds."""
        for _, formula in template.formulas:
            bounds: list[tuple[nodes.Name, nodes.Node]] = [(each.name, each.bound) for each in formula.bounds]
            if formula.unroll is not None and formula.unroll.name is not None:
                bounds.append((formula.unroll.name, formula.unroll.count))
            for name, bound in bounds:
                index, length = self._targets.get(name), self._targets.get(bound)
                if isinstance(index, Symbol):
                    self._bounds[index] = length if isinstance(length, Symbol) else None
        parts = [part for _, formula in template.formulas for part in nodes.children(formula)]
        self._numbers = {symbol for part in parts for symbol in self._named_as_numbers(part)}

    def is_own_extent(self, node: nodes.Extent) -> bool:
        """Return whether an extent is a length by itself, so that only its indices can make a number of it."""
        return node.value is not None and _length(self._template, node) is not None

    def is_position(self, name: nodes.Name) -> bool:
        """Return whether an index only chooses items or runs over dimensions with its bound as extent."""
        return self._targets.get(name) not in self._numbers

    def extents_as_numbers(self) -> Iterator[str]:
        """Yield the lengths that are extents of dimensions in which other indices stand."""
        for block in self._template.definition.blocks:
            for node in nodes.descendants(block):
                target = self._targets.get(node)
                if isinstance(target, ShapeMember) and target.member == "shape":
                    yield from (
                        length.name for (tensor, _), length in self._dimensions.items() if tensor is target.tensor
                    )
                tensor = self._tensor(node)
                items = () if tensor is None else _indices(node)[-1].items
                for at in range(len(items)):
                    length = None if tensor is None else self._dimensions.get((tensor, at))
                    if length is not None and not self._is_own(tensor, items, at):
                        yield length.name

    def _named_as_numbers(self, node: nodes.Node) -> set[Symbol]:
        """Return the symbols that are named as numbers: not as positions of items, nor as indices of own dimensions."""
        tensor = self._tensor(node)
        if tensor is not None:
            *positions, last = _indices(node)
            numbers = [item for at, item in enumerate(last.items) if not self._is_own(tensor, last.items, at)]
            return self._joined(numbers) | self._in_positions(positions)
        if isinstance(node, nodes.Subscript):
            return self._named_as_numbers(node.target) | self._in_positions([node.index])
        symbol = self._targets.get(node)
        own = {symbol} if isinstance(symbol, Symbol) and isinstance(node, nodes.Qualified) else set[Symbol]()
        return own | self._joined(nodes.children(node))

    def _joined(self, parts: Sequence[nodes.Node] | Iterator[nodes.Node]) -> set[Symbol]:
        return set[Symbol]().union(*map(self._named_as_numbers, parts))

    def _in_positions(self, positions: Sequence[nodes.Index]) -> set[Symbol]:
        """Return the symbols in positions that are more than a name: arithmetic makes numbers of them."""
        plain = (len(each.items) == 1 and isinstance(each.items[0], nodes.Qualified) for each in positions)
        return self._joined([each for each, is_plain in zip(positions, plain, strict=True) if not is_plain])

    def _is_own(self, tensor: Symbol | None, items: Sequence[nodes.Node], at: int) -> bool:
        """Return whether an index runs over a dimension whose extent is the length up to which it runs."""
        index = self._targets.get(items[at])
        length = self._dimensions.get((tensor, at)) if tensor is not None else None
        is_single = not any(isinstance(each, nodes.Expanded | nodes.Zip) for each in items[:at])
        return is_single and length is not None and isinstance(index, Symbol) and self._bounds.get(index) is length

    def _tensor(self, node: nodes.Node) -> Symbol | None:
        """Return the tensor, or pack of tensors, an element of which is accessed."""
        if isinstance(node, nodes.Access) and node.indices:
            symbol = self._targets.get(node.name)
        elif isinstance(node, nodes.Subscript) and is_tensor(self._template, node.target):
            inner = node.target.target if isinstance(node.target, nodes.Subscript) else node.target
            symbol = self._targets.get(inner)
        else:
            return None
        return symbol if isinstance(symbol, Symbol) else None


def _indices(node: nodes.Node) -> tuple[nodes.Index, ...]:
    if isinstance(node, nodes.Access):
        return node.indices
    assert isinstance(node, nodes.Subscript)
    inner = _indices(node.target) if isinstance(node.target, nodes.Subscript) else ()
    return (*inner, node.index)


def _own_dimensions(template: Template) -> Iterator[tuple[_Dimension, Symbol]]:
    for member in (*template.inputs, *template.outputs, *template.constants, *template.variables):
        extents = member.node.shape.extents if member.node.shape is not None else ()
        for at, extent in enumerate(extents):
            if extent.spread or extent.expansion is not None:
                break
            length = _length(template, extent)
            if length is not None:
                yield (member.symbol, at), length


def _length(template: Template, extent: nodes.Extent) -> Symbol | None:
    """Return the length of a pack, or the rank, that an extent names and nothing else."""
    if extent.value is None or extent.spread or extent.expansion is not None:
        return None
    symbol = template.resolution.targets.get(extent.value)
    return symbol if isinstance(symbol, Symbol) and symbol.kind is SymbolKind.LENGTH else None


def is_tensor(template: Template, node: nodes.Node) -> bool:
    """Return whether an expression is a tensor: one by itself, or an item of a pack of them."""
    if isinstance(node, nodes.Subscript):
        symbol = template.resolution.targets.get(node.target)
        return isinstance(symbol, Symbol) and symbol.is_tensor and not is_tensor(template, node.target)
    symbol = template.resolution.targets.get(node)
    members = (*template.inputs, *template.outputs, *template.constants, *template.variables)
    is_pack = any(each.symbol is symbol and each.node.pack is not None for each in members)
    return isinstance(symbol, Symbol) and symbol.is_tensor and not is_pack


def symbols_below(template: Template, node: nodes.Node) -> set[Symbol]:
    """Return the symbols that an expression names."""
    found = (template.resolution.targets.get(each) for each in (node, *nodes.descendants(node)))
    return {each for each in found if isinstance(each, Symbol)}
