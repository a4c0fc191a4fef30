"""The cases of an operator: ranks and lengths of packs, strings, and presence of optional values.

All sizes and numbers of a case are unknowns, so that one question decides about all of them. Packs are looked at up to
a length above all numbers by which the operator can distinguish lengths; longer packs behave like these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate, product
from math import prod
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import InputShapes, Member, Session, Specialization, Template, ValueScope, declare_root
from snd_analysis.model import Shape, Tensor
from snd_analysis.proofs.case_analysis.lengths import choices_of, lengths_of, lengths_text
from snd_analysis.proofs.case_analysis.relevant_attributes import (
    optional_attributes,
    relevant_symbols,
    strings_of,
    symbols_named,
    told_apart,
)
from snd_analysis.proofs.goal import Gap
from snd_analysis.proofs.limits import (
    FEW_CASES,
    LONGEST_LENGTH,
    MOST_CASES,
    MOST_GENERAL_CASES,
    MOST_REQUIRED,
    MOST_TOGETHER,
)
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Leaf
from snd_analysis.symbolic.values import (
    NULL,
    UNDEFINED,
    CompileTime,
    Element,
    ItemRun,
    Maybe,
    OperationError,
    Pack,
    Unknown,
    Value,
    substitute,
)


# ---- attributes that decide about shapes -----------------------------------------------------------------------------
def shaping_attributes(template: Template) -> list[Member]:
    """Return the attributes that the shapes of inputs name."""
    shapes = [each.node.shape for each in template.inputs if each.node.shape is not None]
    packs = [each.node.pack for each in template.inputs if each.node.pack is not None]
    named = set(symbols_named(template, [*shapes, *packs]))
    return [each for each in template.attributes if each.symbol in named]


# ---- the cases of an operator ----------------------------------------------------------------------------------------
_OTHERS = ("other", "another")
"""Strings that the operator does not name: two, for attributes may be compared."""


class ParameterCase(Struct, frozen=True):
    """One case: attributes and shapes of inputs, with unknowns in them."""

    attributes: Mapping[str, Value]
    inputs: Mapping[str, InputShapes]
    dtypes: Mapping[str, str]


Cases: TypeAlias = "Iterator[tuple[ParameterCase, bool] | Gap]"
"""Cases, each with whether nothing is proved without it, and why there may be others."""


def cases_of(session: Session, template: Template, seconds_left: Callable[[], float]) -> Cases | None:
    """Return the cases of an operator, small ones first; None if its declarations can't be divided into cases.

    Cases are made on demand; most are not made if one of the first decides.
    """
    general = declare_root(session, template, {}, {}, {})
    if not general.inputs and template.inputs:
        return None
    return _Making(session, template, general).cases(seconds_left)


class CaseRow(Struct, frozen=True):
    """The cases of one choice of lengths: every combination of possible values of each attribute and input."""

    attributes: Mapping[str, Sequence[Value]]
    inputs: Mapping[str, Sequence[InputShapes]]
    dtypes: Mapping[str, str]
    length: int
    """The sum of the lengths of all packs."""
    counts: frozenset[str]
    """The attributes that say how many items there are."""
    is_required: bool = True
    """True if these cases are part of every proof."""
    most: int | None = None
    """The maximum sum of lengths and of the attributes that count items; None for no maximum."""
    irrelevant: Callable[[Mapping[str, Value]], Collection[str]] = lambda values: ()
    """The attributes on which no condition depends beside some values of the others."""

    @property
    def count(self) -> int:
        """The number of combinations."""
        return prod(len(each) for each in (*self.attributes.values(), *self.inputs.values()))

    @property
    def amounts(self) -> Counter[int]:
        """The number of cases for each sum of lengths and of attributes that count items."""
        found = Counter({self.length: prod(len(each) for each in self.inputs.values())})
        for name, values in self.attributes.items():
            added = Counter(_amount(value) if name in self.counts else 0 for value in values)
            after: Counter[int] = Counter()
            for (amount, count), (more, times) in product(found.items(), added.items()):
                after[amount + more] += count * times
            found = after
        return found

    def cases(self) -> Iterator[tuple[ParameterCase, bool]]:
        """Yield the cases of the row, each with True if nothing is proved without the case."""
        for values in self._chosen(tuple(self.attributes), self.length):
            attributes = dict(zip(self.attributes, values, strict=True))
            if any(attributes[name] is not self.attributes[name][0] for name in self.irrelevant(attributes)):
                continue  # the case with the first value decides
            for given in product(*self.inputs.values()):
                yield (
                    ParameterCase(attributes, dict(zip(self.inputs, given, strict=True)), self.dtypes),
                    self.is_required,
                )

    def _chosen(self, names: Sequence[str], amount: int) -> Iterator[tuple[Value, ...]]:
        """Yield the values of the attributes for which this sum is not above ``most``."""
        if self.most is not None and amount > self.most:
            return
        if not names:
            yield ()
            return
        for value in self.attributes[names[0]]:
            more = _amount(value) if names[0] in self.counts else 0
            yield from ((value, *others) for others in self._chosen(names[1:], amount + more))


def _amount(value: Value) -> int:
    """Return the contribution of the value of an attribute that counts items: at least 1 if it is given."""
    return max(1, abs(value.value)) if isinstance(value, Integer) and value.value is not None else 0


def _in_order(of: Integer) -> Sequence[Leaf]:
    return sorted(of.leaves, key=lambda each: each.name)


def _least(a: int, b: int | None) -> int:
    return a if b is None else min(a, b)


class _Making:
    def __init__(self, session: Session, template: Template, general: Specialization) -> None:
        self._session = session
        self._template = template
        self._general = general
        self._values = _Values(template)
        self._given = _leaves_of_attributes(general)
        self._lengths = self._values.lengths
        self._dtypes = _dtypes_of(template)

    def cases(self, seconds_left: Callable[[], float]) -> Cases:
        """Yield the cases: all cases of short packs, and cases of longer packs while there is time.

        Distinguishing cases may take half of the remaining time.
        """
        lengths = self._lengths
        are_named = all(map(_is_known, self._general.inputs))
        rows = self._of_patterns if are_named else self._of_ranks
        required = lengths.required_alone if are_named and len(self._leaves()) == 1 else lengths.required
        pending = rows(0, required)
        small = _in_time(pending, seconds_left)
        count, held = 0, list[CaseRow]()
        for row in small:
            count += row.count
            if count > FEW_CASES:
                held = [row, *small]
                break
            yield from row.cases()
        if required < LONGEST_LENGTH and sum(row.count for row in held) > MOST_REQUIRED:
            held = _fewer(held)
        for row in held:
            yield from row.cases()
        if next(pending, None) is not None:
            yield Gap("there are more lengths of packs than can be told apart")
            return
        if reason := lengths.reason or self._values.reason:
            yield Gap(reason)
        elif lengths.number is not None:
            yield Gap(lengths_text(lengths.number, lengths.longest))
        for row in rows(required + 1, lengths.longest):
            yield from replace(row, is_required=False).cases()

    def _of_patterns(self, shortest: int, longest: int) -> Iterator[CaseRow]:
        """Yield the cases of lengths that declarations name, at least one of them not below ``shortest``."""
        leaves = self._leaves()
        lows = [max(0, leaf.low or 0) for leaf in leaves]
        ends = [max(low, _least(longest, leaf.high)) for low, leaf in zip(lows, leaves, strict=True)]
        for each in _small_first(range(low, end + 1) for low, end in zip(lows, ends, strict=True)):
            if max(each, default=0) >= shortest:
                lengths = {leaf.key: at for leaf, at in zip(leaves, each, strict=True)}
                inputs = {
                    member.name: _rows(member, _present(value), lengths, self._given)
                    for member, value in zip(self._template.inputs, self._general.inputs, strict=True)
                }
                yield from self._rows_of(self._general, {}, inputs, lengths, sum(each))

    def _of_ranks(self, shortest: int, longest: int) -> Iterator[CaseRow]:
        """Yield the cases of operators whose attributes decide the number of extents of a name in declarations."""
        inputs = self._template.inputs
        shaping = shaping_attributes(self._template)
        ranges = [range(longest + 1) for each in inputs for _ in range(1 + (each.node.pack is not None))]
        for each in _small_first(ranges):
            if max(each, default=0) >= shortest:
                lengths = iter(each)
                given = {member.name: _any_shapes(member, lengths) for member in inputs}
                values = [self._values.of(member, self._general, {}, longest) for member in shaping]
                for chosen in product(*values):
                    attributes = dict(zip((member.name for member in shaping), chosen, strict=True))
                    known = declare_root(self._session, self._template, attributes, {}, given)
                    if known.inputs:
                        for counts in self._attribute_lengths(known, longest):
                            yield from self._rows_of(known, attributes, given, counts, sum((*each, *counts.values())))

    def _attribute_lengths(self, known: Specialization, longest: int) -> Iterator[Mapping[object, int]]:
        """Yield the lengths of attributes that inputs don't determine."""
        found = (_attribute_length(each, known) for each in self._template.attributes)
        keys = list(dict.fromkeys(leaf.key for length in found if length is not None for leaf in _in_order(length)))
        for each in product(range(longest + 1), repeat=len(keys)):
            yield dict(zip(keys, each, strict=True))

    def _rows_of(
        self,
        known: Specialization,
        attributes: Mapping[str, Value],
        inputs: Mapping[str, InputShapes],
        lengths: Mapping[object, int],
        length: int,
    ) -> Iterator[CaseRow]:
        """Yield the cases of inputs of these shapes."""
        members = self._template.inputs
        rank = max([1, *(len(row) for rows in inputs.values() for row in rows or ())])
        shapes_ = {
            each.name: (inputs[each.name], None) if each.node.optional else (inputs[each.name],) for each in members
        }
        for dtypes in self._dtypes:
            values = {
                each.name: (attributes[each.name],)
                if each.name in attributes
                else self._values.of(each, known, lengths, rank, dtypes)
                for each in self._template.attributes
            }
            irrelevant = self._values.irrelevant
            yield CaseRow(values, shapes_, dtypes, length, self._values.counts, irrelevant=irrelevant)

    def _leaves(self) -> list[Leaf]:
        """Return the unknown lengths and ranks."""
        found: dict[object, Leaf] = {}
        for length in self._all_lengths():
            for leaf in _in_order(length):
                found.setdefault(leaf.key, leaf)
        return list(found.values())

    def _all_lengths(self) -> Iterator[Integer]:
        for member in self._template.attributes:
            length = _attribute_length(member, self._general)
            if length is not None:
                yield length
        for value in self._general.inputs:
            present = _present(value)
            if isinstance(present, Pack):
                yield present.length
            for tensor in _tensors(present):
                if tensor.shape is not None:
                    yield Pack(tensor.shape, dtype="int").length


def _in_time(rows: Iterator[CaseRow], seconds_left: Callable[[], float]) -> Iterator[CaseRow]:
    """Yield rows until making them has taken half of the time that was left."""
    most = seconds_left() / 2
    while most > 0:
        before = seconds_left()
        row = next(rows, None)
        most -= before - seconds_left()
        if row is None:
            return
        yield row


def _fewer(rows: Sequence[CaseRow]) -> list[CaseRow]:
    """Return rows without the cases in which the sum of lengths and numbers of items is large."""
    together = sum((row.amounts for row in rows), Counter[int]())
    counts = accumulate(together[amount] for amount in sorted(together))
    reaching = zip(sorted(together), counts, strict=True)
    most = next((amount for amount, count in reaching if count >= MOST_REQUIRED), 0) - 1
    return [replace(row, most=max(most, MOST_TOGETHER)) for row in rows]


def _small_first(ranges: Iterable[range]) -> Sequence[tuple[int, ...]]:
    return sorted(product(*ranges), key=lambda each: (sum(each), each))


def _present(value: Value) -> Value:
    return value.value if isinstance(value, Maybe) else value


def _is_known(value: Value) -> bool:
    """Return whether names and lengths determine the shapes of an input."""
    return any(True for _ in _tensors(_present(value))) and all(
        tensor.shape is not None for tensor in _tensors(_present(value))
    )


def _any_shapes(member: Member, lengths: Iterator[int]) -> tuple[tuple[Integer, ...], ...]:
    """Return shapes of any extents. The tensors of a pack have one rank."""
    count = 1 if member.node.pack is None else next(lengths)
    rank = next(lengths)
    return tuple(tuple(_any_extent(member, at, axis) for axis in range(rank)) for at in range(count))


def _any_extent(member: Member, at: int, axis: int) -> Integer:
    return shapes.variable(CompileTime((member.name, at, axis)), f"{member.name}[{at}].shape[{axis}]", 0, None)


def _dtypes_of(template: Template) -> tuple[Mapping[str, str], ...]:
    """Return the generic types: by default real, and int if that may make a difference."""
    given = {each.name.text: each.default.text if each.default else "real" for each in template.generics}
    numbers = [each.name.text for each in template.generics if each.base.text in ("type", "num", "arith")]
    if not numbers or not _divides(template):
        return (given,)
    return given, {**given, **dict.fromkeys(numbers, "int")}


# ---- values of attributes --------------------------------------------------------------------------------------------
def _attribute_length(member: Member, known: Specialization) -> Integer | None:
    pack = member.node.pack
    if pack is None:
        return None
    value = _present(known.scope.values.get(member.symbol, UNDEFINED))
    if isinstance(value, Pack):
        return value.length
    if pack.length is None or isinstance(pack.length, nodes.Tilde):
        return None
    length = known.scope.attempt(pack.length)
    return length if isinstance(length, Integer) else None


class _Asked(Struct, frozen=True):
    """An assertion about an attribute, with the values of all other symbols.

    Only assertions that hold for a pack if they hold for each of its items are used for a single item.
    """

    condition: nodes.Expression
    known: Mapping[Symbol, Value]
    dtypes: dict[str, str]


class _Values:
    """The values of attributes that make cases of their own."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self.choices = choices_of(template)
        self.lengths = lengths_of(template, self.choices)
        self._asserted = _asserted_alone(template)
        self._relevant = relevant_symbols(template)
        self._optional = optional_attributes(template)
        self._irrelevant: dict[frozenset[Symbol], Collection[str]] = {}
        self.counts = frozenset(each.name for each in template.attributes if each.symbol in self.choices.counts)
        self.reason = ""

    def irrelevant(self, values: Mapping[str, Value]) -> Collection[str]:
        """Return the attributes that only fallbacks of given values name, beside those on which nothing depends."""
        given = frozenset(each for each in self._optional if values[each.name] is not NULL)
        if given not in self._irrelevant:
            others = self._relevant - relevant_symbols(self._template, given) if given else ()
            self._irrelevant[given] = [each.name for each in self._template.attributes if each.symbol in others]
        return self._irrelevant[given]

    def of(
        self,
        member: Member,
        known: Specialization,
        lengths: Mapping[object, int],
        rank: int,
        dtypes: Mapping[str, str] | None = None,
    ) -> Sequence[Value]:
        """Return the values of an attribute where these lengths, the greatest rank and declarations are known."""
        single = (dtypes or {}).get(member.node.type.text, member.node.type.text)
        length = _attribute_length(member, known)
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
                items = self._items(member, single, rank, count, self._asked(member, known, lengths))
                if prod(map(len, items)) > MOST_CASES:
                    self.reason = f"there are more than {MOST_CASES} cases"
                    items = [values[:2] for values in items]
                found = [Pack(each, dtype=single) for each in product(*items)]
        if len(found) > 1:
            asked = self._asked(member, known, lengths)
            if member.node.pack is not None:
                asked = [each for each in asked if not _is_itemwise(each.condition)]
            found = [each for each in found if not self._is_refused(member, each, asked)]
        if member.symbol not in self._relevant and found:
            return found[:1]
        return (*found, NULL) if member.node.optional else found

    def _items(
        self, member: Member, dtype: str, rank: int, count: int, asked: Sequence[_Asked]
    ) -> Sequence[Sequence[Value]]:
        """Return the values of each item of a pack; items without a name of their own are judged once."""
        asked = [each for each in asked if _is_itemwise(each.condition)]
        judged: dict[Value, bool] = {}
        items = []
        for at in range(count):
            values = self._single(member, dtype, f"{member.name}[{at}]", rank, count)
            for each in values:
                if each not in judged:
                    judged[each] = self._is_refused(member, Pack((each,)), asked)
            items.append([each for each in values if not judged[each]])
        return items

    def _asked(self, member: Member, known: Specialization, lengths: Mapping[object, int]) -> Sequence[_Asked]:
        """Return the assertions about only an attribute and lengths, with the values of the other symbols they name."""
        found = []
        for condition in self._asserted.get(member.symbol, ()):
            named = {each: known.scope.value_of(each) for each in self._template.symbols(condition)}
            substituted = {each: _substituted(of, lengths) for each, of in named.items()}
            values = {each: of for each, of in substituted.items() if of is not UNDEFINED}
            found.append(_Asked(condition, values, known.scope.dtypes))
        return found

    def _is_refused(self, member: Member, value: Value, asked: Sequence[_Asked]) -> bool:
        """Return whether one of some assertions does not hold."""
        scopes = (ValueScope(self._template, {**each.known, member.symbol: value}, each.dtypes) for each in asked)
        return any(_is_false(scope.attempt(each.condition)) for scope, each in zip(scopes, asked, strict=True))

    def _single(self, member: Member, dtype: str, name: str, rank: int, count: int = 1) -> list[Value]:
        key = CompileTime(("any", name))
        match dtype:
            case "int" if member.symbol in self.choices.items or member.symbol in self.choices.counts:
                # Several items are never out of range: such an item behaves as if it were the only one. Indices from
                # the end behave in long packs as in short ones.
                from_end = [] if max(rank, count) > self.lengths.required else [-1]
                chosen = max(rank, self.choices.longest_list)
                if count > 1 and not self.lengths.are_numbers:
                    return [shapes.constant(each) for each in (*from_end, *range(chosen))]
                told = self.lengths.longest if self.lengths.are_numbers else self.lengths.least + 1
                beyond = max(chosen, told)
                counted = range(self.lengths.longest + 1) if member.symbol in self.choices.counts else ()
                lowest = range(-told - 1, 0) if told > 1 else (-rank - 1, -rank if from_end else -rank - 1, *from_end)
                return [shapes.constant(each) for each in sorted({*lowest, -rank - 1, *range(beyond + 1), *counted})]
            case "int":
                return [shapes.variable(key, name, None, None)]
            case "bool":
                return [TRUE, FALSE]
            case "str":
                several = sum(each.node.type.text == "str" for each in self._template.attributes) > 1
                strings = [*strings_of(self._template, member.symbol), *_OTHERS[: 1 + several]]
                return [*told_apart(self._template, member.symbol, strings)]
        return [Unknown(dtype, key, name)]


def _substituted(value: Value, lengths: Mapping[object, int]) -> Value:
    """Return a value for these lengths; UNDEFINED if it has none, such as ``6 / k`` for no item."""
    try:
        return substitute(value, lengths)
    except OperationError:
        return UNDEFINED


def _is_false(value: Value) -> bool:
    items = value.items if isinstance(value, Pack) else (value,)
    return any(each is FALSE for each in items or ())


def _tensors(value: Value) -> Iterator[Tensor]:
    for each in value.elements if isinstance(value, Pack) else (value,):
        if isinstance(each, Tensor):
            yield each


def _leaves_of_attributes(general: Specialization) -> frozenset[Hashable]:
    """Return the unknowns for attributes that are not given; each case has its own values for them."""
    found: set[Hashable] = set()
    for member in general.template.attributes:
        value = _present(general.scope.values.get(member.symbol, UNDEFINED))
        for item in value.elements if isinstance(value, Pack) else (value,):
            found |= _unknowns_of(item) if isinstance(item, Integer) else set()
    return frozenset(found)


def _unknowns_of(extent: Integer) -> set[Hashable]:
    """Return the unknowns in an extent, and the packs that unknown items belong to."""
    return {leaf.key.pack if isinstance(leaf.key, Element) else leaf.key for leaf in extent.leaves}


def _rows(
    member: Member, value: Value, lengths: Mapping[object, int], given: Set[Hashable]
) -> tuple[tuple[Integer, ...], ...] | None:
    """Return the shapes of an input, for a pack one for each tensor; None if they are not known.

    Extents that depend on attributes are unknowns here; as for callers, checks compare them with the declared ones.
    """
    tensors: Sequence[Value] | None = (value,)
    if isinstance(value, Pack):
        segments = [
            ItemRun(shapes.substitute(each.length, lengths), each.element) if isinstance(each, ItemRun) else each
            for each in value.segments
        ]
        tensors = Pack(segments).items
    rows: list[tuple[Integer, ...]] = []
    for at, tensor in enumerate(tensors or ()):
        shape = tensor.shape if isinstance(tensor, Tensor) else None
        known = {**lengths, **dict.fromkeys(_places_in_pack(shape or ()), at)}
        row = UNDEFINED if shape is None else substitute(Pack(shape, dtype="int"), known)
        items = row.items if isinstance(row, Pack) else None
        if items is None or not all(isinstance(each, Integer) for each in items):
            return None
        rows.append(
            tuple(
                _known_when_composed(each) if given.isdisjoint(_unknowns_of(each)) else _any_extent(member, at, axis)
                for axis, each in enumerate(items)
                if isinstance(each, Integer)
            )
        )
    return None if tensors is None else tuple(rows)


def _places_in_pack(shape: Shape) -> Iterator[Hashable]:
    """Yield the unknowns for the position of a tensor in its pack, for extents that differ between tensors."""
    for extent in shape:
        for leaf in extent.leaves if isinstance(extent, Integer) else ():
            if isinstance(leaf.key, Element):
                yield from (each.key for each in leaf.key.index.leaves)


def _known_when_composed(extent: Integer) -> Integer:
    """Return an extent with unknowns that callers know, so that 'is' compares it as for given sizes."""
    leaves = {
        leaf.key: shapes.variable(CompileTime(leaf.key), leaf.name, leaf.low, leaf.high) for leaf in extent.leaves
    }
    return shapes.substitute(extent, leaves)


def _is_itemwise(condition: nodes.Expression) -> bool:
    """Return whether a condition says the same about each item of a pack, independently of the others."""
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
    for base, assertion in template.assertions:
        if template.is_wrong(base, assertion):
            continue
        attributes = {each for each in template.symbols(assertion.condition) if each.kind is SymbolKind.ATTRIBUTE}
        if len(attributes) == 1:
            found.setdefault(attributes.pop(), []).append(assertion.condition)
    return found


# ---- the case in which ranks and lengths of packs are unknowns: its proofs hold for all lengths ----------------------
# Only formulas that treat all items alike can be analysed in it. Strings, bools and null make cases as elsewhere.


# ---- the case in which ranks and lengths of packs are unknowns -------------------------------------------------------
def general_cases(template: Template, cases: Iterable[ParameterCase]) -> Sequence[ParameterCase]:
    """Return cases with unknown lengths that cover all other choices of ``cases``; none if there is no such cover.

    Inputs and packs of attributes are left out of a general case, so that declarations make unknowns of them.
    """
    if any(member.node.optional for member in template.inputs):
        return ()
    found: dict[object, ParameterCase] = {}
    for case in cases:
        attributes = _attributes(template.attributes, case.attributes)
        if attributes is None:
            return ()
        key = (tuple(attributes.items()), tuple(case.dtypes.items()))
        found.setdefault(key, ParameterCase(attributes, {}, case.dtypes))
        if len(found) > MOST_GENERAL_CASES:
            return ()
    return tuple(found.values())


def _attributes(members: Sequence[Member], values: Mapping[str, Value]) -> dict[str, Value] | None:
    """Return the values of attributes without lengths; None if an optional pack has a length."""
    found: dict[str, Value] = {}
    for member in members:
        value = values[member.name]
        if value is NULL:
            found[member.name] = NULL
        elif member.node.pack is not None or isinstance(value, Pack):
            if member.node.optional:
                return None
        elif isinstance(value, Integer):
            found[member.name] = shapes.variable(CompileTime(("any", member.name)), member.name, None, None)
        else:
            found[member.name] = value
    return found
