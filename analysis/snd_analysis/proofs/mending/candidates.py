"""Assertions that authors write: bounds, orders, sums, products and divisibility of the names of an operator."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.proofs.limits import LEAST_VALUES
from snd_analysis.proofs.mending.outcomes import Number
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Truth

_Form: TypeAlias = "tuple[str, Callable[..., bool]]"
"""An assertion about ``{0}``, ``{1}`` …, and its meaning."""

# Each form is the one that authors write, among those with the same meaning for ints.
_ABOUT_ONE: Sequence[_Form] = (
    ("{0} > 0", lambda a: a > 0),
    ("{0} >= 0", lambda a: a >= 0),
    ("{0} != 0", lambda a: a != 0),
    ("{0} == 1", lambda a: a == 1),
    ("{0} <= 1", lambda a: a <= 1),
    ("{0} == 0", lambda a: a == 0),
    ("{0} <= 0", lambda a: a <= 0),
)
_ABOUT_ONE_AND_NUMBER: Sequence[_Form] = (
    ("{0} >= {1}", lambda a, n: a >= n),
    ("{0} <= {1}", lambda a, n: a <= n),
    ("{0} == {1}", lambda a, n: a == n),
    ("{0} % {1} == 0", lambda a, n: a % n == 0),
)
_ABOUT_TWO: Sequence[_Form] = (
    ("{0} <= {1}", lambda a, b: a <= b),
    ("{0} < {1}", lambda a, b: a < b),
    ("{0} == {1}", lambda a, b: a == b),
    ("{0} != {1}", lambda a, b: a != b),
    ("{0} <= {1} + 1", lambda a, b: a <= b + 1),
    ("{0} + 1 < {1}", lambda a, b: a + 1 < b),
    ("{0} == {1} + 1", lambda a, b: a == b + 1),
    ("{0} + {1} >= 0", lambda a, b: a + b >= 0),
    ("{0} + {1} > 0", lambda a, b: a + b > 0),
    ("{0} >= -{1} && {0} < {1}", lambda a, b: -b <= a < b),
    ("{0} >= 0 && {0} < {1}", lambda a, b: 0 <= a < b),
    ("{0} >= 0 && {0} <= {1}", lambda a, b: 0 <= a <= b),
    ("{0} % {1} == 0", lambda a, b: a % b == 0),
    ("{0} * {0} <= {1}", lambda a, b: a * a <= b),
    ("{0} * {0} == {1}", lambda a, b: a * a == b),
    ("{0} * ({1} - 1) >= 0", lambda a, b: a * (b - 1) >= 0),
)
_ABOUT_TWO_AND_NUMBER: Sequence[_Form] = (
    ("{0} + {2} <= {1}", lambda a, b, n: a + n <= b),
    ("{0} <= {1} + {2}", lambda a, b, n: a <= b + n),
    ("{0} == {1} + {2}", lambda a, b, n: a == b + n),
    ("{2} * {0} <= {1}", lambda a, b, n: n * a <= b),
    ("{2} * {0} < {1}", lambda a, b, n: n * a < b),
    ("{0} <= {2} * {1}", lambda a, b, n: a <= n * b),
    ("{0} < {2} * {1}", lambda a, b, n: a < n * b),
    ("{0} == {2} * {1}", lambda a, b, n: a == n * b),
    ("{0} % ({2} * {1}) == 0", lambda a, b, n: a % (n * b) == 0),
)
_ABOUT_THREE: Sequence[_Form] = (
    ("{0} + {1} <= {2}", lambda a, b, c: a + b <= c),
    ("{0} + {1} < {2}", lambda a, b, c: a + b < c),
    ("{0} + {1} <= {2} + 1", lambda a, b, c: a + b <= c + 1),
    ("{0} + {1} == {2}", lambda a, b, c: a + b == c),
    ("{0} + {1} == {2} + 1", lambda a, b, c: a + b == c + 1),
    ("{0} <= {1} + {2}", lambda a, b, c: a <= b + c),
    ("{0} < {1} + {2}", lambda a, b, c: a < b + c),
    ("{0} * {1} <= {2}", lambda a, b, c: a * b <= c),
    ("{0} * {1} < {2}", lambda a, b, c: a * b < c),
    ("{0} <= {1} * {2}", lambda a, b, c: a <= b * c),
    ("{0} < {1} * {2}", lambda a, b, c: a < b * c),
    ("{0} * {1} == {2}", lambda a, b, c: a * b == c),
    ("{0} % ({1} * {2}) == 0", lambda a, b, c: a % (b * c) == 0),
    ("{0} * {1} % {2} == 0", lambda a, b, c: a * b % c == 0),
    ("({0} + {1}) % {2} == 0", lambda a, b, c: (a + b) % c == 0),
    ("({0} - {1}) % {2} == 0", lambda a, b, c: (a - b) % c == 0),
    ("({0} <? {1}) <= {2}", lambda a, b, c: min(a, b) <= c),
    ("{0} * ({1} - 1) < {2}", lambda a, b, c: a * (b - 1) < c),
    ("{0} * ({1} - 1) <= {2}", lambda a, b, c: a * (b - 1) <= c),
)
_ABOUT_FOUR: Sequence[_Form] = (
    ("{0} * {1} == {2} * {3}", lambda a, b, c, d: a * b == c * d),
    ("{0} * {1} <= {2} * {3}", lambda a, b, c, d: a * b <= c * d),
    ("{0} + {1} <= {2} + {3}", lambda a, b, c, d: a + b <= c + d),
    ("{0} + {1} + {2} <= {3}", lambda a, b, c, d: a + b + c <= d),
    ("{0} * {1} * {2} == {3}", lambda a, b, c, d: a * b * c == d),
    ("{0} * {1} * {2} <= {3}", lambda a, b, c, d: a * b * c <= d),
    ("{0} * {1} + {2} <= {3}", lambda a, b, c, d: a * b + c <= d),
    ("{0} * ({1} - 1) + {2} <= {3}", lambda a, b, c, d: a * (b - 1) + c <= d),
    ("{0} * ({1} - 1) + {2} < {3}", lambda a, b, c, d: a * (b - 1) + c < d),
    ("{0} * ({1} - 1) < {2} + {3}", lambda a, b, c, d: a * (b - 1) < c + d),
)
_ABOUT_PACK: Sequence[_Form] = (
    ("{0} > 0", lambda p: all(each > 0 for each in p)),
    ("{0} != 0", lambda p: all(each != 0 for each in p)),
    ("{0} >= 0", lambda p: all(each >= 0 for each in p)),
    ("{0} == 1", lambda p: all(each == 1 for each in p)),
)
_ABOUT_PACK_AND_INT: Sequence[_Form] = (
    ("{0} >= {1}", lambda p, a: all(each >= a for each in p)),
    ("{0} <= {1}", lambda p, a: all(each <= a for each in p)),
    ("{0} < {1}", lambda p, a: all(each < a for each in p)),
    ("{0} == {1}", lambda p, a: all(each == a for each in p)),
    ("{0} % {1} == 0", lambda p, a: all(each % a == 0 for each in p)),
    ("{0} >= 0 && {0} < {1}", lambda p, a: all(0 <= each < a for each in p)),
    ("{0} >= -{1} && {0} < {1}", lambda p, a: all(-a <= each < a for each in p)),
    ("({0} + ..) == {1}", lambda p, a: sum(p) == a),
    ("({0} + ..) <= {1}", lambda p, a: sum(p) <= a),
)
_ABOUT_PACKS: Sequence[_Form] = (
    ("{0} == {1}", lambda p, q: all(a == b for a, b in zip(p, q, strict=True))),
    ("{0} <= {1}", lambda p, q: all(a <= b for a, b in zip(p, q, strict=True))),
    ("{0} % {1} == 0", lambda p, q: all(a % b == 0 for a, b in zip(p, q, strict=True))),
)


class AssertionCandidate(Struct, frozen=True, eq=False):
    """A possible assertion: its text, its meaning, and its operands in each row of sizes."""

    text: str
    about: Sequence[str | int]
    """Names, items such as ``s[0]``, and numbers: the arguments of the meaning."""
    meaning: Callable[..., bool]
    values: Sequence[Sequence[Number | None]]
    """The values of the arguments in all rows; None where an argument has no value."""
    weight: int
    """Number of names and operators: of two assertions that refuse the same, authors want the lighter one."""

    def holds(self, row: int) -> bool | None:
        """Return whether the sizes of a row are allowed; None if the assertion has no value with them."""
        return self._holds([each[row] for each in self.values])

    def holds_with(self, names: Mapping[str, Number]) -> bool | None:
        """Return whether sizes are allowed, by the values of their names; None if a value is missing."""
        return self._holds([each if isinstance(each, int) else _value(names, each) for each in self.about])

    def _holds(self, arguments: Sequence[Number | None]) -> bool | None:
        if None in arguments:
            return None
        try:
            return self.meaning(*arguments)
        except (ArithmeticError, ValueError):  # a divisor of zero, packs of different lengths
            return None


class NameValues:
    """The names of an operator with the values that they have in all rows of sizes."""

    def __init__(self, rows: Sequence[Mapping[str, Number]], helpers: Collection[str]) -> None:
        """Prepare the names of ``rows``; assertions that name ``helpers`` have a greater weight."""
        self._helpers = helpers
        self._rows = rows
        named = dict.fromkeys(name for row in rows for name in row)
        self._values: dict[str | int, Sequence[Number | None]] = {
            name: [row.get(name) for row in rows] for name in named
        }
        # A name with few values tells nothing about others, as a rank that was tried up to 3.
        self.ints = [
            name
            for name in named
            if all(isinstance(each, int | None) for each in self._values[name])
            and len({*self._values[name]} - {None}) >= LEAST_VALUES
        ]
        self.packs = [name for name in named if all(isinstance(each, tuple | None) for each in self._values[name])]

    def assertion(self, form: _Form, *about: str | int) -> AssertionCandidate:
        """Return an assertion about names and numbers."""
        text = form[0].format(*about)
        weight = len(text.split()) + sum(each in self._helpers for each in about)
        return AssertionCandidate(text, about, form[1], [*map(self._values_of, about)], weight)

    def condition(self, condition: Truth) -> AssertionCandidate | None:
        """Return a condition of the analysis as an assertion; None if it is about anything without a name."""
        leaves = sorted(condition.leaves, key=lambda each: each.name)
        about, keys = [leaf.name for leaf in leaves], [leaf.key for leaf in leaves]
        values = [*map(self._values_of, about)]
        if not values or not all(any(number is not None for number in each) for each in values):
            return None

        def meaning(*numbers: int) -> bool:
            return shapes.evaluate(condition, dict(zip(keys, numbers, strict=True)))

        text = str(condition)
        return AssertionCandidate(text, about, meaning, values, len(text.split()))

    def _values_of(self, of: str | int) -> Sequence[Number | None]:
        """Return the values in all rows of a name, of an item of a pack such as ``s[0]``, or of a number."""
        if of not in self._values:
            self._values[of] = [of if isinstance(of, int) else _value(row, of) for row in self._rows]
        return self._values[of]


def _value(names: Mapping[str, Number], text: str) -> Number | None:
    """Return the value of a name, or of an item of a pack; None if there is none."""
    if text in names:
        return names[text]
    item = re.fullmatch(r"(\w+)\[(\d+)\]", text)
    pack = None if item is None else names.get(item[1])
    at = 0 if item is None else int(item[2])
    return pack[at] if isinstance(pack, tuple) and at < len(pack) else None


def assertions_of(names: NameValues, near: Sequence[str], numbers: Sequence[int]) -> Iterator[AssertionCandidate]:
    """Yield assertions about one or two names, and about three or four of those ``near`` a condition."""
    for forms, about in (
        (_ABOUT_ONE, product(names.ints)),
        (_ABOUT_ONE_AND_NUMBER, product(names.ints, numbers)),
        (_ABOUT_TWO, permutations(names.ints, 2)),
        (_ABOUT_TWO_AND_NUMBER, _with_number(permutations(names.ints, 2), numbers)),
        (_ABOUT_THREE, permutations(near, 3)),
        (_ABOUT_FOUR, permutations(near, 4)),
        (_ABOUT_PACK, product(names.packs)),
        (_ABOUT_PACK_AND_INT, product(names.packs, names.ints)),
        (_ABOUT_PACKS, permutations(names.packs, 2)),
    ):
        for each in about:
            yield from (names.assertion(form, *each) for form in forms)


def _with_number(pairs: Iterable[tuple[str, ...]], numbers: Sequence[int]) -> Iterator[tuple[str | int, ...]]:
    for pair, number in product(pairs, numbers):
        yield *pair, number
