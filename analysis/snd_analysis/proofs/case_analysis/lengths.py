"""Numbers by which an operator can distinguish lengths of packs, and attributes that choose items.

The lengths up to a number decide about all others only if each use of a length is one of the following. Each of these
uses treats a longer pack like one of the shorter ones.

- Slices, items at named positions, and item-wise operations: a further item is like one that is there already.
  A position that is an extent is no named position.
- Comparisons of a length with a literal: the result is the same for all lengths above the literal.
- Comparisons of lengths with one another, with differences of 1 at most.
- Indices up to a length that choose items, or run over a dimension with that length as its extent; likewise the helper
  symbols ``[0:d]`` and ``[d - 1:-1:-1]``.
- Numbers that only become elements of tensors, such as ``k`` in ``y[i,] = k``: no condition depends on them.
- Extents of inputs that nothing names.
- Sums and products over a pack: two items can be replaced by their sum or product.

Small lengths do not decide about an operator that uses a length as a number, as in ``real[k - 1]``, ``i < k`` or
``m - d * d``: there ``Lengths.number`` names the length. Small lengths can only refute then, and only a proof with a
symbolic length (``case_analysis/general_case.py``) proves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from enum import Enum

from msgspec import Struct

from snd_analysis.compose import Template
from snd_analysis.proofs.case_analysis.length_indices import LengthIndices, deciding_parts, is_tensor, symbols_below
from snd_analysis.proofs.limits import LONGEST_LENGTH, MOST_NAMED
from snd_analysis.skriptnd.names import ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!=", "is"))
_JUNCTIONS = frozenset(("&&", "||", "^", "=>"))
_CONDITIONS = _COMPARISONS | _JUNCTIONS | {"in", "!", "?"}


class _Use(Enum):
    """The use of a value: choosing or counting items, as a number, or undecided."""

    POSITION = "position"
    NUMBER = "number"
    VALUE = "value"


class Lengths(Struct, frozen=True):
    """Lengths up to which packs are looked at, since longer ones behave like these."""

    least: int
    """The greatest position that is named: packs have to be longer for there to be any beyond."""
    longest: int
    reason: str
    """Why longer ones may behave differently; empty if they don't."""
    compared: str | None
    """Value whose comparisons require the longest packs; None if shorter packs are enough."""
    number: str | None = None
    """Length, or attribute that chooses items, that is taken for a number: small lengths prove nothing."""
    are_numbers: bool = False
    """True if lengths or folds of packs are used as numbers, so that more values of attributes are tried."""
    beyond: int | None = None
    """The same as ``least``, counted after the items that a pack always has: 1 for ``s[3]`` of ``s..(d + 2)``."""

    @property
    def required(self) -> int:
        """The longest without which nothing is proved."""
        return self.longest if self.compared else max(LONGEST_LENGTH - 1, self.least + 1)

    @property
    def required_alone(self) -> int:
        """The longest without which nothing is proved if all packs have the same unknown length.

        A pack ``s..(d + 2)`` has items beyond ``s[2]`` from ``d = 1`` on. Another length may equal ``d + 2``, and has
        to be as long.
        """
        return self.required if self.compared or self.beyond is None else max(LONGEST_LENGTH - 1, self.beyond + 1)


class Choices(Struct, frozen=True):
    """Attributes with a case for each value: those that choose items, and those that count items."""

    items: frozenset[Symbol]
    counts: frozenset[Symbol]
    longest_list: int
    """The length of the longest list literal, without lists of strings."""
    made_of: Mapping[Symbol, Set[Symbol]]
    """Symbols that the values of helper symbols name."""


def lengths_of(template: Template, choices: Choices) -> Lengths:
    """Return the lengths up to which packs are looked at."""
    reading = _Reading(template, choices)
    named = max([0, *(each for each in reading.positions if each <= MOST_NAMED)])
    longest = max(LONGEST_LENGTH, named + 1)
    compared = reading.number or ("a sum or product of a pack" if reading.is_folded else None)
    if compared is None:
        beyond = max([0, *(each for each in reading.beyond if each <= MOST_NAMED)])
        is_free = not choices.items and not choices.counts
        return Lengths(named, longest, "", None, beyond=beyond if is_free else None)
    # The shortest lengths already distinguish 0, 1 and more items.
    wanted = max(longest, sum(each for each in reading.numbers if each > 1) + 1)
    if wanted <= MOST_NAMED:
        return Lengths(named, wanted, "", compared if wanted > longest else None, reading.number, True)
    reason = lengths_text(compared, MOST_NAMED)
    return Lengths(named, MOST_NAMED, reason, compared, reading.number, True)


def lengths_text(number: str, longest: int) -> str:
    """Return why nothing is known about longer packs; ``number`` is a name, or words for a sum of items."""
    shown = number if " " in number else f"'{number}'"
    return f"the operator calculates with {shown}, and snd tried only packs and ranks of up to {longest} items"


class _Reading:
    """The lengths and numbers that a definition names."""

    def __init__(self, template: Template, choices: Choices) -> None:
        self._template = template
        self._choices = choices
        self.positions: list[int] = []
        """Numbers that choose items or say how many there are."""
        self.beyond: list[int] = []
        """The same without the items that the pack always has."""
        self._always = dict(_least_lengths(template))
        self._offset = 0
        self.numbers: list[int] = []
        """Other numbers."""
        self.number: str | None
        """A length that is taken for a number beside others than the positions that are chosen."""
        self.is_folded = False
        """True if sums or products of packs are used as numbers."""
        self._lengths: set[Symbol] = {*choices.counts, *choices.items, *_only_asserted(template)}
        self._indices = LengthIndices(template)
        self._unused = frozenset(_unused_extents(template))
        self.number = next(self._indices.extents_as_numbers(), None)
        for _, using in template.using:
            if not _is_condition(using.value) and any(is_length for _, is_length, _ in self._named(using.value)):
                below = symbols_below(template, using.target)
                self._lengths |= {each for each in below if each.kind is SymbolKind.USING}
        for block in template.definition.blocks:
            if isinstance(block, nodes.Block) and block.kind is not BlockKind.ATTRIB:
                for entry in block.entries:
                    self._read(entry, _Use.VALUE)

    def _read(self, node: nodes.Node, use: _Use) -> None:
        match node:
            case nodes.Literal(value=int(value)) if not isinstance(value, bool):
                self._note_number(abs(value), use)
            case nodes.Name() | nodes.Qualified():
                if use is _Use.NUMBER:
                    self._note_compared(node)
            case nodes.Subscript(target=target, index=index) if not self._is_tensor(target):
                self._note_extents(index)
                self._read(target, use)
                self._read_positions(index, self._always.get(self._template.resolution.targets.get(target), 0))
            case nodes.Subscript(index=index):
                self._read_all(self._numbers_of(index), _Use.NUMBER)
            case nodes.Substitution(target=target, index=index, value=value):
                self._note_extents(index)
                self._read_all((target, value), use)
                self._read(index, _Use.POSITION)
            case nodes.Access(indices=(*positions, last)):
                for position in positions:
                    self._note_extents(position)
                self._read_all(positions, _Use.POSITION)
                self._read_all(self._numbers_of(last), _Use.NUMBER)
            case nodes.Expansion() | nodes.Range() | nodes.Pack():
                if use is _Use.NUMBER and isinstance(node, nodes.Range):
                    self._note_compared(node)
                self._read_positions(node, self._offset if isinstance(node, nodes.Range) else _items_added(node))
            case nodes.Assertion(condition=condition):
                self._read(condition, _Use.VALUE)
            case nodes.Lowering(value=value):
                self._read_all((each for each in nodes.children(node) if each is not value), use)
                self._read_all(deciding_parts(value), use)
            case nodes.Parameter(shape=shape, pack=pack, default=default):
                self._read_all((each for each in (shape, pack, default) if each is not None), _Use.VALUE)
            case nodes.IndexBound(name=name, bound=bound):
                self._read(bound, self._use_of_bound(name))
            case nodes.Unroll(name=name, count=count):
                self._read(count, _Use.POSITION if name is None else self._use_of_bound(name))
            case nodes.Extent():
                if not self._indices.is_own_extent(node):
                    self._read_all(nodes.children(node), _Use.POSITION if node in self._unused else _Use.NUMBER)
            case nodes.Binary(operator=operator) if use is _Use.VALUE and operator.text in _JUNCTIONS:
                self._read_all(nodes.children(node), use)
            case nodes.Binary() if use is _Use.VALUE and (number := self._bound_of_item(node)) is not None:
                self._note_number(number, _Use.POSITION)
            case nodes.Binary(operator=operator) if use is not _Use.POSITION:
                if use is _Use.VALUE and not self._is_among_positions(node):
                    use = _Use.NUMBER
                factors = operator.text in ("*", "/", "\\", "%")
                is_scaled = factors and not all(isinstance(each, nodes.Literal) for each in (node.left, node.right))
                parts = (node.left, node.right)
                self._read_all((each for each in parts if not (is_scaled and isinstance(each, nodes.Literal))), use)
            case nodes.Fold(operand=operand, operator=operator) if operator.text in ("+", "*"):
                if use is not _Use.POSITION:
                    self.is_folded = True
                self._read(operand, use)
            case _:
                self._read_all(nodes.children(node), use)

    def _note_number(self, number: int, use: _Use) -> None:
        if use is not _Use.POSITION:
            self.numbers.append(number)
            return
        self.positions.append(number)
        self.beyond.append(max(number - self._offset, 0))

    def _read_positions(self, node: nodes.Node, always: int) -> None:
        """Read the parts of a node as positions in a pack that always has some items."""
        before, self._offset = self._offset, always
        self._read_all(nodes.children(node), _Use.POSITION)
        self._offset = before

    def _numbers_of(self, index: nodes.Index) -> Iterator[nodes.Node]:
        """Yield the indices of an element that are no ranges of all positions of their dimensions."""
        for each in index.items:
            symbol = self._template.resolution.targets.get(each)
            if not (isinstance(symbol, Symbol) and self._indices.is_range(symbol)):
                yield each

    def _note_extents(self, index: nodes.Node) -> None:
        """Note an extent that chooses an item: how long the pack must be depends on the extent."""
        made_of = self._choices.made_of
        pending = [*symbols_below(self._template, index)]
        seen = set(pending)
        while pending and self.number is None:
            symbol = pending.pop()
            if symbol.kind is SymbolKind.EXTENT:
                self.number = symbol.name
            pending += made_of.get(symbol, set()) - seen
            seen |= made_of.get(symbol, set())

    def _use_of_bound(self, name: nodes.Name) -> _Use:
        """Return the use of the bound of an index: positions if the index only chooses items, else a number."""
        return _Use.POSITION if self._indices.is_position(name) else _Use.NUMBER

    def _note_compared(self, node: nodes.Node) -> None:
        found = next((name for name, is_length, _ in self._named(node) if is_length), None)
        self.number = self.number or found

    def _read_all(self, parts: Iterable[nodes.Node], use: _Use) -> None:
        for each in parts:
            self._read(each, use)

    def _bound_of_item(self, node: nodes.Binary) -> int | None:
        """Return the literal with which a length, or an attribute that chooses items, is compared: 3 in ``d < 3``."""
        if node.operator.text not in _COMPARISONS:
            return None
        for one, other in ((node.left, node.right), (node.right, node.left)):
            number = other.operand if isinstance(other, nodes.Unary) and other.operator.text == "-" else other
            value = number.value if isinstance(number, nodes.Literal) else None
            symbol = self._template.resolution.targets.get(one)
            is_item = symbol in self._choices.items or (symbol is not None and self._is_length(one))
            if is_item and type(value) is int and value <= MOST_NAMED:
                return value
        return None

    def _is_length(self, node: nodes.Node) -> bool:
        return any(is_length for _, is_length, _ in self._named(node))

    def _is_among_positions(self, node: nodes.Binary) -> bool:
        """Return whether a length is combined only with 0, 1 and attributes that choose items, as in a range."""
        others = any(not is_length and symbol not in self._choices.items for _, is_length, symbol in self._named(node))
        numbers = (each.value for each in nodes.descendants(node) if isinstance(each, nodes.Literal))
        return not others and not any(type(each) is int and each > 1 for each in numbers)

    def _named(self, node: nodes.Node) -> Iterator[tuple[str, bool, object]]:
        """Yield the names of an expression outside of positions, with: the name, whether it is a length, the symbol."""
        match node:
            case nodes.Expansion():
                return
            case nodes.Subscript(target=target) | nodes.Substitution(target=target):
                yield from self._named(target)
                return
        symbol = self._template.resolution.targets.get(node)
        match symbol:
            case Symbol():
                yield symbol.name, symbol.kind is SymbolKind.LENGTH or symbol in self._lengths, symbol
            case ShapeMember():
                yield f"{symbol.tensor.name}.{symbol.member}", symbol.member in ("rank", "size"), symbol
            case _:
                for each in nodes.children(node):
                    yield from self._named(each)

    def _is_tensor(self, node: nodes.Node) -> bool:
        return is_tensor(self._template, node)


def _unused_extents(template: Template) -> Iterator[nodes.Extent]:
    """Yield the extents of inputs that nothing names: no index has them as bound."""
    declared = {member.node.name for member in template.inputs}
    used = {
        symbol.tensor if isinstance(symbol, ShapeMember) else symbol
        for node, symbol in template.resolution.targets.items()
        if node not in declared
    }
    for member in template.inputs:
        if member.symbol not in used and member.node.shape is not None:
            yield from member.node.shape.extents


def _only_asserted(template: Template) -> set[Symbol]:
    """Return the int attributes that only assertions name: only comparisons can distinguish their values."""
    others = (block for block in template.definition.blocks if isinstance(block, nodes.Block))
    used = {
        symbol
        for block in others
        if block.kind not in (BlockKind.ATTRIB, BlockKind.ASSERT)
        for symbol in symbols_below(template, block)
    }
    return {each.symbol for each in template.attributes if each.node.type.text == "int" and each.symbol not in used}


def _is_condition(node: nodes.Expression) -> bool:
    """Return whether an expression is a bool, which can't be used as a count."""
    match node:
        case nodes.Binary(operator=operator) | nodes.Unary(operator=operator):
            return operator.text in _CONDITIONS
    return False


# ---- attributes that choose ------------------------------------------------------------------------------------------
def choices_of(template: Template) -> Choices:
    """Return the attributes that choose items, and those that count items."""
    made_of = _helpers(template)
    items: set[Symbol] = set()
    counts: set[Symbol] = set()
    for block in template.definition.blocks:
        for each in nodes.descendants(block):
            _note_choosing(template, each, items, counts)
    lists = (
        len(each.items)
        for block in template.definition.blocks
        for each in nodes.descendants(block)
        if isinstance(each, nodes.List) and not any(isinstance(item, nodes.String) for item in each.items)
    )
    no_ints = {each.symbol for each in template.attributes if each.node.type.text in ("real", "bool", "str")}
    return Choices(
        _attributes(items, made_of, no_ints), _attributes(counts, made_of, no_ints), max(lists, default=0), made_of
    )


def _helpers(template: Template) -> Mapping[Symbol, set[Symbol]]:
    made_of: dict[Symbol, set[Symbol]] = {}
    for _, using in template.using:
        named = symbols_below(template, using.value)
        for each in nodes.descendants(using.target):
            symbol = template.resolution.targets.get(each)
            if isinstance(symbol, Symbol):
                made_of.setdefault(symbol, set()).update(named)
    return made_of


def _attributes(symbols: set[Symbol], made_of: Mapping[Symbol, set[Symbol]], no_ints: Set[Symbol]) -> frozenset[Symbol]:
    found: set[Symbol] = set()
    pending = set(symbols)
    while pending:
        symbol = pending.pop()
        if symbol not in found:
            found.add(symbol)
            pending |= made_of.get(symbol, set())
    return frozenset(each for each in found if each.kind is SymbolKind.ATTRIBUTE and each not in no_ints)


def _note_choosing(template: Template, node: nodes.Node, items: set[Symbol], counts: set[Symbol]) -> None:
    match node:
        case nodes.Subscript(target=target, index=index):
            if not is_tensor(template, target):
                items |= symbols_below(template, index)
        case nodes.Substitution(index=index):
            items |= symbols_below(template, index)
        case nodes.Access(indices=(*positions, _)):
            for position in positions:
                items |= symbols_below(template, position)
        case nodes.List(items=listed):
            for each in listed:
                if isinstance(each, nodes.Range):
                    counts |= symbols_below(template, each)
        case nodes.Expansion(length=length) | nodes.Pack(length=length) if length is not None:
            counts |= symbols_below(template, length)
        case nodes.Unroll(count=count):
            counts |= symbols_below(template, count)
        case nodes.Binary(operator=operator, left=left, right=right) if operator.text == "in":
            if not _is_list_of_numbers(right):
                items |= symbols_below(template, left) | symbols_below(template, right)


def _is_list_of_numbers(node: nodes.Node) -> bool:
    return isinstance(node, nodes.List) and all(isinstance(each, nodes.Literal) for each in node.items)


def _least_lengths(template: Template) -> Iterator[tuple[object, int]]:
    """Yield the packs of extents of inputs, such as ``s..(d + 2)``, with the number of items that they always have."""
    for member in template.inputs:
        for extent in () if member.node.shape is None else member.node.shape.extents:
            if extent.expansion is not None and extent.value is not None:
                yield template.resolution.targets.get(extent.value), _items_added(extent.expansion)


def _items_added(node: nodes.Node) -> int:
    """Return the number that an expansion adds to a length, 2 in ``s..(d + 2)``; 0 for anything else."""
    match node:
        case nodes.Expansion(
            length=nodes.Binary(operator=sign, left=nodes.Qualified(), right=nodes.Literal() as added)
        ):
            return added.value if sign.text == "+" and type(added.value) is int else 0
    return 0
