"""Failures of a random operator for given sizes: plain recursion that shares no code with snd.

An element of a tensor may have any value: an effect that depends on an element happens for some data, and so counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import ceil, prod
from typing import Any

from support.proofs.random_operators import Expr, Formula, Index, Operator, Tensor, index_text

MOST_POINTS = 4000
MOST_STEPS = 100_000
"""Maximum number of values of all indices of a formula: of some, none is in a point."""
PARTIAL = ("/", "\\", "%", "**", "item", "fold", "part", "rounded")


@dataclass(frozen=True)
class Broken:
    """A condition that does not hold: of a declaration or formula by its number, with the tensor and the index."""

    part: str
    number: int
    kind: str
    name: str = ""
    text: str = ""


@dataclass
class Outcome:
    is_refused: bool = False
    broken: set[Broken] = field(default_factory=set)
    ran: set[int] = field(default_factory=set)
    """The formulas that have a point."""


class WrongError(Exception):
    """An int has no value."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class _SkippedError(Exception):
    """A guarded index is out of bounds."""


class NotJudgedError(Exception):
    """Sizes that this evaluator does not judge: too many points, or an order of evaluation that snd may choose."""


Sizes = dict[str, Any]
"""Ints, bools and strings by name; tuples for ``s`` and ``p``."""


def run(operator: Operator, sizes: Sizes) -> Outcome:
    """Return the first failure in the declarations, else all failures in formulas."""
    known = dict(sizes)
    wrong: list[Broken] = []
    for number, (name, value) in enumerate(operator.using):
        try:
            known[name] = integer(value, known)
        except WrongError as error:
            wrong.append(Broken("using", number, error.kind))
    for number, condition in enumerate(operator.assertions):
        if not names_of(condition) <= known.keys():
            continue  # a helper symbol has no value
        try:
            if not truth(condition, known):
                return Outcome(True)
        except WrongError as error:
            wrong.append(Broken("assert", number, error.kind))
    outcome = Outcome(broken=set(wrong[:1]))
    if wrong:
        return outcome
    shapes: dict[str, tuple[int, ...]] = {}
    for number, output in enumerate(operator.outputs):
        try:
            shapes[output.name] = shape_of(output, known)
        except WrongError as error:
            return Outcome(broken={Broken("output", number, error.kind)})
        has_tensors = output.length is None or known[output.length] > 0
        if has_tensors and min(shapes[output.name], default=0) < 0:
            return Outcome(broken={Broken("output", number, "negative", output.name)})
    shapes |= {each.name: shape_of(each, known) for each in operator.inputs if _has_shape(each, known)}
    counts: dict[str, Counter[tuple[int, ...]]] = {each.name: Counter() for each in operator.outputs}
    for number, formula in enumerate(operator.formulas):
        _Run(outcome, number, formula, known, shapes, counts[formula.target]).run()
    if not any(each.part == "formula" for each in outcome.broken):
        _cover(operator, outcome, known, shapes, counts)
    return outcome


def _has_shape(tensor: Tensor, known: Sizes) -> bool:
    if tensor.optional:
        return bool(known["has w"])
    return tensor.length is None or known[tensor.length] > 0


def shape_of(tensor: Tensor, known: Sizes) -> tuple[int, ...]:
    found: list[int] = []
    for part in tensor.shape:
        found.extend(known["s"] if part[0] == "spread" else (integer(part, known),))
    return tuple(found)


def _cover(operator: Operator, outcome: Outcome, known: Sizes, shapes: dict[str, Any], counts: dict[str, Any]) -> None:
    for output in operator.outputs:
        writing = [each for each in operator.formulas if each.target == output.name]
        operators = {each.operator for each in writing}
        number = next((at for at, each in enumerate(operator.formulas) if each.target == output.name), 0)
        if "=" not in operators or ":=" in operators:
            continue
        if prod(shapes[output.name]) > 10 * MOST_POINTS:
            raise NotJudgedError
        items = range(known[output.length]) if output.length else (None,)
        if prod(shapes[output.name]) > MOST_POINTS:
            raise NotJudgedError
        for item in items:
            for element in product(*map(range, shapes[output.name])):
                count = counts[output.name][element if item is None else (item, *element)]
                if count > 1:
                    outcome.broken.add(Broken("formula", number, "twice", output.name))
                if count == 0 and len(operators) == 1:
                    outcome.broken.add(Broken("formula", number, "unwritten", output.name))


class _Run:
    def __init__(
        self,
        outcome: Outcome,
        number: int,
        formula: Formula,
        known: Sizes,
        shapes: dict[str, Any],
        counts: Counter[Any],
    ) -> None:
        self.outcome = outcome
        self.number = number
        self.local = None if formula.local is None else formula.local[1]
        self.formula = formula if self.local is None else _without_local(formula, *formula.local)
        self.known = known
        self.shapes = shapes
        self.counts = counts
        self.points = self.steps = 0
        bounding = {name for _, bound in formula.bounds for name in names_of(bound)}
        self.moving = {name for name, _ in formula.bounds} - bounding
        """The indices that no bound names: others are unrolled, and known before any point."""
        self.prepared: dict[tuple[Any, ...], bool] = {}
        self.is_late = False
        """True within a part that a condition of the points protects."""

    def note(self, kind: str, name: str = "", text: str = "") -> None:
        self.outcome.broken.add(Broken("formula", self.number, kind, name, text))

    def run(self) -> None:
        formula = self.formula
        try:
            turns = range(integer(formula.unroll[1], self.known)) if formula.unroll else (None,)
        except WrongError as wrong:
            self.note(wrong.kind)
            return
        for turn in turns:
            here = dict(self.known)
            if formula.unroll and turn is not None:
                here[formula.unroll[0]] = turn
            for point in self.space(formula.bounds, here):
                self.points += 1
                if self.points > MOST_POINTS:
                    raise NotJudgedError
                self.outcome.ran.add(self.number)
                if self.prepare(point):
                    self.point(point)

    def space(self, bounds: list[tuple[str, Expr]], here: Sizes) -> Iterator[Sizes]:
        if not bounds:
            yield here
            return
        (name, bound), *rest = bounds
        if bound == ("var", "s"):
            for position in product(*map(range, here["s"])):
                yield from self.space(rest, {**here, name: position})
            return
        try:
            most = integer(bound, here)
        except WrongError as wrong:
            self.note(wrong.kind)
            return
        for at in range(most):
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise NotJudgedError
            yield from self.space(rest, {**here, name: at})

    def point(self, here: Sizes) -> None:
        formula = self.formula
        try:
            for name, item, places in self.accesses(formula.value, here):
                self.guards(name, item, places, here)
            if formula.condition is not None and formula.condition[0] == "data":
                _, name, item, places = formula.condition[1]
                self.guards(name, item, places, here)
            self.guards(formula.target, formula.item, formula.places, here)
        except _SkippedError:
            return
        may_write = True
        if formula.condition is not None:
            try:
                may_write = self.condition(formula.condition, here)
            except WrongError as wrong:
                self.note(wrong.kind)
                return
        if not may_write:
            return
        is_skipped = self.value(formula.value, here)
        element = self.element(formula.target, formula.item, formula.places, here)
        is_certain = not is_skipped and (formula.condition is None or formula.condition[0] != "data")
        if formula.operator == "=" and element is not None and (is_certain or self.counts[element]):
            self.counts[element] += 1

    def condition(self, condition: Expr, here: Sizes) -> bool:
        if condition[0] == "data":
            self.value(condition[1], here)
            return True
        return truth(condition, here)

    # ---- before any point --------------------------------------------------------------------------------------------
    def is_known(self, e: Expr) -> bool:
        return (self.moving | {"(elements)"}).isdisjoint(names_of(e))

    def prepare(self, here: Sizes) -> bool:
        """Note the failures in parts that name no index; return whether the formula has points."""
        key = tuple(value for name, value in here.items() if name not in self.moving)
        if key not in self.prepared:
            self.prepared[key] = self.is_prepared(here)
        return self.prepared[key]

    def is_prepared(self, here: Sizes) -> bool:
        formula = self.formula
        condition = formula.condition
        try:
            self.is_late = False
            if self.local is not None:
                self.prepare_part(self.local, here)
            if condition is not None:
                self.prepare_part(condition, here)
                if self.is_known(condition) and not truth(condition, here):
                    return False
                self.is_late = not self.is_known(condition)
            self.prepare_item(formula.target, formula.item, here)
            self.prepare_part(formula.value, here)
            self.prepare_places(formula.places, here)
        except WrongError as wrong:
            self.note(wrong.kind)
            return False
        return True

    def prepare_item(self, name: str, item: Expr | None, here: Sizes) -> None:
        """Choose a tensor of a pack. An empty pack has none to choose, regardless of the indices."""
        if item is not None:
            self.prepare_part(item, here)
            if name not in self.shapes:
                raise WrongError("item")

    def prepare_places(self, places: list[Index], here: Sizes) -> None:
        for each in (part for place in places for part in (place.value, place.below, place.above)):
            if each is not None and each[0] != "spread":
                self.prepare_part(each, here)

    def prepare_part(self, e: Expr, here: Sizes) -> None:
        """Evaluate the parts of a value, int or condition that name no index. Raises ``WrongError``."""
        match e:
            case ("num" | "var" | "flag" | "is", *_):
                return
            case ("read", name, item, places):
                self.prepare_item(name, item, here)
                self.prepare_places(places, here)
            case ("data" | "real", inner):
                self.prepare_part(inner, here)
            case ("select" | "choose", condition, a, b):
                self.prepare_part(condition, here)
                was_late, is_known = self.is_late, self.is_known(condition)
                self.is_late = was_late or not is_known
                for branch in (a if truth(condition, here) else b,) if is_known else (a, b):
                    self.prepare_part(branch, here)
                self.is_late = was_late
            case ("&&" | "||" | "=>" as sign, a, b):
                self.prepare_part(a, here)
                was_late, is_known = self.is_late, self.is_known(a)
                self.is_late = was_late or not is_known
                if not is_known or truth(a, here) is (sign != "||"):
                    self.prepare_part(b, here)
                self.is_late = was_late
            case ("or else", read):
                if read[1] in self.shapes:
                    self.prepare_part(read, here)
            case (sign, *parts):
                for each in parts:
                    if isinstance(each, tuple):
                        self.prepare_part(each, here)
                if sign in PARTIAL and self.is_known(e):
                    self.prepare_operation(e, here)

    def prepare_operation(self, e: Expr, here: Sizes) -> None:
        """Evaluate an operation. Quotients and powers below a condition of the points are evaluated at the points."""
        try:
            integer(e, here)
        except WrongError as wrong:
            if not self.is_late or wrong.kind not in ("division", "exponent"):
                raise

    # ---- values ------------------------------------------------------------------------------------------------------
    def accesses(self, value: Expr, here: Sizes) -> Iterator[tuple[str, Expr | None, list[Index]]]:
        """Yield the reads at all points of the formula: outside branches, or in a branch that sizes choose."""
        match value:
            case ("or else", read):
                if read[1] in self.shapes:
                    yield from self.accesses(read, here)
            case ("read", name, item, places):
                yield name, item, places
            case ("+" | "*", a, b):
                yield from self.accesses(a, here)
                yield from self.accesses(b, here)
            case ("choose", condition, a, b) if self.is_known(condition):
                yield from self.accesses(a if truth(condition, here) else b, here)

    def value(self, value: Expr, here: Sizes) -> bool:
        """Note the failures; return whether a guarded index in a branch skips the point."""
        match value:
            case ("real", inner):
                self.number_of(inner, here)
                return False
            case ("+" | "*", a, b):
                first, second = self.value(a, here), self.value(b, here)
                return first or second
            case ("choose", _, a, b) if a == b:
                return self.value(a, here)  # equal branches need no condition
            case ("choose", condition, a, b):
                try:
                    holds = truth(condition, here)
                except WrongError as wrong:
                    self.note(wrong.kind)
                    return False
                return self.value(a if holds else b, here)
            case ("or else", read):
                return read[1] in self.shapes and self.value(read, here)
            case ("read", name, item, places):
                try:
                    self.guards(name, item, places, here)
                except _SkippedError:
                    return True
                self.element(name, item, places, here)
                return False
        raise AssertionError(value)

    def number_of(self, value: Expr, here: Sizes) -> int | None:
        try:
            return integer(value, here)
        except WrongError as wrong:
            self.note(wrong.kind)
            return None

    def guards(self, name: str, item: Expr | None, places: list[Index], here: Sizes) -> None:
        if name not in self.shapes:
            return
        found: dict[int, int | None] = {}
        for at, place in enumerate(places):
            if place.mode == "skip":
                try:
                    found[at] = integer(place.value, here)
                except WrongError:
                    found[at] = None
        if any(value is not None and not 0 <= value < self.shapes[name][at] for at, value in found.items()):
            if None in found.values():
                raise NotJudgedError  # a run fails, unless it knows that the other index skips every point
            raise _SkippedError

    def element(self, name: str, item: Expr | None, places: list[Index], here: Sizes) -> tuple[int, ...] | None:
        """Return the element that is accessed; None if that goes wrong, which is noted."""
        found: list[int] = []
        is_wrong = False
        if item is not None:
            chosen = self.number_of(item, here)
            count = here["k"]
            if chosen is None:
                is_wrong = True
            elif not -count <= chosen < count:
                self.note("item", name)
                is_wrong = True
            else:
                found.append(chosen % count)
        if name not in self.shapes:
            return None
        for at, place in enumerate(places):
            if place.value[0] == "spread":
                found.extend(here[place.value[1]])
                continue
            value = self.number_of(place.value, here)
            extent = self.shapes[name][at]
            if value is not None and place.mode == "remap" and not 0 <= value < extent:
                value = self.number_of(place.below if value < 0 else place.above, here)  # type: ignore[arg-type]
            if value is None:
                is_wrong = True
            elif not 0 <= value < extent:
                self.note("index", name, index_text(place))
                is_wrong = True
            else:
                found.append(value)
        return None if is_wrong else tuple(found)


def _without_local(formula: Formula, name: str, value: Expr) -> Formula:
    """Return a formula in which a name for an int is replaced by the int: it is evaluated where it is used.

    Indices keep their texts.
    """

    def replaced(e: Any) -> Any:
        match e:
            case ("var", used) if used == name:
                return value
            case tuple():
                return tuple(map(replaced, e))
            case list():
                return [
                    Index(each.mode, *map(replaced, (each.value, each.below, each.above)), text=index_text(each))
                    for each in e
                ]
        return e

    return replace(
        formula,
        item=replaced(formula.item),
        places=replaced(formula.places),
        value=replaced(formula.value),
        condition=replaced(formula.condition),
    )


def names_of(e: Any) -> set[str]:
    """Return the names in an expression."""
    match e:
        case ("var" | "flag" | "is" | "spread", name, *_):
            return {name}
        case ("item", pack, *parts) | ("part", pack, *parts):
            return {pack}.union(*map(names_of, parts))
        case ("fold", _, pack):
            return {pack}
        case ("read", _, item, places):
            parts = (item, *(part for place in places for part in (place.value, place.below, place.above)))
            return {"(elements)"}.union(*(names_of(each) for each in parts if each is not None))
        case tuple():
            return set[str]().union(*map(names_of, e[1:]))
    return set()


# ---- ints and conditions ---------------------------------------------------------------------------------------------
def integer(e: Expr, known: Sizes) -> int:
    """Return an int. Raises ``WrongError``."""
    match e:
        case ("num", value):
            return int(value)
        case ("var", name):
            return int(known[name])
        case ("select", condition, a, b):
            return integer(a if truth(condition, known) else b, known)
        case ("item", pack, at):
            place, items = integer(at, known), known[pack]
            if not -len(items) <= place < len(items):
                raise WrongError("item")
            return int(items[place])
        case ("fold", sign, pack):
            items = known[pack]
            if sign in ("<?", ">?"):
                if not items:
                    raise WrongError("extremum")
                return int(min(items) if sign == "<?" else max(items))
            return sum(items) if sign == "+" else prod(items)
        case ("part", pack, first, last):
            begin, end, items = integer(first, known), integer(last, known), known[pack]
            if not (-len(items) <= begin <= len(items) and -len(items) <= end <= len(items)):
                raise WrongError("item")
            return sum(items[begin:end])
        case ("rounded", first, second):
            a, b = integer(first, known), integer(second, known)
            if b == 0:
                raise WrongError("cast")
            return ceil(Fraction(a, b))
        case ("**", first, second):
            a, b = integer(first, known), integer(second, known)
            if b < 0:
                raise WrongError("exponent")
            if abs(a) > 1 and b > 12:
                raise NotJudgedError
            return int(a**b)
        case (sign, first, second):
            a, b = integer(first, known), integer(second, known)
            if sign in ("/", "\\", "%") and b == 0:
                raise WrongError("division")
            return {
                "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "%": lambda: a % b,
                "/": lambda: a // b, "\\": lambda: -(-a // b), "<?": lambda: min(a, b), ">?": lambda: max(a, b),
            }[sign]()  # fmt: skip
    raise AssertionError(e)


def truth(e: Expr, known: Sizes) -> bool:
    """Return a condition. Raises ``WrongError``."""
    match e:
        case ("flag", name):
            return bool(known[name])
        case ("is", name, value):
            return bool(known[name] == value)
        case ("!", inner):
            return not truth(inner, known)
        case ("in", a, *items):
            return integer(a, known) in items
        case ("=>", a, b):
            return not truth(a, known) or truth(b, known)
        case ("^", a, b):
            return truth(a, known) is not truth(b, known)
        case ("&&", a, b):
            return truth(a, known) and truth(b, known)
        case ("||", a, b):
            return truth(a, known) or truth(b, known)
        case (sign, first, second):
            a, b = integer(first, known), integer(second, known)
            return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[sign]
    raise AssertionError(e)
