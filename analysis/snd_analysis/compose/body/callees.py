"""Queries about invoked definitions while one body is composed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Protocol

from snd_analysis.compose.bind.arguments import Arguments
from snd_analysis.compose.budget import StepBudget
from snd_analysis.compose.specialization import Specialization
from snd_analysis.compose.template import Template
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.symbolic.integers import Integer


class Callees(Protocol):
    """Definitions by name, and their specializations; a ``Session`` is one."""

    budget: StepBudget
    """Limit of the cost of composing."""

    def template(self, name: OperatorName) -> Template | None:
        """Return the definition of that name."""

    def reached(self, template: Template) -> frozenset[Template]:
        """Return a definition and all that it invokes, directly or through others."""

    def specialization(self, template: Template, given: Arguments) -> Specialization:
        """Return the specialization of an operator for the arguments of an invocation.

        The same one for equal arguments.
        """

    def shared_specialization(
        self, template: Template, given: Arguments
    ) -> tuple[Specialization, Mapping[Hashable, Integer]]:
        """Return the specialization, and the values of unknowns in its declarations, by key."""
