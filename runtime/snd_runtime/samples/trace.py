"""Values of every tensor that a graph's text names, as plain data; only the displayed part of a tensor is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.base import Rule, Span
from snd_analysis.compose import Specialization, Template
from snd_analysis.ide.evaluation import TensorName, graph_tensors
from snd_analysis.model import Place, Tensor, TensorKind, TensorValue, tensors_of
from snd_analysis.skriptnd.names import SymbolKind
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import UNDEFINED, Pack, Value
from snd_runtime.errors import EvaluationFailed
from snd_runtime.evaluation.answer import ShownTensor, shown
from snd_runtime.execution import ComputedTensor, NamedValue, QuantizedTensor, RunResult
from snd_runtime.lowering.lowered import Argument
from snd_runtime.picture import picture
from snd_runtime.samples.limits import MOST_HELD_BYTES, MOST_PICTURE_BYTES, MOST_TRACED, MOST_TRACED_ITEMS

Array: TypeAlias = np.ndarray[Any, Any]

_NAMING = (SymbolKind.TENSOR, SymbolKind.CARRY, SymbolKind.SCAN, SymbolKind.ITERATION)


class TracedTensor(Struct, frozen=True):
    """Display data of a tensor, or of the tensors of a pack."""

    shown: tuple[ShownTensor, ...]
    iterations: tuple[int, ...] = ()
    """The numbers of the iterations of the loops around that it is of: the last ones."""
    picture: bytes | None = None
    """A PNG of a single tensor, if pictures are wanted and it can be drawn."""


class GraphTrace(Struct, frozen=True):
    """The outcome of one run of a graph; after a failure, the values computed before it."""

    values: Mapping[TensorName, TracedTensor] = field(default_factory=dict)
    left_out: int = 0
    """Number of tensors that are left out, since there are too many."""
    dtypes: Mapping[str, str] = field(default_factory=dict)
    """The generic types that it was run with."""
    shapes: Mapping[str, tuple[tuple[int, ...], ...] | None] = field(default_factory=dict)
    """The shape of each input, or the shapes of the tensors in a pack; None for null."""
    made: tuple[str, ...] = ()
    """Inputs that nothing gave, so that they are random."""
    drawn: tuple[str, ...] = ()
    """Variables that nothing gave."""
    quantized: tuple[QuantizedTensor, ...] = ()
    """Tensors named in ``@quantize``."""
    rule: Rule | None = None
    """The rule of a failure."""
    message: str | None = None
    """Why it failed."""
    failed_at: int | None = None
    """Position of the failing statement in ``GraphTensors.statements``."""
    seconds: float = 0.0


class Tracer:
    """Observer of an ``Execution`` that notes the tensors of one graph."""

    def __init__(self, template: Template, pictures: bool) -> None:
        self._template = template
        self._tensors = graph_tensors(template.resolution)
        self._pictures = pictures
        self._names: dict[tuple[str, Span], TensorName | None] = {}
        self._noted: dict[TensorName, _Noted] = {}
        self._left_out: set[TensorName] = set()
        self._drawn_bytes = 0
        self._members = {(symbol.kind, symbol.name): name for symbol, name in self._tensors.of_symbols}
        self._declared: dict[str, TensorValue] = {}
        self._others: dict[Tensor, list[tuple[TensorName, int | None]]] = {}
        """Tensors that have further names: of copies and blocks, and, in the last iteration, of unrolled loops."""

    # ---- events of a run -----------------------------------------------------------------------------------------
    def begin(self, specialization: Specialization, arguments: Sequence[Argument]) -> None:
        """Note the specialization that is run, and its arguments."""
        self._declared = {**specialization.constants, **specialization.variables}
        names = (member.name for member in self._template.inputs)
        self._declared.update(zip(names, specialization.inputs, strict=True))
        for symbol, name in self._tensors.of_symbols:
            if symbol.kind in _NAMING:
                self._follow(name, specialization.scope.value_of(symbol))
        for member, declared, value in zip(self._template.inputs, specialization.inputs, arguments, strict=True):
            self._note_declared(SymbolKind.INPUT, member.name, declared, value)

    def watch(self, step: ComputedTensor) -> None:
        """Note a computed tensor."""
        for name, item in self._others.get(step.tensor, ()) if step.tensor is not None else ():
            self._note(name, item, step.value, step.iterations)
        found = self._computed(step.name, step.place)
        if found is not None:
            item_text = step.name.rpartition(".")[2].partition("[")[2]
            self._note(found, int(item_text[:-1]) if item_text else None, step.value, step.iterations)

    def watch_names(self, named: NamedValue) -> None:
        """Note that a name has a value from now on."""
        if named.place is None:
            declared = self._declared.get(named.name, UNDEFINED)
            for kind in (SymbolKind.INPUT, SymbolKind.CONSTANT, SymbolKind.VARIABLE):
                self._note_declared(kind, named.name, declared, named.value)
        elif self._is_here(named.place):
            name = self._tensors.by_place.get(self._template.moved(named.place).span)
            if name is not None:
                self._note_all(name, named.value, named.iterations)

    def end(self, outcome: RunResult) -> None:
        """Note the results of the run. Values noted before stay unchanged."""
        updated = {name for statement in self._tensors.statements for name in statement.tensors if name.updated}
        for symbol, name in self._tensors.of_symbols:
            if symbol.kind is SymbolKind.OUTPUT and name not in self._noted:
                self._note_all(name, outcome.outputs.get(name.name), ())
            following = replace(name, updated=True)
            if following in updated and following not in self._noted and name.name in outcome.variables:
                self._note_all(following, outcome.variables[name.name], ())

    def _computed(self, name: str, place: Place | None) -> TensorName | None:
        """Return the tensor of the text that has a name of the flat graph, and is computed at a place."""
        if place is None or not self._is_here(place):
            return None
        last = name.rpartition(".")[2].partition("[")[0]
        key = last, place.span
        if key not in self._names:
            self._names[key] = self._tensors.computed(last, self._template.moved(place).span)
        return self._names[key]

    def _follow(self, name: TensorName, value: Value) -> None:
        if isinstance(value, Tensor) and isinstance(value.value, Integer) and value.value.value is not None:
            self._note(name, None, np.array(value.value.value), ())  # the number of the iteration
        for at, tensor in enumerate(tensors_of(value)):
            if tensor.kind is not TensorKind.LOCAL and self._computed(tensor.name, tensor.place) != name:
                self._others.setdefault(tensor, []).append((name, at if isinstance(value, Pack) else None))

    def _note_declared(self, kind: SymbolKind, name: str, declared: TensorValue, value: Argument) -> None:
        found = self._members.get((kind, name))
        if found is not None:
            self._note_all(found, value, ())
        items = () if value is None else (value,) if isinstance(value, np.ndarray) else value
        for tensor, one in zip(tensors_of(declared), items, strict=False):
            for alias, item in self._others.get(tensor, ()):
                self._note(alias, item, one, ())

    def _note_all(self, name: TensorName, value: Argument, iterations: tuple[int, ...]) -> None:
        """Note a tensor, or the tensors of a pack."""
        if value is None or isinstance(value, np.ndarray) or not len(value):
            self._note(name, None, value, iterations)
            return
        for item, one in enumerate(value):
            self._note(name, item, one, iterations)

    # ---- display -------------------------------------------------------------------------------------------------
    def failed_at(self, failed: EvaluationFailed) -> int | None:
        """Return the statement at which a run failed, directly or in an invocation."""
        places = ([] if failed.place is None else [failed.place]) + [site.place for site in failed.chain]
        for place in filter(self._is_here, places):
            statement = self._tensors.statement_around(self._template.moved(place).span)
            if statement is not None:
                return self._tensors.statements.index(statement)
        return None

    @property
    def left_out(self) -> int:
        """Number of tensors beyond the limit."""
        return len(self._left_out)

    def values(self) -> dict[TensorName, TracedTensor]:
        """Return the noted values."""
        found = {}
        for name, noted in self._noted.items():
            looks = [self._looked_at(name, item, kept) for item, kept in sorted(noted.items.items(), key=_position)]
            tensors = tuple(look.shown for look in looks)
            found[name] = TracedTensor(tensors, noted.iterations, looks[0].picture if len(looks) == 1 else None)
        return found

    def _is_here(self, place: Place) -> bool:
        return place.definition == self._template.name.name and place.path == self._template.name.path

    def _note(self, name: TensorName, item: int | None, value: Argument, iterations: tuple[int, ...]) -> None:
        noted = self._noted.get(name)
        if noted is None:
            if len(self._noted) >= MOST_TRACED:
                self._left_out.add(name)
                return
            noted = self._noted[name] = _Noted()
        if noted.iterations != iterations:
            noted.items.clear()  # of the iteration before
            noted.iterations = iterations
        if item is None or item < MOST_TRACED_ITEMS:
            is_held = bool(iterations) and isinstance(value, np.ndarray) and value.nbytes <= MOST_HELD_BYTES
            noted.items[item] = np.array(value) if is_held else self._looked_at(name, item, value)

    def _looked_at(self, name: TensorName, item: int | None, kept: Argument | _Look) -> _Look:
        if isinstance(kept, _Look):
            return kept
        (tensor,) = shown(name.name, kept)
        is_drawn = self._pictures and isinstance(kept, np.ndarray) and self._drawn_bytes < MOST_PICTURE_BYTES
        drawn = picture(kept) if is_drawn and isinstance(kept, np.ndarray) else None
        self._drawn_bytes += len(drawn or b"")
        return _Look(replace(tensor, item=item), drawn)


class _Look(Struct, frozen=True):
    shown: ShownTensor
    picture: bytes | None


class _Noted(Struct):
    """One tensor, or the tensors of a pack by position.

    Values that the next iteration replaces are examined in the end.
    """

    items: dict[int | None, Array | _Look] = field(default_factory=dict)
    iterations: tuple[int, ...] = ()


def _position(item: tuple[int | None, object]) -> int:
    return item[0] or 0
