"""The cases of an operator: ranks and lengths of packs, strings, what optional values are there.

Within a case all sizes and numbers are unknowns, so that one question decides about all of them. Packs are looked at up
to a length that is above all numbers by which the operator can tell one length from another; longer ones are taken to
be like these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from msgspec import Struct, field

from snd_analysis.compose import InputShapes, Member, Session, Specialization, Template, compose_root
from snd_analysis.model import Tensor
from snd_analysis.proofs.limits import LONGEST_LENGTH, MOST_CASES, MOST_NAMED
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Leaf
from snd_analysis.symbolic.values import NULL, UNDEFINED, CompileTime, Maybe, Pack, Run, Unknown, Value, substitute

_OTHER = "…"
"""A string that the operator does not name."""


class Case(Struct, frozen=True):
    """What is given: attributes and shapes of inputs with unknowns in them."""

    attributes: Mapping[str, Value]
    inputs: Mapping[str, InputShapes]
    dtypes: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What tells this case from others, for messages."""
        parts = [f"{name}=null" for name, value in self.attributes.items() if value is NULL]
        parts += [f"{name}='{value}'" for name, value in self.attributes.items() if isinstance(value, str)]
        parts += [f"'{name}' of rank {len(rows[0])}" for name, rows in self.inputs.items() if rows]
        return ", ".join(parts)


def cases_of(session: Session, template: Template) -> Iterator[Case] | None:
    """Yield the cases of an operator, small ones first; None if its declarations can't be told apart into cases."""
    general = compose_root(session, template, {}, {})
    if not general.inputs and template.inputs:
        return None
    return _Cases(template, general).all()


class _Row(Struct, frozen=True):
    """The cases of one choice of lengths: every combination of what is possible for each attribute and input."""

    attributes: Mapping[str, Sequence[Value]]
    inputs: Mapping[str, Sequence[InputShapes]]
    dtypes: Mapping[str, str]

    @property
    def count(self) -> int:
        """How many cases there are."""
        return prod(len(each) for each in (*self.attributes.values(), *self.inputs.values()))

    def cases(self) -> Iterator[Case]:
        """Yield each of them."""
        for values in product(*self.attributes.values()):
            for given in product(*self.inputs.values()):
                attributes = dict(zip(self.attributes, values, strict=True))
                yield Case(attributes, dict(zip(self.inputs, given, strict=True)), self.dtypes)


def _least(a: int, b: int | None) -> int:
    return a if b is None else min(a, b)


class _Cases:
    def __init__(self, template: Template, general: Specialization) -> None:
        self._template = template
        self._general = general
        self._chosen = _choosing_attributes(template)
        self._longest = max([LONGEST_LENGTH, *_named_numbers(template)])

    def all(self) -> Iterator[Case]:
        """Yield the cases up to the greatest length with which there are not too many."""
        leaves = self._lengths()
        for longest in range(self._longest, LONGEST_LENGTH - 2, -1):
            ranges = [range(max(0, leaf.low or 0), _least(longest, leaf.high) + 1) for leaf in leaves]
            numbers = sorted(product(*ranges), key=lambda each: (sum(each), each))
            rows = [self._row({leaf.key: at for leaf, at in zip(leaves, each, strict=True)}) for each in numbers]
            if sum(row.count for row in rows if row is not None) <= MOST_CASES:
                break
        for row in rows:
            if row is not None:
                yield from row.cases()

    def _lengths(self) -> list[Leaf]:
        """Return the unknown lengths and ranks."""
        found: dict[object, Leaf] = {}
        for length in self._all_lengths():
            for leaf in sorted(length.leaves, key=lambda each: each.name):
                found.setdefault(leaf.key, leaf)
        return list(found.values())

    def _all_lengths(self) -> Iterator[Integer]:
        for member in self._template.attributes:
            length = self._attribute_length(member)
            if length is not None:
                yield length
        for value in self._general.inputs:
            present = value.value if isinstance(value, Maybe) else value
            if isinstance(present, Pack):
                yield present.length
            for tensor in _tensors(present):
                if tensor.shape is not None:
                    yield Pack(tensor.shape, dtype="int").length

    def _attribute_length(self, member: Member) -> Integer | None:
        pack = member.node.pack
        if pack is None:
            return None
        value = self._general.scope.values.get(member.symbol)
        present = value.value if isinstance(value, Maybe) else value
        if isinstance(present, Pack):
            return present.length
        if pack.length is None or isinstance(pack.length, nodes.Tilde):
            return None
        length = self._general.scope.attempt(pack.length)
        return length if isinstance(length, Integer) else None

    # ---- one choice of lengths ---------------------------------------------------------------------------------------
    def _row(self, lengths: Mapping[object, int]) -> _Row | None:
        inputs: dict[str, Sequence[InputShapes]] = {}
        rank = 1
        for member, value in zip(self._template.inputs, self._general.inputs, strict=True):
            shape = _rows(value.value if isinstance(value, Maybe) else value, lengths)
            if shape is None:
                return None
            rank = max([rank, *map(len, shape)])
            inputs[member.name] = (shape, None) if member.node.optional else (shape,)
        attributes = {each.name: self._values(each, lengths, rank) for each in self._template.attributes}
        dtypes = {each.name.text: each.default.text if each.default else "real" for each in self._template.generics}
        return _Row(attributes, inputs, dtypes)

    def _values(self, member: Member, lengths: Mapping[object, int], rank: int) -> Sequence[Value]:
        single = self._general.scope.element_type(member.node.type)
        length = self._attribute_length(member)
        found: list[Value]
        if member.node.pack is None:
            found = self._single(member, single, member.name, rank)
        elif length is None:
            found = [UNDEFINED]
        else:
            count = shapes.substitute(length, lengths).value
            if count is None or count < 0:
                found = [UNDEFINED]
            else:
                names = [f"{member.name}[{at}]" for at in range(count)]
                items = [self._single(member, single, name, rank, is_item=count > 1) for name in names]
                found = [Pack(each, dtype=single) for each in product(*items)]
        return (*found, NULL) if member.node.optional else found

    def _single(self, member: Member, dtype: str, name: str, rank: int, is_item: bool = False) -> list[Value]:
        key = CompileTime(("any", name))
        match dtype:
            case "int" if member.symbol in self._chosen:
                # Of many items none is out of range: one that is does what a single one does.
                beyond = () if is_item else (-rank - 1, -rank, rank)
                return [shapes.constant(each) for each in sorted({*beyond, *range(-1, rank)})]
            case "int":
                return [shapes.variable(key, name, None, None)]
            case "bool":
                return [TRUE, FALSE]
            case "str":
                return [*_strings_of(self._template, member.symbol), _OTHER]
        return [Unknown(dtype, key, name)]


def _tensors(value: Value) -> Iterator[Tensor]:
    for each in value.elements if isinstance(value, Pack) else (value,):
        if isinstance(each, Tensor):
            yield each


def _rows(value: Value, lengths: Mapping[object, int]) -> tuple[tuple[Integer, ...], ...] | None:
    """Return the shapes of an input, of a pack one for each tensor; None if they are not known."""
    tensors: Sequence[Value] | None = (value,)
    if isinstance(value, Pack):
        segments = [
            Run(shapes.substitute(each.length, lengths), each.element) if isinstance(each, Run) else each
            for each in value.segments
        ]
        tensors = Pack(segments).items
    rows: list[tuple[Integer, ...]] = []
    for tensor in tensors or ():
        shape = tensor.shape if isinstance(tensor, Tensor) else None
        row = UNDEFINED if shape is None else substitute(Pack(shape, dtype="int"), lengths)
        items = row.items if isinstance(row, Pack) else None
        if items is None or not all(isinstance(each, Integer) for each in items):
            return None
        rows.append(tuple(each for each in items if isinstance(each, Integer)))
    return None if tensors is None else tuple(rows)


def _named_numbers(template: Template) -> Iterator[int]:
    """Yield the numbers that a definition compares lengths with, or chooses items by."""
    for block in template.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind is not BlockKind.ATTRIB:
            for each in nodes.descendants(block):
                if isinstance(each, nodes.Literal) and type(each.value) is int and each.value <= MOST_NAMED:
                    yield each.value


# ---- attributes that choose ------------------------------------------------------------------------------------------
def _choosing_attributes(template: Template) -> frozenset[Symbol]:
    """Return the attributes that choose items or say how many there are: each of their values is a case."""
    targets = template.resolution.targets
    made_of: dict[Symbol, set[Symbol]] = {}
    for _, using in template.using:
        named = _symbols_below(template, using.value)
        for each in nodes.descendants(using.target):
            symbol = targets.get(each)
            if isinstance(symbol, Symbol):
                made_of.setdefault(symbol, set()).update(named)
    pending: set[Symbol] = set()
    for block in template.definition.blocks:
        for each in nodes.descendants(block):
            pending |= _choosing_symbols(template, each)
    found: set[Symbol] = set()
    while pending:
        symbol = pending.pop()
        if symbol not in found:
            found.add(symbol)
            pending |= made_of.get(symbol, set())
    return frozenset(each for each in found if each.kind is SymbolKind.ATTRIBUTE)


def _choosing_symbols(template: Template, node: nodes.Node) -> set[Symbol]:
    match node:
        case nodes.Subscript(target=target, index=index):
            symbol = template.resolution.targets.get(target)
            if isinstance(symbol, Symbol) and symbol.is_tensor:
                return set()
            return _symbols_below(template, index)
        case nodes.Substitution(index=index):
            return _symbols_below(template, index)
        case nodes.Expansion(length=length) if length is not None:
            return _symbols_below(template, length)
        case nodes.Range(first=first, last=last, step=step):
            return set().union(*(_symbols_below(template, each) for each in (first, last, step) if each is not None))
        case nodes.Unroll(count=count):
            return _symbols_below(template, count)
        case nodes.Binary(operator=operator, left=left, right=right) if operator.text == "in":
            return _symbols_below(template, left) | _symbols_below(template, right)
    return set()


def _symbols_below(template: Template, node: nodes.Node) -> set[Symbol]:
    found = (template.resolution.targets.get(each) for each in (node, *nodes.descendants(node)))
    return {each for each in found if isinstance(each, Symbol)}


def _strings_of(template: Template, symbol: Symbol) -> list[str]:
    """Return the strings that a definition compares with anything, where it names the attribute."""
    found: dict[str, None] = {}
    for block in template.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind is BlockKind.ATTRIB:
            continue
        for each in nodes.descendants(block):
            if isinstance(each, nodes.Binary) and symbol in _symbols_below(template, each.left):
                for other in (each.right, *nodes.descendants(each.right), *_lists_named(template, each.right)):
                    if (
                        isinstance(other, nodes.String)
                        and len(other.parts) == 1
                        and isinstance(other.parts[0], nodes.Text)
                    ):
                        found[other.parts[0].value] = None
    return list(found)


def _lists_named(template: Template, node: nodes.Node) -> Iterator[nodes.Node]:
    """Yield what is below the value of a helper symbol that an expression is."""
    symbol = template.resolution.targets.get(node)
    for _, using in template.using:
        if any(template.resolution.targets.get(each) is symbol for each in nodes.descendants(using.target)) and symbol:
            yield from nodes.descendants(using.value)
