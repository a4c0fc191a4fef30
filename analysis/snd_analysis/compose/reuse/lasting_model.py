"""Results of composing before an edit, for statements and declarations whose dependencies are unchanged.

A statement depends on the values of the symbols that it names, and tensors are compared by identity: so a recomputed
tensor that is equal to an earlier one is replaced by it, and dependent results stay valid as well.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set

from msgspec import Struct

from snd_analysis.compose.dynamic.unknowns import Dynamic
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Member, Template
from snd_analysis.model import Operation, RuntimeCheck, Tensor, TensorValue, representative
from snd_analysis.skriptnd.names import GroupRow, PassFold, PassResults, Resolution, StatementPart, Symbol, is_ambiguous
from snd_analysis.skriptnd.syntax import nodes
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
    """Return whether nothing can tell two tensors, or packs of them, apart but that they are two."""
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
