"""The tensors of a specialization as slots."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.formulas.formula import UNKNOWN_VALUE, FormulaFailed
from snd_analysis.compose.formulas.terms import OpenPack, OpenValue, Slot
from snd_analysis.compose.specialization import Specialization
from snd_analysis.model import Shape, Tensor, TensorValue
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, Integer, Truth
from snd_analysis.symbolic.values import MOST_ITEMS, NULL, UNDEFINED, Element, ItemRun, Pack, Unknown, Value


def too_many_items(name: str, pack: Pack) -> FormulaFailed | None:
    """Return why a pack of known length can't be decomposed, a mistake of the invocation; None if it can."""
    count = pack.length.value
    if count is None or count <= MOST_ITEMS:
        return None
    message = f"'{name}' would be a pack of {count:,} tensors, but snd can handle {MOST_ITEMS:,} at most"
    return FormulaFailed(rules.VALUE_TOO_LARGE, message)


class FormulaTensors:
    """Slots for everything that formulas of a specialization can name.

    ``values`` has a slot, a pack of slots, or NULL for every tensor symbol; ``shapes`` the tensors of the model.
    """

    def __init__(
        self, specialization: Specialization, *, outputs: bool = True, is_open: bool = False, is_general: bool = False
    ) -> None:
        """Without ``outputs``, the formulas don't name them, as those of constants.

        If ``is_open``, extents and other values need not be known: formulas are elaborated as far as possible. If
        ``is_general`` too, indices may take no value: the elaboration holds only where they take one.
        """
        self._specialization = specialization
        self.is_open = is_open
        self.is_general = is_general
        self.has_opened = False
        """True if a value was needed that is not known."""
        self.values: dict[Symbol, Value] = {}
        self.models: dict[Symbol, TensorValue] = {}
        self.slots: dict[Tensor, Slot] = {}
        self.extents: dict[Slot, Shape] = {}
        self.sources: dict[Slot, Tensor] = {}
        """The tensor of the specialization for each slot."""
        self._stacked: dict[tuple[tuple[Slot, ...], bool], Slot | None] = {}
        template = specialization.template
        self.counters = {
            value: symbol
            for symbol, value in specialization.scope.values.items()
            if symbol.kind is SymbolKind.EXTENT
            and isinstance(value, Integer)
            and value in specialization.dynamic.values()
        }
        for member, value in zip(template.inputs, specialization.inputs, strict=True):
            self._declare(member.symbol, value, False)
        for member, value in zip(template.outputs, specialization.outputs, strict=True) if outputs else ():
            self._declare(member.symbol, value, True)
        named: Mapping[str, TensorValue]
        for members, named in (
            (template.variables, specialization.variables),
            (template.constants, specialization.constants),
        ):
            for member in members:
                self._declare(member.symbol, named[member.name], False)

    def _declare(self, symbol: Symbol, value: TensorValue, is_output: bool) -> None:
        self.models[symbol] = value
        if self.is_general and isinstance(value, Tensor) and _has_unknown_rank(value):
            self.values[symbol] = UNDEFINED
        elif isinstance(value, Tensor):
            self.values[symbol] = self._slot(symbol, value, is_output)
        elif isinstance(value, Pack):
            items = value.items
            if items is None and self.is_open:
                self.values[symbol] = self._open_pack(symbol, value, is_output) if self.is_general else UNDEFINED
                return
            if items is None:
                raise too_many_items(symbol.name, value) or self._unknown(symbol)
            slots = [self._slot(symbol, item, is_output) for item in items]
            self.values[symbol] = Pack(slots)
        elif value is NULL:
            self.values[symbol] = NULL
        else:
            raise self._unknown(symbol)

    def _slot(self, symbol: Symbol, tensor: Value, is_output: bool) -> Slot:
        if self.is_open and (not isinstance(tensor, Tensor) or not tensor.known or _has_unknown_rank(tensor)):
            raise FormulaFailed(UNKNOWN_VALUE, f"the rank of '{symbol.name}' is not known")
        if not isinstance(tensor, Tensor) or tensor.shape is None or tensor.dtype is None:
            raise self._unknown(symbol)
        extents: list[int | None] = []
        limits: list[int | None] = []
        counted: list[Symbol | None] = []
        for extent in tensor.shape:
            known = extent.value if isinstance(extent, Integer) else None
            counter = self.counters.get(extent) if isinstance(extent, Integer) and known is None else None
            if known is None and counter is None and not self.is_open:
                raise self._unknown(symbol)
            extents.append(known)
            limits.append(shapes.bounds(extent)[1] if isinstance(extent, Integer) else None)
            counted.append(counter)
        # One argument in two places is one tensor of the specialization, but each place has its own array.
        made = Slot(tensor.name, tensor.dtype, tuple(extents), tuple(limits), tuple(counted), is_output)
        self.slots.setdefault(tensor, made)
        self.extents[made] = tensor.shape
        self.sources[made] = tensor
        return made

    def _open_pack(self, symbol: Symbol, pack: Pack, is_output: bool) -> Value:
        """Return a pack of unknown length; UNDEFINED if its tensors may have different shapes."""
        segments = pack.segments
        tensor = segments[0].element if len(segments) == 1 and isinstance(segments[0], ItemRun) else None
        if not isinstance(tensor, Tensor) or not tensor.known or tensor.shape is None or _has_unknown_rank(tensor):
            return UNDEFINED
        extents = [each for each in tensor.shape if isinstance(each, Integer)]
        if any(isinstance(leaf.key, Element) for extent in extents for leaf in extent.leaves):
            return UNDEFINED
        slot = self._slot(symbol, replace(tensor, name=symbol.name, shape=(pack.length, *tensor.shape)), is_output)
        return OpenPack(slot, pack.length)

    def _unknown(self, symbol: Symbol) -> FormulaFailed:
        message = f"the type or shape of '{symbol.name}' is not known"
        return FormulaFailed(UNKNOWN_VALUE, message, self._specialization.template.declared(symbol))

    def opened(self, node: nodes.Node, value: Value) -> OpenValue:
        """Return the placeholder of an unknown value. Raise EvaluationError if none is possible."""
        self.has_opened = True
        match value:
            case Integer():
                return OpenValue(value, "int", shapes.compare(">", value, 0) is TRUE)
            case Truth():
                return OpenValue(value, "bool", False)
            case Unknown():
                return OpenValue(value, value.dtype, False)
        raise EvaluationError(node, UNKNOWN_VALUE, "this is not known yet")

    def stacked(self, slots: tuple[Slot, ...], *, with_open_extents: bool = False) -> Slot | None:
        """Return the tensors of a pack as one tensor, if they have one shape.

        Extents of this shape may be unknown ``with_open_extents``.
        """
        key = (slots, with_open_extents)
        if key not in self._stacked:
            first = slots[0]
            made = None
            if with_open_extents and not any(first.counters):
                alike = all(self.extents[slot] == self.extents[first] for slot in slots)
            else:
                alike = all(slot.shape == first.shape for slot in slots) and None not in first.shape
            if alike:
                name = first.name.rpartition("[")[0]
                shape, limits = (len(slots), *first.shape), (len(slots), *first.limits)
                made = Slot(name, first.dtype, shape, limits, (None,) * len(shape), first.is_output, slots)
            self._stacked[key] = made
        return self._stacked[key]


def _has_unknown_rank(tensor: Tensor) -> bool:
    return any(not isinstance(extent, Integer) for extent in tensor.shape or ())
