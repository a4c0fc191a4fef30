"""An operator with everything bound: what composing one kind of invocation of it gives (chapter 3)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from snd_analysis.compose.bind.declared_shapes import Dynamic
from snd_analysis.compose.checks.counterexamples import Obligation
from snd_analysis.compose.failure import Failure
from snd_analysis.compose.scope import Scope
from snd_analysis.compose.template import Template
from snd_analysis.model import Graph, RuntimeCheck, TensorValue
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import Value


class Specialization(Struct, eq=False, weakref=True):
    """One way in which an operator is invoked; shared by all invocations with equal attributes and input types.

    ``scope`` has the values of all symbols. ``outputs`` are as the declarations have them, or as composed where these
    leave it open; ``dynamic`` holds the extents in them that every invocation has of its own.
    """

    template: Template
    scope: Scope
    attributes: Mapping[str, Value]
    inputs: tuple[TensorValue, ...]
    outputs: tuple[TensorValue, ...] = ()
    variables: dict[str, TensorValue] = field(default_factory=dict)
    constants: dict[str, TensorValue] = field(default_factory=dict)
    dynamic: dict[Dynamic, Integer] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    checks: list[RuntimeCheck] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    invokes_obligations: bool = False
    """Whether there are any in what the body invokes, or in what it gives to that."""
    body: Graph | None = None
    valid: bool = True
    """Whether the outputs can be built on: false if the invocation is invalid or unknown."""
    work: int = 0
    """What composing the body costs (see ``Work``)."""
    prepared: object = None
    """What the runtime made of the specialization to run it, kept as long as the specialization is."""
