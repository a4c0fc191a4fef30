r"""Conditions under which an expression has a value: the operations without a result for some operands (2.4).

This is the only place that lists partial operations of expressions without indices: division, powers, items and
slices of packs, steps of ranges, folds to a minimum or maximum, lengths that must agree, casts to int. It reads the
expression as written, because simplified values forget operands: ``q \ n`` is 0 where ``q`` is 0, ``n % n`` is 0.

A branch contributes its conditions only where it is taken. If a condition decides per item of a pack, or is not known,
the branch contributes its conditions everywhere: too strong a condition can lose a proof, and never makes one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.compose import ValueScope
from snd_analysis.proofs.goal import Expression, Goal, all_of, equal, negation
from snd_analysis.proofs.logic import Logic
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth
from snd_analysis.symbolic.values import NULL, UNDEFINED, ItemRun, Maybe, Pack, Unknown

DIVIDES = ("/", "\\", "%")
_TEXTS = {
    rules.NEGATIVE_EXTENT: "no extent is negative",
    rules.DIVISION_BY_ZERO: "no divisor is zero",
    rules.INDEX_OUT_OF_RANGE: "each item is in its pack",
    rules.NEGATIVE_EXPONENT: "no exponent is negative",
    rules.ZERO_STEP: "no step is zero",
    rules.EMPTY_EXTREMUM: "no minimum or maximum is that of an empty pack",
    rules.LENGTH_MISMATCH: "packs have the length that is demanded",
    rules.CAST_TYPE: "each real has an int value",
    rules.LOOP_COUNT: "no count of a loop is negative",
}
_FINITE = ("abs", "sign", "round", "floor", "ceil", "frac", "sin", "cos", "atan", "tanh", "asinh", "erf")
"""Functions whose results are finite numbers if their arguments are."""
_TOTAL = ("in", "is", "&&", "||", "=>")
_SINGLE = (nodes.Literal, nodes.String)
"""Expressions with a single value, so that no length can differ from that of the other operand."""
_ITEM = "items of a pack decide where this is evaluated"
_UNKNOWN = "the value of '{}' is not known"

AssumedConditions: TypeAlias = "tuple[Expression, ...]"


def text_of_failure(rule: Rule) -> str:
    """Return the text of the condition that a failure breaks."""
    return _TEXTS.get(rule, f"no evaluation fails by '{rule.name}'")


def defined_goals(
    scope: ValueScope, base: int, node: nodes.Node, logic: Logic, facts: AssumedConditions = ()
) -> Iterator[Goal]:
    """Yield the conditions under which an expression of declarations, or a part of a formula, has a value.

    ``facts`` hold where the expression is evaluated. Conditions that literals satisfy are left out.
    """
    if not may_fail(node):
        return
    if facts:
        yield from _Reading(scope, base, logic).goals(node, _Place(facts))
        return
    # Each assertion asks for the conditions of the helper symbols that it names.
    key = (scope, base, node)
    if key not in logic.declared:
        logic.declared[key] = tuple(_Reading(scope, base, logic).goals(node, _Place(())))
    yield from logic.declared[key]


@lru_cache(maxsize=20_000)
def may_fail(node: nodes.Node) -> bool:
    """Return whether an expression contains an operation that has no value for some operands, or is not known to."""
    match node:
        case nodes.Binary(operator=operator, left=left, right=right):
            is_total = operator.text in _TOTAL or any(isinstance(each, _SINGLE) for each in (left, right))
            if operator.text in (*DIVIDES, "**") or not is_total:
                return True
        case nodes.Subscript() | nodes.Substitution() | nodes.Range() | nodes.Expanded() | nodes.Fold() | nodes.Cast():
            return True
    return any(map(may_fail, nodes.children(node)))


class _Place(Struct, frozen=True):
    """Facts that hold where a part of an expression is evaluated."""

    facts: AssumedConditions
    unless: str = ""
    """Why the part may not be evaluated although the facts hold."""

    def where(self, *more: Expression) -> _Place:
        return replace(self, facts=(*self.facts, *more))


class _Reading:
    def __init__(self, scope: ValueScope, base: int, logic: Logic) -> None:
        self._scope = scope
        self._base = base
        self._logic = logic

    def goals(self, node: nodes.Node, place: _Place) -> Iterator[Goal]:
        match node:
            case nodes.Select(condition=condition, consequent=first, alternative=second):
                yield from self.goals(condition, place)
                yield from self._branches(condition, first, second, place)
                return
            case nodes.Coalesce(value=first, fallback=second):
                yield from self.goals(first, place)
                match self._scope.attempt(first):
                    case value if value is NULL:
                        yield from self.goals(second, place)
                    case Maybe(present=present):
                        yield from self.goals(second, place.where(negation(self._logic.truth(present))))
                return
            case nodes.Binary(operator=operator, left=left, right=right) if operator.text in ("&&", "||", "=>"):
                yield from self.goals(left, place)
                is_first = operator.text != "||"
                yield from self._branches(left, right if is_first else None, None if is_first else right, place)
                return
        for child in nodes.children(node):
            if may_fail(child):
                yield from self.goals(child, place)
        yield from self._own(node, place)

    def _branches(
        self, condition: nodes.Node, first: nodes.Node | None, second: nodes.Node | None, place: _Place
    ) -> Iterator[Goal]:
        """Yield the goals of the parts that are evaluated where a condition holds, and where it does not."""
        value = self._scope.attempt(condition)  # type: ignore[arg-type]
        if isinstance(value, Maybe):
            place, value = place.where(self._logic.truth(value.present)), value.value
        taken = (first is not None, second is not None)
        holds = None
        match value:
            case _ if value is TRUE or value is FALSE:
                taken = (first is not None and value is TRUE, second is not None and value is FALSE)
            case _ if value is NULL:
                return
            case Truth():
                holds = self._logic.truth(value)
            case _:
                place = replace(place, unless=_ITEM if isinstance(value, Pack) else _UNKNOWN.format("a condition"))
        for branch, is_taken, is_first in ((first, taken[0], True), (second, taken[1], False)):
            if branch is not None and is_taken:
                fact = () if holds is None else (holds if is_first else negation(holds),)
                yield from self.goals(branch, place.where(*fact))

    def _own(self, node: nodes.Node, place: _Place) -> Iterator[Goal]:
        """Yield the conditions of the operation of a node, with its operands evaluated."""
        match node:
            case nodes.Binary(operator=operator, left=left, right=right):
                yield from self._of_binary(operator.text, left, right, place)
            case nodes.Subscript(target=target, index=index) | nodes.Substitution(target=target, index=index):
                if len(index.items) == 1 and not index.trailing_comma:
                    yield from self._of_index(node, target, index.items[0], place)
            case nodes.Range(step=step) if step is not None:
                for value, where in self._single(step, place):
                    nonzero = negation(equal(self._logic.integer(value), 0))
                    yield from self._goal(step, rules.ZERO_STEP, nonzero, where)
            case nodes.Expanded(item=item, expansion=nodes.Expansion(length=length)) if length is not None:
                pack = UNDEFINED if isinstance(item, nodes.Zip) else self._scope.attempt(item)
                for value, where in self._single(length, place):
                    if isinstance(pack, Pack):
                        yield from self._same_length(node, pack.length, value, where)
            case nodes.Fold(operand=operand, operator=operator, cumulative=False) if operator.text in ("<?", ">?"):
                pack = self._scope.attempt(operand)
                if isinstance(pack, Pack):
                    yield from self._goal(node, rules.EMPTY_EXTREMUM, self._logic.integer(pack.length) > 0, place)
            case nodes.Cast(type=type_, value=operand) if operand is not None:
                if self._scope.element_type(type_) == "int" and self._is_real(operand):
                    yield from self._of_cast(node, operand, place)

    def _of_binary(self, sign: str, left: nodes.Node, right: nodes.Node, place: _Place) -> Iterator[Goal]:
        if sign in (*DIVIDES, "**"):
            if self._is_real(right):
                return
            for value, where in self._single(right, place):
                divisor = self._logic.integer(value)
                goal = divisor >= 0 if sign == "**" else negation(equal(divisor, 0))
                rule = rules.NEGATIVE_EXPONENT if sign == "**" else rules.DIVISION_BY_ZERO
                nonzero = (shapes.compare(">", value, 0), shapes.compare("!=", value, 0))
                mends = (shapes.compare(">=", value, 0),) if sign == "**" else nonzero
                if not where.unless and value.value is None and sign != "**":
                    is_known = shapes.compare("!=", value, 0) is TRUE
                    if is_known:
                        yield Goal(self._base, right, text_of_failure(rule), holds=True)
                        continue
                yield from self._goal(right, rule, goal, where, mends=mends)
        if sign not in ("in", "is"):
            first, second = self._scope.attempt(left), self._scope.attempt(right)  # type: ignore[arg-type]
            if isinstance(first, Pack) and isinstance(second, Pack):
                yield from self._same_length(right, first.length, second.length, place)

    def _of_index(
        self, node: nodes.Node, target: nodes.Expression, item: nodes.ListItem, place: _Place
    ) -> Iterator[Goal]:
        pack = self._scope.attempt(target)
        length = shapes.constant(len(pack)) if isinstance(pack, str) else None
        if isinstance(pack, Pack):
            length = pack.length
        if length is None:
            return
        count = self._logic.integer(length)
        if isinstance(item, nodes.Range):
            for bound in (item.first, item.last):
                for value, where in self._single(bound, place) if bound is not None else ():
                    at = self._logic.integer(value)
                    yield from self._goal(node, rules.INDEX_OUT_OF_RANGE, all_of(at + count >= 0, at <= count), where)
            return
        if isinstance(item, nodes.Expanded | nodes.Zip):
            return
        chosen = self._scope.attempt(item)
        if isinstance(chosen, Pack) and (
            chosen.dtype == "bool" or isinstance(next(iter(chosen.elements), None), Truth)
        ):
            yield from self._same_length(node, length, chosen.length, place)
            return
        for value, where in self._single(item, place):
            at = self._logic.integer(value)
            mends = (shapes.compare("<", value, length),)
            goal = all_of(at + count >= 0, at < count)
            yield from self._goal(node, rules.INDEX_OUT_OF_RANGE, goal, where, mends=mends)

    def _same_length(self, node: nodes.Node, first: Integer, second: Integer, place: _Place) -> Iterator[Goal]:
        if first != second:
            goal = equal(self._logic.integer(first), self._logic.integer(second))
            yield from self._goal(node, rules.LENGTH_MISMATCH, goal, place)

    def _goal(
        self,
        node: nodes.Node,
        rule: Rule,
        goal: Expression | None,
        place: _Place,
        reason: str = "",
        mends: tuple[Truth, ...] = (),
    ) -> Iterator[Goal]:
        if goal is not None and goal.operation == "constant" and goal.value:
            return
        yield Goal(
            self._base, node, text_of_failure(rule), place.facts, goal, reason,
            unless_proved=place.unless, mends=mends, breaks=(rule.name,),
        )  # fmt: skip

    def _single(self, node: nodes.Node, place: _Place) -> Iterator[tuple[Integer, _Place]]:
        """Yield the ints that an operand has, each with where it is evaluated; nothing if it fails by itself."""
        value = self._scope.attempt(node)  # type: ignore[arg-type]
        if isinstance(value, Maybe):
            place, value = place.where(self._logic.truth(value.present)), value.value
        segments = value.segments if isinstance(value, Pack) else (value,)
        for each in segments:
            if isinstance(each, ItemRun) and isinstance(each.element, Integer):
                yield each.element, place.where(self._logic.integer(each.length) > 0)
            elif isinstance(each, Integer):
                yield each, place

    def _is_real(self, node: nodes.Node) -> bool:
        value = self._scope.attempt(node)  # type: ignore[arg-type]
        elements = value.elements if isinstance(value, Pack) else (value,)
        return any(isinstance(each, float) or (isinstance(each, Unknown) and each.dtype == "real") for each in elements)

    def _of_cast(self, node: nodes.Cast, operand: nodes.Expression, place: _Place) -> Iterator[Goal]:
        """Yield that a real is no infinity and no NaN: sizes are finite, quotients of them have nonzero divisors."""
        for each in (operand, *nodes.descendants(operand)):
            match each:
                case nodes.Binary(operator=operator, right=right) if operator.text == "/" and self._is_real(right):
                    divisors = [*self._single(_uncast(right), place)]
                    for value, where in divisors:
                        goal = negation(equal(self._logic.integer(value), 0))
                        yield from self._goal(
                            node, rules.CAST_TYPE, goal, where, mends=(shapes.compare("!=", value, 0),)
                        )
                    if not divisors and isinstance(self._scope.attempt(right), Unknown):
                        yield from self._goal(node, rules.CAST_TYPE, None, place, "a divisor may be zero")
                case nodes.Binary(operator=operator) if operator.text == "**" and self._is_real(each):
                    yield from self._goal(node, rules.CAST_TYPE, None, place, "a power of reals may be infinite")
                case nodes.Qualified() if self._is_real(each):
                    reason = f"'{each.text}' may be infinite, or not a number"
                    yield from self._goal(node, rules.CAST_TYPE, None, place, reason)
                case nodes.Call():
                    name = each.function.text
                    if name not in _FINITE:
                        yield from self._goal(node, rules.CAST_TYPE, None, place, f"'{name}' may be infinite")


def _uncast(node: nodes.Expression) -> nodes.Expression:
    """Return the int inside a cast to real; other expressions unchanged."""
    match node:
        case nodes.Parenthesized(inner=inner):
            return _uncast(inner)
        case nodes.Cast(value=value) if value is not None:
            return value
    return node
