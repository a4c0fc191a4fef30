"""How much composing one definition may cost: operators that invoke one another twice double with every level."""

from __future__ import annotations

import math
from collections.abc import Callable

from snd_analysis.compose.failure import Site
from snd_analysis.compose.limits import MOST_STEPS, STEPS_OF_SPECIALIZATION, STEPS_PER_STATEMENT
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Template

_CHARACTERS_OF_STEP = 200


class OverBudgetError(Exception):
    """Composing takes more steps than there may be.

    ``sites`` lead from the invocation or loop that is to blame to the definition that is composed.
    """

    def __init__(self, done: int) -> None:
        super().__init__(f"more than {done} steps")
        self.done = done
        self.sites: list[Site] = []

    def via(self, site: Site, began: float) -> None:
        """Note the way out of an invocation or a loop, in a body or loop that began after so many steps.

        The innermost one that leads to half of all steps is to blame.
        """
        if self.sites or self.done - began >= self.done / 2:
            self.sites.append(site)


class Budget:
    """The steps of composing one definition: statements, iterations, and each specialization once.

    So the number is the same whatever is known already, and whoever composes the definition reaches the limit or not.
    """

    __slots__ = ("_checkpoint", "_counted", "done", "most")

    def __init__(self, most: float = math.inf, checkpoint: Callable[[], None] = lambda: None) -> None:
        """``checkpoint`` is called at each step: what it raises ends the composing."""
        self.most = most
        self.done = 0
        self._checkpoint = checkpoint
        self._counted: set[Specialization] = set()

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit: there is none while a graph is run, which has limits of its own."""
        return self.most < math.inf

    def spend(self, steps: int) -> None:
        """Count steps. Raises OverBudgetError."""
        self._checkpoint()
        self.done += steps
        if self.done > self.most:
            raise OverBudgetError(self.done)

    def spend_on(self, specialization: Specialization) -> None:
        """Count a specialization, and all that it is composed of, if it is not counted yet. Raises OverBudgetError."""
        pending = [specialization]
        while pending:
            each = pending.pop()
            if each not in self._counted:
                self._counted.add(each)
                self.spend(steps_of(each.template) + each.steps)
                pending.extend(each.used)

    def note(self, specialization: Specialization) -> None:
        """Note that the steps of a specialization were counted while it was composed."""
        self._counted.add(specialization)


def steps_of(template: Template) -> int:
    """Return how many steps it takes to bind an operator and to evaluate its declarations."""
    definition = template.definition
    return STEPS_OF_SPECIALIZATION + (definition.end - definition.start) // _CHARACTERS_OF_STEP


def most_steps(template: Template) -> int:
    """Return the limit for composing a definition: its own statements are no reason to refuse it."""
    return MOST_STEPS + STEPS_PER_STATEMENT * (len(template.components) + len(template.updates))
