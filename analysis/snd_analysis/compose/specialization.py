"""An operator with everything bound: the result of composing one kind of invocation of it (chapter 3)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from snd_analysis.compose.checks.obligations import Obligation
from snd_analysis.compose.dynamic.unknowns import Dynamic
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.template import Template
from snd_analysis.model import Graph, Operation, RuntimeCheck, TensorValue
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Value


class Specialization(Struct, frozen=True, eq=False, weakref=True):
    """One way in which an operator is invoked; shared by all invocations with equal attributes and input types.

    ``scope`` has the values of all symbols. ``outputs`` are as the declarations have them, or as composed where these
    leave it open; ``dynamic`` holds the extents in them that every invocation has of its own.
    """

    template: Template
    scope: ValueScope
    attributes: Mapping[str, Value] = field(default_factory=dict)
    inputs: tuple[TensorValue, ...] = ()
    outputs: tuple[TensorValue, ...] = ()
    variables: Mapping[str, TensorValue] = field(default_factory=dict)
    constants: Mapping[str, TensorValue] = field(default_factory=dict)
    dynamic: Mapping[Dynamic, Integer] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    checks: tuple[RuntimeCheck, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    invokes_obligations: bool = False
    """True if there are any in invoked definitions, or in arguments of invocations in the body."""
    body: Graph | None = None
    valid: bool = True
    """True if the outputs can be built on: false if the invocation is invalid or unknown."""
    steps: int = 0
    """Number of statements and iterations in composing the body, without invoked definitions (``Budget``)."""
    used: tuple[Specialization, ...] = ()
    """The specializations that composing the body takes."""
    over_budget: bool = False
    """True if composing it, or an operator that it invokes, takes more steps than it may."""


def impossible(template: Template, *failures: Failure) -> Specialization:
    """Return the specialization of a definition that can't be bound to its arguments."""
    return Specialization(template, ValueScope(template, {}, {}), failures=failures, valid=False)


def over_budget(template: Template, failure: Failure, steps: int) -> Specialization:
    """Return the specialization of a definition that takes more steps than composing may."""
    scope = ValueScope(template, {}, {})
    return Specialization(template, scope, failures=(failure,), valid=False, steps=steps, over_budget=True)


def invoking_over_budget(template: Template, invoked: Specialization) -> Specialization:
    """Return the specialization of a definition that invokes one that takes more steps than composing may."""
    name = invoked.template.name
    span = next(use.span for use in template.resolution.uses if use.target == name)
    site = Site(template.place(0, span), f"'{name.name}' is invoked here")
    return over_budget(template, invoked.failures[0].via(site), 0)


def specialization_of(operation: Operation) -> Specialization | None:
    """Return the operator that an operation invokes, with everything bound; None for control flow."""
    callee = operation.callee
    assert callee is None or isinstance(callee, Specialization)
    return callee
