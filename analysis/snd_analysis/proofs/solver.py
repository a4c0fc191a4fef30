"""Questions to z3: whether a condition follows from others, and for which small values it does not.

z3 is the extra ``snd[proofs]``. It may give up on quotients and products of unknowns: then there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

import z3
from msgspec import Struct

from snd_analysis.proofs.goal import (
    FALSE,
    TRUE,
    Expression,
    Fact,
    Question,
    bearing_on,
    nearest,
    negation,
    question_of,
)
from snd_analysis.proofs.limits import MEMORY_MEGABYTES, TIME_IS_OVER
from snd_analysis.proofs.linear import linearized

_STEPS = 3000
"""Approximate number of steps of z3 per millisecond.

Steps are counted instead of time, so that verdicts don't depend on the load of the machine.
"""

_SMALLER = 8
"""Divisor of the number of steps for each attempt at smaller values, when values are known."""

_SHORT_PART = 10
"""Part of the steps that the first attempt may take: most questions need no more."""
_LINEAR_PART = 2
"""Part of the steps that a question without products may take."""

z3.set_param("memory_max_size", MEMORY_MEGABYTES)


class Proved(Struct, frozen=True):
    """The verdict that the condition holds for all values."""


class Counterexample(Struct, frozen=True):
    """Values of unknowns, by their numbers or keys, for which the condition does not hold."""

    values: Mapping[Hashable, int]


class Undecided(Struct, frozen=True):
    """The verdict that z3 found no answer within its limits."""

    reason: str


Decision = Proved | Counterexample | Undecided


class Solver:
    """z3, with its answers about an operator: equal questions are asked once.

    Each question has a context of its own: the answers of z3 depend on the earlier questions of a context.
    """

    def __init__(self, seconds_left: Callable[[], float] = lambda: inf) -> None:
        """Prepare a solver. ``seconds_left`` returns the remaining time: no question begins that may take longer."""
        self._seconds_left = seconds_left
        self._solver = z3.SimpleSolver(ctx=z3.Context())
        self._known: dict[Question, bool | None] = {}

    def is_proved(self, facts: Sequence[Fact], goal: Expression, milliseconds: int) -> bool:
        """Return whether a goal is found to follow from facts."""
        return bool(self._follows_from_near(facts, goal, milliseconds)) or (
            self._is_possible([negation(goal), *(each.condition for each in facts)], milliseconds) is False
        )

    def decide(
        self, facts: Sequence[Fact], goal: Expression, sizes: Sequence[Expression], milliseconds: int
    ) -> Decision:
        """Return whether a goal follows from facts, or values for which it does not, with small sizes."""
        proved = self._follows_from_near(facts, goal, milliseconds)
        if proved:
            return Proved()
        unknown = Undecided("neither a proof nor sizes that break it are found in the time there is")
        if proved is None:
            return unknown
        question, names = question_of((negation(goal), *(each.condition for each in facts)))
        if self._is_over(milliseconds):
            return Undecided(TIME_IS_OVER)
        with _Asked(self._solver, question, milliseconds) as asked:
            if asked.is_possible is None:
                return unknown
            if not asked.is_possible:
                return Proved()
            known = {each.value for each in sizes}
            found = asked.values([at for at, name in enumerate(names) if name in known])
            return Counterexample({name: found.get(at, 0) for at, name in enumerate(names)})

    def _follows_from_near(self, facts: Sequence[Fact], goal: Expression, milliseconds: int) -> bool | None:
        """Return whether a goal follows from the facts that bear on it; None if that is not found out."""
        if goal is TRUE:
            return True
        found: bool | None = None
        for choice in (nearest, bearing_on):
            near = choice(goal, facts)
            found = FALSE not in near and self._is_possible([negation(goal), *near], milliseconds)
            if found is False:
                return True
        return None if found is None else False

    def _is_possible(self, conditions: Sequence[Expression], milliseconds: int) -> bool | None:
        question, _ = question_of(conditions)
        if question in self._known:
            return self._known[question]
        found = self._answer(conditions, question, milliseconds)
        if found is not None or not self._is_over(milliseconds):
            self._known[question] = found
        return found

    def _is_over(self, milliseconds: int) -> bool:
        return self._seconds_left() < milliseconds / 1000

    def _answer(self, conditions: Sequence[Expression], question: Question, milliseconds: int) -> bool | None:
        """Return whether conditions are possible: asked in short, then without products, then at length."""
        for asked_now, part in self._ways(conditions, question):
            if self._is_over(milliseconds):
                return None
            with _Asked(self._solver, asked_now, milliseconds // part) as asked:
                # A question without products has too many answers: only that it has none tells something.
                if asked.is_possible is False or (asked_now is question and asked.is_possible is not None):
                    return asked.is_possible
        return None

    def _ways(self, conditions: Sequence[Expression], question: Question) -> Iterator[tuple[Question, int]]:
        """Yield questions that decide, each with the part of the steps that it may take."""
        yield question, _SHORT_PART
        linear = linearized(conditions)
        if linear is not None:
            yield question_of((*linear.conditions, *linear.lemmas))[0], _LINEAR_PART
        yield question, 1


class _Asked:
    """A question that z3 was asked."""

    def __init__(self, solver: Any, question: Question, milliseconds: int) -> None:
        self._solver = solver
        self._question = question
        self._steps = milliseconds * _STEPS
        solver.set("rlimit", self._steps)
        solver.set("timeout", milliseconds * 10)
        solver.push()
        solver.add(z3.parse_smt2_string(_script(question), ctx=solver.ctx))
        found = solver.check()
        self.is_possible: bool | None = None if found == z3.unknown else found == z3.sat

    def __enter__(self) -> _Asked:
        return self

    def __exit__(self, *exception: object) -> None:
        self._solver.pop()

    def values(self, sizes: Sequence[int]) -> Mapping[int, int]:
        """Return values of unknowns that make the conditions hold, with small sizes."""
        solver = self._solver
        solver.set("rlimit", self._steps // _SMALLER)
        model = solver.model()
        named = [z3.Int(f"u{each}", solver.ctx) for each in sizes]
        amount = sum((z3.If(each >= 0, each, 1 - 2 * each) for each in named), z3.IntVal(0, solver.ctx))
        for most in (2, 4, 6, 9, 14, 24, 48, 200):
            solver.push()
            solver.add(amount <= most)
            if is_possible := solver.check() == z3.sat:
                model = solver.model()
            solver.pop()
            if is_possible:
                break
        unknowns = [(part, is_condition) for name, is_condition, (part, *_) in self._question.rows if name == "unknown"]
        return {
            each: _number(model, (z3.Bool if is_bool else z3.Int)(f"u{each}", solver.ctx)) for each, is_bool in unknowns
        }


_OPERATIONS = {"choose": "ite", "==": "="}


def _script(question: Question) -> str:
    """Return a question in the language of SMT solvers."""
    lines = []
    for at, (operation, is_condition, parts) in enumerate(question.rows):
        sort = "Bool" if is_condition else "Int"
        match operation:
            case "unknown":
                lines.append(f"(declare-const u{parts[0]} {sort})")
                value = f"u{parts[0]}"
            case "constant" if is_condition:
                value = "true" if parts[0] else "false"
            case "constant":
                value = str(parts[0]) if parts[0] >= 0 else f"(- {-parts[0]})"
            case _:
                value = f"({_OPERATIONS.get(operation, operation)} {' '.join(f't{each}' for each in parts)})"
        lines.append(f"(define-fun t{at} () {sort} {value})")
    return "\n".join([*lines, *(f"(assert t{each})" for each in question.conditions)])


def _number(model: Any, of: Any) -> int:
    value = model.eval(of, model_completion=True)
    return int(z3.is_true(value)) if z3.is_bool(value) else int(value.as_long())
