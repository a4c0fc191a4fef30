"""Indices that run up to a length of a pack or a rank without making a number of the length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis.compose import Member, Template
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
        self._bounds: dict[Symbol, Symbol | None] = dict(_range_helpers(template))
        """The length, or pack of extents, up to which an index or a helper symbol runs; None for other bounds."""
        self._extents = {
            member.symbol: member.node.shape.extents for member in _tensors(template) if member.node.shape is not None
        }
        for _, formula in template.formulas:
            bounds: list[tuple[nodes.Name, nodes.Node]] = [(each.name, each.bound) for each in formula.bounds]
            if formula.unroll is not None and formula.unroll.name is not None:
                bounds.append((formula.unroll.name, formula.unroll.count))
            for name, bound in bounds:
                index, length = self._targets.get(name), self._targets.get(bound)
                if isinstance(index, Symbol):
                    self._bounds[index] = length if isinstance(length, Symbol) else None
        self._numbers = {
            symbol
            for _, formula in template.formulas
            for part in nodes.children(formula)
            for each in (deciding_parts(part) if part is formula.value else (part,))
            for symbol in self._named_as_numbers(each)
        }

    def is_own_extent(self, node: nodes.Extent) -> bool:
        """Return whether an extent is itself a length: then only its indices can turn the length into a number."""
        return node.value is not None and _length(self._template, node) is not None

    def is_position(self, name: nodes.Name) -> bool:
        """Return whether an index only chooses items or runs over dimensions with its bound as extent."""
        return self._targets.get(name) not in self._numbers

    def is_range(self, symbol: Symbol) -> bool:
        """Return whether a helper symbol is a range of all positions, used as an index that ``is_position``."""
        return symbol.kind is SymbolKind.USING and symbol in self._bounds and symbol not in self._numbers

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
                for (symbol, at), length in self._dimensions.items():
                    if symbol is tensor and not self._is_own(tensor, items, at):
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
        length = self._dimensions.get((tensor, at)) if tensor is not None else None
        if tensor is None or length is None:
            return False
        item = self._item_of(self._extents.get(tensor, ()), items, at)
        match item:
            case nodes.Range(first=None, last=None, step=None):
                return True
            case None:
                return False
        index = self._targets.get(item)
        return isinstance(index, Symbol) and self._bounds.get(index) is length

    def _item_of(self, extents: Sequence[nodes.Extent], items: Sequence[nodes.Node], at: int) -> nodes.Node | None:
        """Return the index of an extent, counted from either end; None if it is not certain which one it is."""
        if at < len(items) and all(map(self._covers, items[:at], extents)):
            return items[at]
        from_end = len(extents) - at
        if from_end <= len(items) and all(map(self._covers, items[len(items) - from_end + 1 :], extents[at + 1 :])):
            return items[len(items) - from_end]
        return None

    def _covers(self, item: nodes.Node, extent: nodes.Extent) -> bool:
        """Return whether an index and an extent certainly cover the same number of dimensions."""
        if extent.expansion is None:
            return not isinstance(item, nodes.Expanded | nodes.Zip)
        index = self._targets.get(item.item) if isinstance(item, nodes.Expanded) else None
        symbol = self._targets.get(extent.value)
        return isinstance(index, Symbol) and symbol is not None and self._bounds.get(index) is symbol

    def _tensor(self, node: nodes.Node) -> Symbol | None:
        """Return the tensor or pack of tensors whose element is accessed."""
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


def _tensors(template: Template) -> tuple[Member, ...]:
    return (*template.inputs, *template.outputs, *template.constants, *template.variables)


def _own_dimensions(template: Template) -> Iterator[tuple[_Dimension, Symbol]]:
    for member in _tensors(template):
        extents = member.node.shape.extents if member.node.shape is not None else ()
        for at, extent in enumerate(extents):
            length = _length(template, extent)
            if length is not None:
                yield (member.symbol, at), length


def _length(template: Template, extent: nodes.Extent) -> Symbol | None:
    """Return the length of a pack, or the rank, that an extent names and nothing else."""
    if extent.value is None or extent.spread or extent.expansion is not None:
        return None
    return _named_length(template, extent.value)


def _named_length(template: Template, node: nodes.Node) -> Symbol | None:
    symbol = template.resolution.targets.get(node)
    return symbol if isinstance(symbol, Symbol) and symbol.kind is SymbolKind.LENGTH else None


def _range_helpers(template: Template) -> Iterator[tuple[Symbol, Symbol]]:
    """Yield helper symbols that are ``[0:d]`` or ``[d - 1:-1:-1]``, with the length ``d``.

    Such a pack has the length ``d``, and all of its items are positions below ``d``.
    """
    for _, using in template.using:
        symbol = template.resolution.targets.get(getattr(using.target, "name", using.target))
        match using.value:
            case nodes.List(items=(nodes.Range(first=first, last=last, step=None),)) if _is_number(first, 0):
                length = None if last is None else _named_length(template, last)
            case nodes.List(
                items=(nodes.Range(first=nodes.Binary(operator=sign, left=left, right=right), last=last, step=step),)
            ) if sign.text == "-" and _is_number(right, 1) and _is_number(last, -1) and _is_number(step, -1):
                length = _named_length(template, left)
            case _:
                continue
        if isinstance(symbol, Symbol) and length is not None:
            yield symbol, length


def _is_number(node: nodes.Node | None, value: int) -> bool:
    match node:
        case nodes.Literal():
            return node.value == value and node.type == "int"
        case nodes.Unary(operator=operator, operand=operand) if operator.text == "-":
            return _is_number(operand, -value)
    return False


def deciding_parts(value: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the parts of the right side of a formula on which conditions depend.

    An element may have any value, so numbers that only become elements decide nothing: ``k`` in ``y[i,] = k``. Indices,
    conditions of branches, divisors of ints and exponents decide.
    """
    match value:
        case nodes.Qualified() | nodes.Literal():
            return
        case nodes.Parenthesized(inner=operand) | nodes.Unary(operand=operand):
            yield from deciding_parts(operand)
        case nodes.Cast(type=type_, value=operand) if operand is not None and type_.text in ("real", "bool"):
            yield from deciding_parts(operand)
        case nodes.Binary(operator=operator, left=left, right=right) if operator.text not in ("&&", "||", "=>"):
            yield from deciding_parts(left)
            is_total = operator.text not in ("/", "\\", "%", "**") or _is_real(right)
            yield from deciding_parts(right) if is_total else (right,)
        case nodes.Select(condition=condition, consequent=first, alternative=second):
            yield condition
            yield from deciding_parts(first)
            if second is not None:
                yield from deciding_parts(second)
        case _:
            yield value


def _is_real(node: nodes.Node) -> bool:
    match node:
        case nodes.Parenthesized(inner=inner):
            return _is_real(inner)
        case nodes.Cast(type=type_):
            return type_.text == "real"
        case nodes.Literal():
            return node.type == "real"
    return False


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
