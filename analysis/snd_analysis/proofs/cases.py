"""The cases of an operator: ranks and lengths of packs, strings, what optional values are there.

Within a case all sizes and numbers are unknowns, so that one question decides about all of them. Packs are looked at up
to a length that is above all numbers by which the operator can tell one length from another; longer ones are taken to
be like these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod

from msgspec import Struct

from snd_analysis.compose import InputShapes, Member, Session, Specialization, Template, ValueScope, declare_root
from snd_analysis.model import Tensor
from snd_analysis.proofs.lengths import choices_of, lengths_of, symbols_below
from snd_analysis.proofs.limits import LONGEST_LENGTH, MOST_CASES
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Leaf
from snd_analysis.symbolic.values import NULL, UNDEFINED, CompileTime, Maybe, Pack, Run, Unknown, Value, substitute

_OTHERS = ("other", "another")
"""Strings that the operator does not name: two, for attributes may be compared."""


class Case(Struct, frozen=True):
    """What is given: attributes and shapes of inputs with unknowns in them."""

    attributes: Mapping[str, Value]
    inputs: Mapping[str, InputShapes]
    dtypes: Mapping[str, str]


class Cases(Struct, frozen=True):
    """All cases of an operator, small ones first. ``reason`` says why there may be others; empty if there are none."""

    rows: tuple[_Row, ...]
    reason: str = ""

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(row.count for row in self.rows)

    def __iter__(self) -> Iterator[Case]:
        return chain.from_iterable(row.cases() for row in self.rows)


def cases_of(session: Session, template: Template) -> Cases | None:
    """Return the cases of an operator; None if its declarations can't be told apart into cases."""
    general = declare_root(session, template, {}, {}, {})
    if not general.inputs and template.inputs:
        return None
    return _Making(template, general).cases()


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


class _Making:
    def __init__(self, template: Template, general: Specialization) -> None:
        self._template = template
        self._general = general
        self._choices = choices_of(template)
        self._lengths = lengths_of(template, self._choices)
        self._asserted = _asserted_alone(template)
        self._reason = ""

    def cases(self) -> Cases:
        """Return the cases up to the greatest length with which there are not too many."""
        lengths = self._lengths
        least = max(LONGEST_LENGTH - 1, lengths.least + 1)
        for longest in range(lengths.longest, least - 1, -1):
            rows, is_all = self._rows_up_to(longest)
            if is_all or longest == least:
                break
        if not is_all:
            return Cases(rows, f"there are more than {MOST_CASES} cases")
        if lengths.compared and longest < lengths.longest and not lengths.reason:
            return Cases(
                rows, f"'{lengths.compared}' is taken for a number, but there are too many cases of long packs"
            )
        return Cases(rows, lengths.reason or self._reason)

    def _rows_up_to(self, longest: int) -> tuple[tuple[_Row, ...], bool]:
        """Return the cases with packs of these lengths, and whether these are all: there may be too many."""
        leaves = self._leaves()
        ranges = [range(max(0, leaf.low or 0), _least(longest, leaf.high) + 1) for leaf in leaves]
        if prod(map(len, ranges)) > MOST_CASES and longest > LONGEST_LENGTH - 1:
            return (), False
        rows: list[_Row] = []
        count = 0
        for each in sorted(product(*ranges), key=lambda each: (sum(each), each)):
            for dtypes in self._dtypes():
                row = self._row({leaf.key: at for leaf, at in zip(leaves, each, strict=True)}, dtypes)
                if row is None:
                    self._reason = "the shape of an input is not known"
                    continue
                rows.append(row)
                count += row.count
                if count > MOST_CASES:
                    return tuple(rows), False
        return tuple(rows), True

    def _leaves(self) -> list[Leaf]:
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
    def _row(self, lengths: Mapping[object, int], dtypes: Mapping[str, str]) -> _Row | None:
        inputs: dict[str, Sequence[InputShapes]] = {}
        rank = 1
        for member, value in zip(self._template.inputs, self._general.inputs, strict=True):
            shape = _rows(value.value if isinstance(value, Maybe) else value, lengths)
            if shape is None:
                return None
            rank = max([rank, *map(len, shape)])
            inputs[member.name] = (shape, None) if member.node.optional else (shape,)
        attributes = {each.name: self._values(each, lengths, dtypes, rank) for each in self._template.attributes}
        return _Row(attributes, inputs, dtypes)

    def _dtypes(self) -> tuple[Mapping[str, str], ...]:
        """Return the generic types: by default real, and int if that may make a difference."""
        given = {each.name.text: each.default.text if each.default else "real" for each in self._template.generics}
        numbers = [each.name.text for each in self._template.generics if each.base.text in ("type", "num", "arith")]
        if not numbers or not _divides(self._template):
            return (given,)
        return given, {**given, **dict.fromkeys(numbers, "int")}

    def _values(
        self, member: Member, lengths: Mapping[object, int], dtypes: Mapping[str, str], rank: int
    ) -> Sequence[Value]:
        single = dtypes.get(member.node.type.text, member.node.type.text)
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
                single_items = [self._single(member, single, name, rank, is_item=count > 1) for name in names]
                items = [
                    [each for each in values if not self._is_refused(member, Pack((each,)), lengths, True)]
                    for values in single_items
                ]
                if prod(map(len, items)) > MOST_CASES:
                    self._reason = f"there are more than {MOST_CASES} cases"
                    items = [values[:2] for values in items]
                found = [Pack(each, dtype=single) for each in product(*items)]
        if len(found) > 1:
            found = [each for each in found if not self._is_refused(member, each, lengths)]
        return (*found, NULL) if member.node.optional else found

    def _is_refused(self, member: Member, value: Value, lengths: Mapping[object, int], is_item: bool = False) -> bool:
        """Return whether an assertion about nothing but an attribute and lengths does not hold.

        Of an item, assertions are asked that hold for a pack if they do for each of its items.
        """
        for condition in self._asserted.get(member.symbol, ()):
            if is_item and not _is_itemwise(condition):
                continue
            scope = self._general.scope
            named = {each: scope.value_of(each) for each in self._template.symbols(condition)}
            known = {each: substitute(of, lengths) for each, of in named.items() if of is not UNDEFINED}
            tried = ValueScope(self._template, {**known, member.symbol: value}, scope.dtypes)
            if _is_false(tried.attempt(condition)):
                return True
        return False

    def _single(self, member: Member, dtype: str, name: str, rank: int, is_item: bool = False) -> list[Value]:
        key = CompileTime(("any", name))
        match dtype:
            case "int" if member.symbol in self._choices.items or member.symbol in self._choices.counts:
                # Of many items none is out of range: one that is does what a single one does.
                if is_item:
                    return [shapes.constant(each) for each in range(-1, rank)]
                beyond = max(rank, self._choices.longest_list)
                counted = range(self._lengths.longest + 1) if member.symbol in self._choices.counts else ()
                return [shapes.constant(each) for each in sorted({-rank - 1, -rank, *range(-1, beyond + 1), *counted})]
            case "int":
                return [shapes.variable(key, name, None, None)]
            case "bool":
                return [TRUE, FALSE]
            case "str":
                several = sum(each.node.type.text == "str" for each in self._template.attributes) > 1
                return [*_strings_of(self._template, member.symbol), *_OTHERS[: 1 + several]]
        return [Unknown(dtype, key, name)]


def _is_false(value: Value) -> bool:
    items = value.items if isinstance(value, Pack) else (value,)
    return any(each is FALSE for each in items or ())


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


def _strings_of(template: Template, symbol: Symbol) -> list[str]:
    """Return the strings that a definition compares with anything, where it names the attribute."""
    found: dict[str, None] = {}
    for block in template.definition.blocks:
        if isinstance(block, nodes.Block) and block.kind is BlockKind.ATTRIB:
            continue
        for each in nodes.descendants(block):
            if isinstance(each, nodes.Binary) and symbol in symbols_below(template, each.left):
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


def _is_itemwise(condition: nodes.Expression) -> bool:
    """Return whether a condition says the same of each item of a pack, whatever the others are."""
    others = (nodes.Fold, nodes.Subscript, nodes.Substitution, nodes.List, nodes.Range)
    return not any(isinstance(each, others) for each in nodes.descendants(condition))


def _divides(template: Template) -> bool:
    """Return whether there is a division outside of the declarations of attributes: ints can't be divided by zero."""
    return any(
        isinstance(each, nodes.Binary) and each.operator.text in ("/", "\\", "%")
        for block in template.definition.blocks
        if isinstance(block, nodes.Block) and block.kind is not BlockKind.ATTRIB
        for each in nodes.descendants(block)
    )


def _asserted_alone(template: Template) -> Mapping[Symbol, Sequence[nodes.Expression]]:
    """Return the assertions about a single attribute, by the attribute."""
    found: dict[Symbol, list[nodes.Expression]] = {}
    for _, assertion in template.assertions:
        attributes = {each for each in template.symbols(assertion.condition) if each.kind is SymbolKind.ATTRIBUTE}
        if len(attributes) == 1:
            found.setdefault(attributes.pop(), []).append(assertion.condition)
    return found
