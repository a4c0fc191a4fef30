"""Limit of the steps of composing a definition. The steps can grow exponentially with the depth of invocations."""

from __future__ import annotations

import math
from weakref import WeakKeyDictionary

from snd_analysis.base import checkpoint
from snd_analysis.compose.failure import Site
from snd_analysis.compose.limits import MOST_STEPS, MOST_STEPS_OF_FILE, STEPS_OF_SPECIALIZATION, STEPS_PER_STATEMENT
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Template
from snd_analysis.symbolic.values import Pack

_CHARACTERS_OF_STEP = 200
_ITEMS_OF_STEP = 5


class OverBudgetError(Exception):
    """Composing takes more steps than there may be.

    ``sites`` lead from the invocation or loop that is to blame to the definition that is composed.
    """

    def __init__(self, done: int) -> None:
        super().__init__(f"more than {done} steps")
        self.done = done
        self.sites: list[Site] = []

    def via(self, site: Site, began: float) -> None:
        """Add a site on the way out of an invocation or a loop that began after ``began`` steps.

        The first site is the innermost invocation or loop that took half of all steps; outer sites follow.
        """
        if self.sites or self.done - began >= self.done / 2:
            self.sites.append(site)


class StepBudget:
    """The steps of composing one definition: statements, iterations, and each specialization once.

    So the number is the same whatever is cached, and reaching the limit does not depend on it.
    """

    __slots__ = ("_counted", "done", "found_known", "most")

    def __init__(self, most: float = math.inf) -> None:
        self.most = most
        self.done = 0
        self.found_known = False
        """True if anything was counted that had been composed before: which parts are seen first depends on that."""
        self._counted: set[Specialization] = set()

    @property
    def is_limited(self) -> bool:
        """Return whether there is a limit: there is none while a graph is run, which has limits of its own."""
        return self.most < math.inf

    def spend(self, steps: int) -> None:
        """Count steps, with a checkpoint. Raise OverBudgetError."""
        checkpoint()
        self.done += steps
        if self.done > self.most:
            raise OverBudgetError(self.done)

    def spend_on(self, specialization: Specialization) -> None:
        """Count a specialization, and all that it is composed of, if it is not counted yet. Raise OverBudgetError."""
        pending = [specialization]
        while pending:
            each = pending.pop()
            if each not in self._counted:
                self.found_known = True
                self._counted.add(each)
                self.spend(steps_of(each.template) + steps_of_values(each) + each.steps)
                pending.extend(each.used)

    def note(self, specialization: Specialization) -> None:
        """Note that the steps of a specialization were counted while it was composed."""
        self._counted.add(specialization)


class FileBudget:
    """The steps of composing the definitions and samples of a file in order; shared steps count once.

    Steps that the length of a definition justifies do not count.
    """

    def __init__(self) -> None:
        self._steps = StepBudget()
        self._counted = 0
        self._pending: list[Specialization] = []
        self._at_most = 0

    @property
    def is_spent(self) -> bool:
        """Return whether nothing more may be composed."""
        if self._at_most <= MOST_STEPS_OF_FILE:  # shared or not: nothing need be counted again after each edit
            return False
        for composed in self._pending:
            before = self._steps.done
            self._steps.spend_on(composed)
            self._counted += max(0, self._steps.done - before - _free_steps(composed))
        self._pending.clear()
        return self._counted > MOST_STEPS_OF_FILE

    def count(self, composed: Specialization) -> None:
        """Count a definition or the graph of a sample, composed by itself."""
        self._at_most += _further_steps(composed)
        self._pending.append(composed)


_FURTHER_STEPS: WeakKeyDictionary[Specialization, int] = WeakKeyDictionary()


def _further_steps(composed: Specialization) -> int:
    """Return the number of steps of a specialization with all its parts, beyond the free ones."""
    known = _FURTHER_STEPS.get(composed)
    if known is None:
        steps = StepBudget()
        steps.spend_on(composed)
        known = _FURTHER_STEPS[composed] = max(0, steps.done - _free_steps(composed))
    return known


def _free_steps(composed: Specialization) -> int:
    """Return the steps of a definition itself, and the steps that its length allows."""
    return steps_of(composed.template) + most_steps(composed.template) - MOST_STEPS


def steps_of(template: Template) -> int:
    """Return how many steps it takes to bind an operator and to evaluate its declarations."""
    definition = template.definition
    return STEPS_OF_SPECIALIZATION + (definition.end - definition.start) // _CHARACTERS_OF_STEP


def steps_of_values(declared: Specialization) -> int:
    """Return how many more steps it takes if attributes are long packs, which may double like invocations."""
    packs = (value for value in declared.attributes.values() if isinstance(value, Pack))
    return sum(len(pack.segments) // _ITEMS_OF_STEP for pack in packs)


def most_steps(template: Template) -> int:
    """Return the limit for composing a definition: its own statements are no reason to refuse it."""
    return MOST_STEPS + STEPS_PER_STATEMENT * template.length
