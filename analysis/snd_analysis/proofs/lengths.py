"""By which numbers an operator can tell lengths of packs from one another, and what its attributes choose.

A definition has only slices, items, folds and item-wise operations to treat packs of different lengths in different
ways. Where it takes a length for a number beside others, as in ``k > d + 2``, lengths are looked at up to the sum of
the numbers that it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from snd_analysis.compose import Template
from snd_analysis.proofs.limits import LONGEST_LENGTH, MOST_NAMED
from snd_analysis.skriptnd.names import ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


class Lengths(Struct, frozen=True):
    """How long packs have to be to behave as any longer one does."""

    least: int
    """The greatest position that is named: packs have to be longer for there to be any beyond."""
    longest: int
    reason: str
    """Why longer ones may behave differently; empty if they don't."""


class Choices(Struct, frozen=True):
    """Attributes of which each value is a case: those that choose items, and those that say how many there are."""

    items: frozenset[Symbol]
    counts: frozenset[Symbol]
    longest_list: int
    """Of those that are written out, as far as items of lists are chosen."""


def lengths_of(template: Template, choices: Choices) -> Lengths:
    """Return the lengths that are to be looked at."""
    reading = _Reading(template, choices)
    named = max([0, *(each for each in reading.positions if each <= MOST_NAMED)])
    longest = max(LONGEST_LENGTH, named + 1)
    if reading.compared is None:
        return Lengths(named, longest, "")
    wanted = max(longest, sum(reading.numbers) + 1)
    if wanted <= MOST_NAMED:
        return Lengths(named, wanted, "")
    reason = f"'{reading.compared}' is taken for a number, and lengths above {MOST_NAMED} are not looked at"
    return Lengths(named, MOST_NAMED, reason)


class _Reading:
    """What a definition says about lengths."""

    def __init__(self, template: Template, choices: Choices) -> None:
        self._template = template
        self._choices = choices
        self.positions: list[int] = []
        """Numbers that choose items or say how many there are."""
        self.numbers: list[int] = []
        """All others."""
        self.compared: str | None = None
        """A length that is taken for a number beside others than the positions that are chosen."""
        self._lengths = set(choices.counts - choices.items)
        for _, using in template.using:
            if any(is_length for _, is_length, _ in self._named(using.value)):
                below = symbols_below(template, using.target)
                self._lengths |= {each for each in below if each.kind is SymbolKind.USING}
        for block in template.definition.blocks:
            if isinstance(block, nodes.Block) and block.kind is not BlockKind.ATTRIB:
                for entry in block.entries:
                    self._read(entry, False)

    def _read(self, node: nodes.Node, is_position: bool, is_exempt: bool = False) -> None:
        match node:
            case nodes.Literal(value=int(value)) if not isinstance(value, bool):
                (self.positions if is_position else self.numbers).append(abs(value))
            case nodes.Name() | nodes.Qualified() if not is_position and not is_exempt:
                name = next((name for name, is_length, _ in self._named(node) if is_length), None)
                self.compared = self.compared or name
            case nodes.Subscript(target=target, index=index) if not self._is_tensor(target):
                self._read(target, is_position, is_exempt)
                self._read(index, True)
            case nodes.Substitution(target=target, index=index, value=value):
                self._read(target, is_position, is_exempt)
                self._read(index, True)
                self._read(value, is_position, is_exempt)
            case nodes.Access(indices=(*positions, index)):
                for position in positions:
                    self._read(position, True)
                self._read(index, False)
            case nodes.Expansion() | nodes.Range() | nodes.Pack():
                for each in nodes.children(node):
                    self._read(each, True)
            case nodes.Assertion(condition=condition):
                self._read(condition, False)
            case nodes.Parameter(name=_, shape=shape, pack=pack, default=default):
                for part in (shape, pack, default):
                    if part is not None:
                        self._read(part, False)
            case nodes.Binary(operator=operator) if (
                not is_position and operator.text in _COMPARISONS and self._is_range_of_positions(node)
            ):
                for each in nodes.children(node):
                    self._read(each, False, True)
            case nodes.Fold(operator=operator) if not is_position and operator.text in ("+", "*"):
                self.compared = self.compared or "a sum or product of a pack"
                self._read(node.operand, False, is_exempt)
            case _:
                for each in nodes.children(node):
                    self._read(each, is_position, is_exempt)

    def _is_range_of_positions(self, node: nodes.Binary) -> bool:
        """Return whether a length is the end of a range of positions: beside what chooses items, 0 and 1."""
        others = any(not is_length and symbol not in self._choices.items for _, is_length, symbol in self._named(node))
        numbers = (each.value for each in nodes.descendants(node) if isinstance(each, nodes.Literal))
        return not others and not any(type(each) is int and each > 1 for each in numbers)

    def _named(self, node: nodes.Node) -> Iterator[tuple[str, bool, object]]:
        """Yield what an expression names outside of positions: the name, whether it is a length, the symbol."""
        match node:
            case nodes.Expansion() | nodes.Range():
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
        symbol = self._template.resolution.targets.get(node)
        return isinstance(symbol, Symbol) and symbol.is_tensor


# ---- attributes that choose ------------------------------------------------------------------------------------------
def choices_of(template: Template) -> Choices:
    """Return the attributes that choose items, and those that say how many there are."""
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
        if isinstance(each, nodes.List)
    )
    return Choices(_attributes(items, made_of), _attributes(counts, made_of), max(lists, default=0))


def _helpers(template: Template) -> Mapping[Symbol, set[Symbol]]:
    made_of: dict[Symbol, set[Symbol]] = {}
    for _, using in template.using:
        named = symbols_below(template, using.value)
        for each in nodes.descendants(using.target):
            symbol = template.resolution.targets.get(each)
            if isinstance(symbol, Symbol):
                made_of.setdefault(symbol, set()).update(named)
    return made_of


def _attributes(symbols: set[Symbol], made_of: Mapping[Symbol, set[Symbol]]) -> frozenset[Symbol]:
    found: set[Symbol] = set()
    pending = set(symbols)
    while pending:
        symbol = pending.pop()
        if symbol not in found:
            found.add(symbol)
            pending |= made_of.get(symbol, set())
    return frozenset(each for each in found if each.kind is SymbolKind.ATTRIBUTE)


def _note_choosing(template: Template, node: nodes.Node, items: set[Symbol], counts: set[Symbol]) -> None:
    match node:
        case nodes.Subscript(target=target, index=index):
            symbol = template.resolution.targets.get(target)
            if not (isinstance(symbol, Symbol) and symbol.is_tensor):
                items |= symbols_below(template, index)
        case nodes.Substitution(index=index):
            items |= symbols_below(template, index)
        case nodes.List(items=listed):
            for each in listed:
                if isinstance(each, nodes.Range):
                    counts |= symbols_below(template, each)
        case nodes.Expansion(length=length) if length is not None:
            counts |= symbols_below(template, length)
        case nodes.Unroll(count=count):
            counts |= symbols_below(template, count)
        case nodes.Binary(operator=operator, left=left, right=right) if operator.text == "in":
            items |= symbols_below(template, left) | symbols_below(template, right)


def symbols_below(template: Template, node: nodes.Node) -> set[Symbol]:
    """Return the symbols that an expression names."""
    found = (template.resolution.targets.get(each) for each in (node, *nodes.descendants(node)))
    return {each for each in found if isinstance(each, Symbol)}
