"""Results of composing before an edit, for statements and declarations whose dependencies are unchanged.

A statement depends on the values of the symbols that it names, and tensors are compared by identity: so a recomputed
tensor that is equal to an earlier one is replaced by it, and dependent results stay valid as well.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Set
from operator import attrgetter
from typing import Any

from msgspec import Struct

from snd_analysis.compose.checks.obligations import Obligation
from snd_analysis.compose.dynamic import Dynamic
from snd_analysis.compose.failure import Failure
from snd_analysis.compose.limits import MOST_KNOWN_DECLARATIONS
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Member, Template
from snd_analysis.model import Operation, RuntimeCheck, Tensor, TensorValue, representative
from snd_analysis.skriptnd.names import (
    GroupRow,
    PassFold,
    PassResults,
    Resolution,
    ShapeMember,
    StatementPart,
    Symbol,
    SymbolKind,
    Target,
    is_ambiguous,
    is_long,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import ItemRun, Maybe, Pack, Segment, Value


class StatementModel(Struct, frozen=True, eq=False):
    """The additions of composing a statement without failures."""

    operations: tuple[Operation, ...]
    tensors: Mapping[str, TensorValue]
    values: dict[Symbol, Value]
    outputs: dict[Symbol, TensorValue]
    updated: dict[str, TensorValue]
    checks: tuple[RuntimeCheck, ...]
    dynamic: dict[Dynamic, Integer]
    invokes_obligations: bool
    steps: int
    used: tuple[Specialization, ...]

    @property
    def changed(self) -> Set[Symbol]:
        """The symbols that have values since."""
        return self.values.keys()


class DeclaredTensors(Struct, frozen=True, eq=False):
    """Constants or variables."""

    by_name: dict[str, TensorValue]
    by_symbol: dict[Symbol, TensorValue]

    @property
    def changed(self) -> Set[Symbol]:
        """The symbols of the tensors in ``by_symbol``."""
        return self.by_symbol.keys()


class LastingModel:
    """Reusable results of composing a definition before an edit.

    The places in it may be of earlier versions; ``Template.moved`` converts them.
    """

    __slots__ = ("_fold", "_inputs", "_known")

    def __init__(self) -> None:
        self._known = PassResults()
        self._fold: PassFold | None = None
        self._inputs: dict[nodes.Parameter, TensorValue] = {}

    def forget(self, resolution: Resolution) -> None:
        """Drop most entries that the definition does not contain any more."""
        self._known.forget(resolution)
        self._inputs = {node: value for node, value in self._inputs.items() if node in resolution.starts}

    def begin(self) -> PassFold:
        """Begin a run: of the declarations, then of the statements."""
        self._fold = PassFold(self._known)
        return self._fold

    def go_on(self) -> PassFold:
        """Go on with the run that was begun."""
        fold, self._fold = self._fold or PassFold(self._known), None
        return fold

    def input(self, member: Member, value: TensorValue) -> TensorValue:
        """Return the input of the definition, or its earlier equal."""
        known = self._inputs.get(member.node)
        if known is not None and alike(known, value):
            value = known
        self._inputs[member.node] = value
        return value


def alike(one: Segment, other: Segment) -> bool:
    """Return whether two tensors or packs are equal in all but identity."""
    match one, other:
        case Tensor(), Tensor():
            return (
                (one.name, one.dtype, one.shape, one.kind) == (other.name, other.dtype, other.shape, other.kind)
                and one.value is other.value
                and one.quantization is other.quantization
                and (one.place is other.place or (one.place is not None and one.place.lasts_as(other.place)))
            )
        case Maybe(), Maybe():
            return one.present == other.present and alike(one.value, other.value)
        case ItemRun(), ItemRun():
            return one.length == other.length and alike(one.element, other.element)
        case Pack(), Pack():
            return (
                one.dtype == other.dtype
                and len(one.segments) == len(other.segments)
                and all(alike(mine, others) for mine, others in zip(one.segments, other.segments, strict=True))
            )
    return one is other


def given_outside(scope: ValueScope) -> dict[Hashable, object]:
    """Return the values and types of the symbols declared outside long blocks."""
    symbols = scope.template.resolution.symbols_outside
    return {"types": scope.dtypes, **{symbol: scope.values.get(symbol) for symbol in symbols}}


def may_last(template: Template, part: StatementPart) -> bool:
    """Return whether nothing is wrong or ambiguous in a statement, or a row of them."""
    return part.lasting and not template.resolution.ambiguous and not _is_wrong(template, part)


def _is_wrong(template: Template, part: StatementPart) -> bool:
    if isinstance(part, GroupRow):
        return part.group in template.wrong_groups
    return bool(template.errors) and template.is_wrong(template.resolution.starts[part.node], part.node)


def given_to(scope: ValueScope, part: StatementPart) -> list[object] | None:
    """Return the values of the symbols that statements name; None if the result must not be reused."""
    template, values = scope.template, scope.values
    if not part.lasting or _is_wrong(template, part) or is_ambiguous(template.resolution, part):
        return None
    return [scope.dtypes, *(values.get(symbol) for symbol in part.given)]


def first_name(value: Segment) -> str:
    """Return the name of a tensor, or of the first one in a pack; empty for other values."""
    tensor = representative(value.element if isinstance(value, ItemRun) else value)
    return "" if tensor is None else tensor.name


# ---- evaluated declarations, reused while only bodies change, of the definition or of invoked ones -------------------
# The values of an operator's declarations depend only on its arguments and on their own text. So an edit of a body
# leaves them valid, for the definition itself, for all that invoke it and for samples.

# ---- evaluated declarations, reused while only bodies change, of the definition or of invoked ones -------------------
_BODIES = frozenset({BlockKind.COMPOSE, BlockKind.UPDATE, BlockKind.LOWER, BlockKind.QUANTIZE})
_OF_BODIES = frozenset(
    {
        SymbolKind.INDEX,
        SymbolKind.LOCAL,
        SymbolKind.TENSOR,
        SymbolKind.CARRY,
        SymbolKind.SCAN,
        SymbolKind.ITERATION,
        SymbolKind.LABEL,
    }
)


class _Declared(Struct, frozen=True):
    """A specialization before its body is composed. Symbols are numbered, so that any version can use it."""

    values: tuple[tuple[int, Value], ...]
    dtypes: dict[str, str]
    composing: bool
    attributes: Mapping[str, Value]
    inputs: tuple[TensorValue, ...]
    outputs: tuple[TensorValue, ...]
    variables: Mapping[str, TensorValue]
    constants: Mapping[str, TensorValue]
    dynamic: Mapping[Dynamic, Integer]
    failures: tuple[Failure, ...]
    checks: tuple[RuntimeCheck, ...]
    obligations: tuple[Obligation, ...]
    valid: bool


class KnownDeclarations:
    """Evaluated declarations of a definition, by arguments; shared by versions with equal declarations."""

    def __init__(self, template: Template, before: KnownDeclarations | None = None) -> None:
        """Reuse the declarations in ``before``, of an earlier version, if only bodies differ."""
        self._targets = template.resolution.targets
        self._blocks = None if _may_differ(template) else _declarations(template.definition)
        self._symbols = () if self._blocks is None else _declared_symbols(template)
        self._numbers = {symbol: number for number, symbol in enumerate(self._symbols)}
        same = before is not None and self._declares_as(before)
        self._known: dict[Hashable, _Declared] = before._known if before is not None and same else {}

    def find(self, template: Template, key: Hashable) -> Specialization | None:
        """Return a specialization of the template for a key, with no body yet; None if it is not known."""
        known = self._known.get(key)
        if known is None:
            return None
        symbols = self._symbols
        values = {symbols[number]: value for number, value in known.values}
        return Specialization(
            template, ValueScope(template, values, known.dtypes, known.composing), known.attributes,
            known.inputs, known.outputs, known.variables, known.constants, known.dynamic,
            known.failures, known.checks, known.obligations, valid=known.valid,
        )  # fmt: skip

    def learn(self, key: Hashable, specialization: Specialization) -> None:
        """Keep the state of a specialization before its body is composed."""
        scope, numbers = specialization.scope, self._numbers
        if self._blocks is None or not scope.values.keys() <= numbers.keys():
            return
        while len(self._known) >= MOST_KNOWN_DECLARATIONS:
            del self._known[next(iter(self._known))]
        self._known[key] = _Declared(
            tuple((numbers[symbol], value) for symbol, value in scope.values.items()), scope.dtypes, scope.composing,
            specialization.attributes, specialization.inputs, specialization.outputs,
            specialization.variables, specialization.constants, specialization.dynamic, specialization.failures,
            specialization.checks, specialization.obligations, specialization.valid,
        )  # fmt: skip

    def _declares_as(self, before: KnownDeclarations) -> bool:
        """Return whether only bodies differ: declarations have the same places, and their names mean the same."""
        if self._blocks is None or before._blocks is None:
            return False
        twins = _twins(before._blocks, self._blocks)
        if twins is None or len(self._symbols) != len(before._symbols):
            return False
        return all(
            twins.get(one.node) is other.node and (one.name, one.kind) == (other.name, other.kind)
            for one, other in zip(before._symbols, self._symbols, strict=True)
        ) and all(
            before._meaning(before._targets.get(one)) == self._meaning(self._targets.get(other))
            for one, other in twins.items()
        )

    def _meaning(self, target: Target | None) -> Hashable:
        """Return the target of a name, in a form that another version can compare."""
        if isinstance(target, Symbol):
            return self._numbers.get(target)
        if isinstance(target, ShapeMember):
            return self._numbers.get(target.tensor), target.member
        return target


def _may_differ(template: Template) -> bool:
    """Return whether something is wrong with declarations, or the definition has means of its own to be used again."""
    return (
        is_long(template.definition)
        or bool(template.resolution.ambiguous)
        or template.has_unreadable_declarations
        or (bool(template.errors) and any(template.is_wrong(0, block) for block in _declarations(template.definition)))
    )


def _declared_symbols(template: Template) -> tuple[Symbol, ...]:
    return tuple(symbol for symbol in template.resolution.symbols if symbol.kind not in _OF_BODIES)


def _declarations(definition: nodes.Definition) -> tuple[nodes.Block, ...]:
    blocks = (block for block in definition.blocks if isinstance(block, nodes.Block))
    return tuple(block for block in blocks if block.kind not in _BODIES)


# ---- versions --------------------------------------------------------------------------------------------------------
_CONTENTS: dict[type, Callable[[Any], tuple[Any, ...]]] = {}


def _contents(node: nodes.Node) -> tuple[Any, ...]:
    known = _CONTENTS.get(type(node))
    if known is None:
        known = _CONTENTS[type(node)] = attrgetter(*node.__struct_fields__)
    return known(node)


def _twins(before: tuple[nodes.Block, ...], now: tuple[nodes.Block, ...]) -> dict[nodes.Node, nodes.Node] | None:
    """Return for each node the equal one at the same place in another version; None if any differs."""
    found: dict[nodes.Node, nodes.Node] = {}
    pending: list[tuple[Any, Any]] = [(before, now)]
    while pending:
        one, other = pending.pop()
        if type(one) is not type(other):
            return None
        if isinstance(one, nodes.Node):
            found[one] = other
            one, other = _contents(one), _contents(other)
        elif isinstance(one, nodes.Entries):
            one, other = (*one,), (*other,)
        if not isinstance(one, tuple):
            if one != other:
                return None
        elif len(one) == len(other):
            pending.extend(zip(one, other, strict=True))
        else:
            return None
    return found
