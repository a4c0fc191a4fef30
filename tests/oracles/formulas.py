"""Formulas element by element: a straight recursion over the tree, slow and obviously right.

Values are Python's: int, float, bool and str, lists for packs, arrays for tensors, lists of arrays for packs of them,
None for null. Single values are combined by the tables of ``snd_analysis.symbolic.values``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, combinations, pairwise, product
from typing import Any

import numpy as np

from snd_analysis.compose import Specialization
from snd_analysis.compose.formulas import scalar_of
from snd_analysis.skriptnd.names import ShapeMember, Symbol
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import entries_of
from snd_analysis.symbolic.values import CASTS, FUNCTIONS, NULL, OPERATIONS, UNARY, OperationError, Pack, Value
from support.runtime.operators import value_of

NEUTRAL = {"+=": 0, "*=": 1, "&=": True, "|=": False, "<?=": np.inf, ">?=": -np.inf}
SYMBOLS = {"+=": "+", "*=": "*", "&=": "&&", "|=": "||", "<?=": "<?", ">?=": ">?"}
DTYPES = {"int": np.int64, "real": np.float64, "bool": np.bool_, "str": object}


class OracleError(Exception):
    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class AmbiguousError(Exception):
    """A failure at a point that another part skips: the order of the two is left open.

    It is settled for guarded indices that are read at every point, which come behind the condition and before all else,
    and for the left side, which comes last.
    """


class SkipError(Exception):
    """A guarded index is out of bounds."""


class BranchSkipError(SkipError):
    """A guarded index is out of bounds in the chosen part of a selection or of '&&'."""


@dataclass(frozen=True)
class Guarded:
    index: int
    below: int | None
    above: int | None


def plain(value: Value) -> Any:
    if isinstance(value, Pack):
        return [plain(item) for item in value.items or ()]
    return None if value is NULL else scalar_of(value)


def single(operation: Any, *operands: Any) -> Any:
    """Return the result of an operation on single values."""
    reals = any(isinstance(operand, float) for operand in operands)
    given = [float(each) if reals and type(each) is int else each for each in operands]  # an empty fold
    try:
        result = scalar_of(operation(*map(value_of, given)))
    except OperationError as failure:
        raise OracleError(failure.rule.name) from None
    if type(result) is int and not -(2**63) <= result < 2**63:
        raise OracleError("int-overflow")
    return result


def itemwise(function: Any, *operands: Any) -> Any:
    lengths = {len(operand) for operand in operands if isinstance(operand, list)}
    if not lengths:
        return function(*operands)
    (length,) = lengths
    columns = [operand if isinstance(operand, list) else [operand] * length for operand in operands]
    return [function(*row) for row in zip(*columns, strict=True)]


class Oracle:
    """Runs all formulas of an instance."""

    def __init__(self, specialization: Specialization, inputs: Sequence[Any]) -> None:
        self.specialization = specialization
        self.template = specialization.template
        self.targets = specialization.template.resolution.targets
        self.values: dict[Symbol, Any] = {}
        self.counters: dict[Symbol, int] = {}
        for symbol, value in specialization.scope.values.items():
            if value in specialization.dynamic.values():
                self.counters[symbol] = 0
            else:
                self.values[symbol] = plain(value)
        for member, value in zip(self.template.inputs, inputs, strict=True):
            self.values[member.symbol] = np.asarray(value) if isinstance(value, np.generic) else value
        for member, value in zip(self.template.outputs, specialization.outputs, strict=True):
            self.values[member.symbol] = self.allocated(value)
        for member in self.template.constants:
            tensor: Any = specialization.constants[member.name]
            default = member.node.default
            assert default is not None
            array = self.allocated(tensor)
            if default.bounds:
                for position, _ in zip(np.ndindex(array.shape), self.points(default.bounds), strict=True):
                    array[position] = self.evaluate(default.value)
            else:
                array[...] = np.reshape(self.evaluate(default.value), array.shape)
            self.values[member.symbol] = array

    def allocated(self, value: Any) -> Any:
        if isinstance(value, Pack):
            return [self.allocated(item) for item in value.items or ()]
        shape = [each.value if each.value is not None else max(each_bound(each), 0) for each in value.shape]
        return np.zeros(shape, DTYPES[value.dtype])

    def run(self) -> list[Any]:
        formulas = entries_of(self.template.definition, nodes.BlockKind.LOWER, nodes.Lowering)
        initialized: set[Any] = set()
        counts: dict[Symbol, int] = {}
        for _, formula in formulas:
            symbol = self.targets[formula.target.name]
            if formula.operator.text in NEUTRAL and symbol not in initialized:
                self.fill(self.values[symbol], formula.operator.text)
            initialized.add(symbol)
            self.counters = dict.fromkeys(self.counters, 0)
            self.formula(formula)
            used = {self.targets.get(each) for each in nodes.descendants(formula.target)}
            for counter in used & self.counters.keys():
                count = self.counters[counter]
                counts[counter] = max(count, counts.get(counter, 0))
        dynamic = {
            value: counts.get(symbol, 0)
            for symbol, value in self.specialization.scope.values.items()
            if symbol in self.counters
        }
        return [
            self.cut(self.values[member.symbol], value, dynamic)
            for member, value in zip(self.template.outputs, self.specialization.outputs, strict=True)
        ]

    def cut(self, array: Any, tensor: Any, dynamic: dict[Any, int]) -> Any:
        if isinstance(array, list):
            return array
        return array[tuple(slice(dynamic.get(extent)) for extent in tensor.shape)]

    def fill(self, array: Any, operator: str) -> None:
        for one in array if isinstance(array, list) else [array]:
            neutral = NEUTRAL[operator]
            if one.dtype == np.int64 and operator in ("<?=", ">?="):
                neutral = np.iinfo(np.int64).max if operator == "<?=" else np.iinfo(np.int64).min
            one[...] = neutral

    # ---- loops -------------------------------------------------------------------------------------------------------
    def formula(self, node: nodes.Lowering) -> None:
        if node.unroll is None:
            for _ in self.points(node.bounds):
                self.point(node)
        else:
            for at in range(self.evaluate(node.unroll.count)):
                self.values[self.targets[node.unroll.name]] = at
                for _ in self.points(node.bounds):
                    self.point(node)

    def points(self, bounds: Sequence[nodes.IndexBound]) -> Iterator[None]:
        if not bounds:
            yield
            return
        first, *rest = bounds
        extent = self.evaluate(first.bound)
        extents = extent if isinstance(extent, list) else [extent]
        for position in product(*map(range, extents)):
            self.values[self.targets[first.name]] = list(position) if isinstance(extent, list) else position[0]
            yield from self.points(rest)

    def point(self, node: nodes.Lowering) -> None:
        failure: OracleError | None = None
        in_condition = False
        try:
            for local in node.locals:
                self.values[self.targets[local.name]] = self.evaluate(local.value)
            if node.condition is not None:
                try:
                    if not self.evaluate(node.condition):
                        return
                except OracleError as error:
                    failure = error
            in_condition = failure is not None
            elements, value = None, None
            try:
                elements = self.elements(self.target(node.target), node.target.indices[-1])
            except OracleError as error:
                failure = failure or error
            try:
                value = self.evaluate(node.value)
            except OracleError as error:
                failure = failure or error
        except SkipError:
            if failure is not None and in_condition:
                raise AmbiguousError(failure.rule) from None
            return
        if failure is not None:
            raise failure
        assert elements is not None
        if isinstance(elements, tuple):
            elements, value = [elements], [value]
        values = value if isinstance(value, list) else [value] * len(elements)
        for (array, index), one in zip(elements, values, strict=True):
            self.assign(node.operator.text, array, index, one)
        for counter in self.counters:
            self.counters[counter] += 1

    def assign(self, operator: str, array: Any, index: Any, value: Any) -> None:
        if type(value) is int and array.dtype == np.float64:
            value = float(value)
        if operator in SYMBOLS:
            value = single(OPERATIONS[SYMBOLS[operator]], array[index].item(), value)
        array[index] = value

    def target(self, node: nodes.Access) -> Any:
        target = self.values[self.targets[node.name]]
        for index in node.indices[:-1]:
            target = target[self.evaluate(index.items[0])]
        return target

    # ---- tensors -----------------------------------------------------------------------------------------------------
    def elements(self, target: Any, index: nodes.Index) -> Any:
        """(array, index), or a list of them."""
        if isinstance(target, list):
            return [self.elements(one, index) for one in target]
        columns: list[Any] = []
        packed, failure = None, None
        for item in index.items:
            value: Any = None
            try:
                value = self.along(target, len(columns), item) if isinstance(item, nodes.Range) else self.item(item)
            except OracleError as error:
                failure = failure or error
                columns.append(None)
                continue
            if isinstance(item, nodes.Expanded):
                columns += value if isinstance(value, list) else [value]
                continue
            if isinstance(value, list):
                packed = len(columns)
            columns.append(value)
        if failure is not None:
            for guarded, extent in zip(columns, target.shape, strict=False):
                if isinstance(guarded, Guarded) and guarded.below is None and not 0 <= guarded.index < extent:
                    raise SkipError
            raise failure
        assert len(columns) == target.ndim
        rows = [columns]
        if packed is not None:
            rows = [[*columns[:packed], each, *columns[packed + 1 :]] for each in columns[packed]]
        found = [(target, self.checked(target, row)) for row in rows]
        return found if packed is not None else found[0]

    def along(self, target: Any, dimension: int, item: nodes.Range) -> list[int]:
        return list(range(target.shape[dimension]))[self.slice(item)]

    def checked(self, array: Any, row: list[Any]) -> tuple[int, ...]:
        index, failed = [], False
        for value, extent in zip(row, array.shape, strict=True):
            if isinstance(value, Guarded):
                if value.below is None and not 0 <= value.index < extent:
                    raise SkipError
                value = value.below if value.index < 0 else value.above if value.index >= extent else value.index
                value = row_index(value)
            if not 0 <= value < extent:
                failed = True
            index.append(value)
        if failed:
            raise OracleError("index-out-of-range")
        return tuple(index)

    # ---- expressions -------------------------------------------------------------------------------------------------
    def all(self, *parts: nodes.Expression) -> list[Any]:
        """Return all values; a skip by any of them takes precedence over a failure of another."""
        found, failure, skip = [], None, None
        for part in parts:
            try:
                found.append(self.evaluate(part))
            except OracleError as error:
                failure = failure or error
            except BranchSkipError as error:
                skip = error
        if failure is not None and skip is not None:
            raise AmbiguousError(failure.rule)
        if failure is not None or skip is not None:
            raise skip or failure
        return found

    def evaluate(self, node: Any) -> Any:
        return getattr(self, f"_{type(node).__name__.lower()}")(node)

    def _literal(self, node: nodes.Literal) -> Any:
        return float(node.value) if node.type == "real" else node.value

    def _string(self, node: nodes.String) -> Any:
        return "".join(part.value for part in node.parts if isinstance(part, nodes.Text))

    def _parenthesized(self, node: nodes.Parenthesized) -> Any:
        return self.evaluate(node.inner)

    def _qualified(self, node: nodes.Qualified) -> Any:
        target: Any = self.targets[node]
        if isinstance(target, ShapeMember):
            value = self.values[target.tensor]
            members = {"shape": lambda: list(value.shape), "rank": lambda: value.ndim, "size": lambda: len(value)}
            return members[target.member]()
        return self.counters[target] if target in self.counters else self.values[target]

    def _bounded(self, node: nodes.Bounded) -> Any:
        if node.below is None or node.above is None:
            return itemwise(lambda i: Guarded(i, None, None), self.evaluate(node.value))
        return itemwise(Guarded, *self.all(node.value, node.below, node.above))

    def _unary(self, node: nodes.Unary) -> Any:
        value = self.evaluate(node.operand)
        if node.operator.text == "?":
            return value is not None
        return None if value is None else itemwise(lambda a: single(UNARY[node.operator.text], a), value)

    def _binary(self, node: nodes.Binary) -> Any:
        symbol = node.operator.text
        if symbol in ("&&", "||", "=>"):
            left = self.evaluate(node.left)
            if left is (symbol == "||"):
                try:
                    # Only the number of its items counts.
                    return itemwise(lambda _: symbol != "&&", self.evaluate(node.right))
                except (SkipError, OracleError):
                    return symbol != "&&"
            right = self.branch(node.right)
        else:
            left, right = self.all(node.left, node.right)
        if left is None or right is None:
            return None
        if symbol == "in":
            return itemwise(lambda a: a in right, left)
        if symbol == "is":
            return itemwise(lambda a, b: a == b, left, right)
        return itemwise(lambda a, b: single(OPERATIONS[symbol], a, b), left, right)

    def _coalesce(self, node: nodes.Coalesce) -> Any:
        value = self.evaluate(node.value)
        return self.evaluate(node.fallback) if value is None else value

    def _select(self, node: nodes.Select) -> Any:
        condition = self.evaluate(node.condition)
        if condition is None:
            return None
        if not isinstance(condition, list):
            return self.branch(node.consequent if condition else node.alternative)
        a = self.branch(node.consequent) if any(condition) else None
        b = self.branch(node.alternative) if not all(condition) else None
        return itemwise(lambda c, x, y: x if c else y, condition, a, b)

    def branch(self, node: nodes.Expression | None) -> Any:
        try:
            return None if node is None else self.evaluate(node)
        except SkipError:
            raise BranchSkipError from None

    def _fold(self, node: nodes.Fold) -> Any:
        value, symbol = self.evaluate(node.operand), node.operator.text
        if value is None:
            return None

        def both(a: Any, b: Any) -> Any:
            return single(OPERATIONS[symbol], a, b)

        if node.cumulative:
            return list(accumulate(value, both))
        if symbol == ":=":
            return value[0] if len(set(value)) == 1 else None
        if symbol in ("+", "*", "&&", "||", "<?", ">?"):
            if not value:
                return {"+": 0, "*": 1, "&&": True, "||": False}[symbol]
            return reduce(both, value)
        pairs = combinations(value, 2) if symbol == "!=" else pairwise(value)
        return all(both(a, b) for a, b in pairs)

    def item(self, item: Any) -> Any:
        if isinstance(item, nodes.Range):
            return list(range(*self.all(*(part for part in (item.first, item.last, item.step) if part))))
        if not isinstance(item, nodes.Expanded):
            return self.evaluate(item)
        if isinstance(item.item, nodes.Zip):
            rows = self.all(*item.item.items)
            value: Any = [each for row in zip(*rows, strict=True) for each in row]
        else:
            value = self.evaluate(item.item)
        if item.expansion.length is None or value is None:
            return value
        count = self.evaluate(item.expansion.length)
        if isinstance(value, list):
            return value if count else []
        return [value] * max(int(count), 0)

    def _expanded(self, node: nodes.Expanded) -> Any:
        return self.item(node)

    def _list(self, node: nodes.List) -> Any:
        parts = [self.item(item) for item in node.items]
        if any(part is None for part in parts):
            return None
        return [each for part in parts for each in (part if isinstance(part, list) else [part])]

    def slice(self, item: nodes.Range) -> slice:
        return slice(*(None if part is None else self.evaluate(part) for part in (item.first, item.last, item.step)))

    def _subscript(self, node: nodes.Subscript) -> Any:
        target = self.evaluate(node.target)
        if target is None:
            return None
        items = node.index.items
        is_tensors = isinstance(target, list) and bool(target) and isinstance(target[0], np.ndarray)
        one = len(items) == 1 and not node.index.trailing_comma and not isinstance(items[0], nodes.Expanded)
        if isinstance(target, np.ndarray) or (is_tensors and not one):
            elements = self.elements(target, node.index)
            if isinstance(elements, list):
                return [array[index].item() for array, index in elements]
            return elements[0][elements[1]].item() if elements[0].dtype != object else elements[0][elements[1]]
        if isinstance(items[0], nodes.Range):
            return target[self.slice(items[0])]
        return picked(target, self.evaluate(items[0]))

    def _substitution(self, node: nodes.Substitution) -> Any:
        target = list(self.evaluate(node.target))
        part = node.index.items[0]
        place = list(range(len(target)))[self.slice(part)] if isinstance(part, nodes.Range) else self.evaluate(part)
        value = self.evaluate(node.value)
        places = place if isinstance(place, list) else [place]
        values = value if isinstance(value, list) else [value] * len(places)
        for at, one in zip(places, values, strict=True):
            target[at] = one
        return target

    def _call(self, node: nodes.Call) -> Any:
        dtype = self.specialization.scope.dtype(node.function)
        table = FUNCTIONS[node.function.text] if dtype is None else CASTS[dtype]
        if not node.arguments:
            return {"int": 0, "real": 0.0, "bool": False, "str": ""}[str(dtype)]
        value = self.evaluate(node.arguments[0])
        return None if value is None else itemwise(lambda a: single(table, a), value)

    def _cast(self, node: nodes.Cast) -> Any:
        dtype = self.specialization.scope.element_type(node.type)
        if node.value is None:
            return {"int": 0, "real": 0.0, "bool": False, "str": ""}[dtype]
        value = self.evaluate(node.value)
        return None if value is None else itemwise(lambda a: single(CASTS[dtype], a), value)


def picked(target: Any, place: Any) -> Any:
    if isinstance(place, list):
        if place and isinstance(place[0], bool):
            return [one for one, bit in zip(target, place, strict=True) if bit]
        return [picked(target, one) for one in place]
    if not -len(target) <= place < len(target):
        raise OracleError("index-out-of-range")
    return target[place]


def row_index(value: int | None) -> int:
    assert value is not None
    return value


def each_bound(extent: Any) -> int:
    from snd_analysis.symbolic import integers as shapes

    most = shapes.bounds(extent)[1]
    assert most is not None
    return most


def oracle(specialization: Specialization, inputs: Sequence[Any]) -> list[Any]:
    """Return the outputs of a specialization, computed one element after the other. Raise OracleError."""
    return Oracle(specialization, inputs).run()
