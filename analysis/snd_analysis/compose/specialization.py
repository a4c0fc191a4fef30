"""An operator with everything bound: the result of composing one kind of invocation of it (chapter 3)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from snd_analysis.base import descendants
from snd_analysis.compose.checks.obligations import Obligation
from snd_analysis.compose.dynamic import Dynamic
from snd_analysis.compose.failure import Failure, Site
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.template import Template
from snd_analysis.model import Graph, Operation, Place, RuntimeCheck, Tensor, TensorValue
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import ItemRun, Maybe, Null, Pack, Value, format_value


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


# ---- values and counts as messages show them -------------------------------------------------------------------------
def shown(value: Value) -> str:
    """Return a value in the language's notation."""
    return str(value) if isinstance(value, Integer) else format_value(value)


def tensor_text(value: Value) -> str:
    """Return the type of a tensor, or of a pack of them: ``real[2,n]``, ``real[3]..(2)``."""
    match value:
        case Maybe():
            return f"optional {tensor_text(value.value)}"
        case Tensor():
            return f"{value.dtype}[{shape_text(value)}]"
        case Pack():
            texts = list(dict.fromkeys(map(tensor_text, value.elements)))
            if len(texts) == 1:
                return f"{texts[0]}..({value.length})"
            return f"[{', '.join(texts[:4])}{', …' if len(texts) > 4 else ''}]"
        case Null():
            return "null"
    return "unknown"


def shape_text(tensor: Tensor) -> str:
    """Return the extents of a tensor, as in its type."""
    if tensor.shape is None:
        return "?"
    return ",".join(map(extent_text, tensor.shape))


def extent_text(extent: Integer | ItemRun) -> str:
    """Return an extent, or a pack of them, as in a type: all items of a pack ``s`` are ``s..``."""
    if not isinstance(extent, ItemRun):
        return str(extent)
    item, length = shown(extent.element), str(extent.length)
    return f"{item}.." if length == f"|{item}|" else f"{item} ..({length})"


# ---- the text of the invocation at a place ---------------------------------------------------------------------------
def written_call(place: Place) -> nodes.Call | None:
    """Return the invocation whose operator is named at a place; None if it is written in another way."""
    if not isinstance(place.statement, nodes.Node):
        return None
    calls = (each for each in descendants(place.statement) if isinstance(each, nodes.Call))
    return next((each for each in calls if each.function.span.shifted(place.start) == place.span), None)
