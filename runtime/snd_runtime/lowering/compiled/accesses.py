"""Elements of contiguous arrays that statements over the same points read and write."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from msgspec import Struct

from snd_analysis.compose.formulas import (
    AffineIndex,
    Analysis,
    Apply,
    AxisPosition,
    Bounds,
    IndexTerm,
    Read,
    Slot,
    Term,
    Write,
    subterms,
    unconditional,
)
from snd_runtime.lowering.compiled.folds import STORED

_DTYPES = frozenset({"real", "int", "bool"})


class Statement(Struct, frozen=True):
    """A write with its reads, over the axes of a kernel; ``tensors`` are the names of tensors in it."""

    write: Write
    operator: str
    analysis: Analysis
    tensors: Callable[[Slot], Hashable]
    is_kept: bool = True
    """True if anything but later statements reads it."""


class UnsuitableError(Exception):
    """The statements can't be computed so."""


class Access(Struct, eq=False):
    """Elements of a tensor, in a row: the element of the first point, and the step along each axis."""

    array: str
    start: int
    steps: dict[int, int]
    chosen: tuple[Chosen, ...] = ()


class Chosen(Struct, frozen=True):
    """An index that a tensor says, which must lie within an extent; ``step`` is that of the elements."""

    statement: Statement
    index: Term
    step: int
    extent: int


class Limit(Struct, frozen=True):
    """A guarded index that must lie within an extent."""

    form: AffineIndex
    extent: int


def _values(root: Term) -> Iterator[Term]:
    """Yield the terms that are computed for a value, except terms in indices."""
    yield root
    for each in root.operands if isinstance(root, Apply) else ():
        yield from _values(each)


class Accesses:
    """Accesses of statements over the same points. Raises UnsuitableError for accesses that loops can't do."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.extents = statements[0].analysis.extents
        self.arrays: dict[Hashable, str] = {}
        """The name of each tensor in the text."""
        self.kinds: dict[Hashable, tuple[str, int]] = {}
        """The element type of each tensor, and how many elements it has."""
        self.limits: list[Limit] = []
        self.limited: set[int] = set()
        """Axes whose positions are limited, or values: these are not walked through as one with others."""
        self.positions: set[int] = set()
        """Axes whose positions are values."""
        self._statements = statements
        self._found: dict[Hashable, Access] = {}
        made: set[Hashable] = set()
        for statement in statements:
            self._look_at(statement, made)
            made.add(statement.tensors(statement.write.slot))
        self.targets = {
            at: self.of(each, each.write.slot, each.write.places) for at, each in enumerate(statements) if each.is_kept
        }
        """The access of each target, keyed by the position of its statement."""
        if any(each.chosen for each in self.targets.values()):
            raise UnsuitableError
        self.all = tuple(self._found.values())

    def number(self, access: Access) -> int:
        """Return the position of an access among all."""
        return self.all.index(access)

    def _look_at(self, statement: Statement, made: set[Hashable]) -> None:
        write = statement.write
        is_exact = write.slot.dtype == "int" and statement.operator in ("+=", "*=")
        if is_exact or statement.operator not in STORED:
            raise UnsuitableError
        everywhere = {*unconditional(write.value)}
        for term in subterms(write.value):
            if isinstance(term, Read) and statement.tensors(term.slot) not in made:
                if term not in everywhere and any(place.bounds is Bounds.SKIPPED for place in term.places):
                    raise UnsuitableError
                self.of(statement, term.slot, term.places)
        found = {term.axis for term in _values(write.value) if isinstance(term, AxisPosition)}
        self.positions |= found
        self.limited |= found

    def of(self, statement: Statement, slot: Slot, places: Sequence[IndexTerm]) -> Access:
        """Return the access of a statement to elements of a tensor."""
        if slot.dtype not in _DTYPES:
            raise UnsuitableError
        start, steps, stride, chosen = 0, dict[int, int](), 1, list[Chosen]()
        ranges = [(0, extent) for extent in self.extents]
        for place, extent in reversed([*zip(places, slot.shape, strict=True)]):
            form = statement.analysis.affine(place.index)
            if extent is None or place.below is not None:
                raise UnsuitableError
            if form is None:
                chosen.append(self._chosen(statement, place, stride, extent))
                stride *= extent
                continue
            low, high = form.over(ranges)
            if low < 0 or high >= extent:
                if place.bounds is not Bounds.SKIPPED:
                    raise UnsuitableError
                if all(self.extents[axis] == 1 for axis in form.factors):
                    raise UnsuitableError
                limit = Limit(form, extent)
                if limit not in self.limits:
                    self.limits.append(limit)
                    self.limited |= {*form.factors}
            start += form.constant * stride
            for axis, factor in form.factors.items():
                if self.extents[axis] > 1:
                    steps[axis] = steps.get(axis, 0) + factor * stride
            stride *= extent
        tensor = statement.tensors(slot)
        array = self.arrays.setdefault(tensor, f"t{len(self.arrays)}")
        self.kinds[tensor] = slot.dtype, stride
        key = (tensor, start, tuple(sorted(steps.items())), tuple((each.index, each.step) for each in chosen))
        return self._found.setdefault(key, Access(array, start, steps, tuple(chosen)))

    def _chosen(self, statement: Statement, place: IndexTerm, step: int, extent: int) -> Chosen:
        """Return an index that is computed; where it is out of bounds, all is found out in another way."""
        if place.bounds is not Bounds.CHECKED or statement.operator != "=" or len(self._statements) > 1:
            raise UnsuitableError
        return Chosen(statement, place.index, step, extent)
