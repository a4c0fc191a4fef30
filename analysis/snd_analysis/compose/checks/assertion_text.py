"""Message of a failing assertion, and the parameters it blames (2.9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.compose.bind.destructuring import destructured
from snd_analysis.compose.failure import Failure, evaluation_failure
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.specialization import shown
from snd_analysis.model import Tensor
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, Integer, Leaf
from snd_analysis.symbolic.values import UNDEFINED, ItemRun, Maybe, Pack, Segment, Unknown, Value, substitute

_NO_DIMENSION = re.compile(r"(?:items of )?('\w+') must be at least -?0 and less than 0, the rank of ('\w+')")
"""The bounds of an axis in a message of the library, for a tensor of rank 0."""


def assertion_message(scope: ValueScope, node: nodes.Assertion) -> str:
    """Return the message of the author, with known values; else one that repeats the condition."""
    text = None if node.message is None else _text(_with_helpers(scope, node), node.message)
    if text is None:
        return f"'{written(node.condition)}' does not hold"
    return _NO_DIMENSION.sub(r"\2 has no dimensions, so \1 can't name one", text) if scope.template.in_library else text


def late_assertion_message(scope: ValueScope, node: nodes.Assertion) -> str | Callable[[], str]:
    """Return the same, or a function that formats it with the present values."""
    if not isinstance(node.message, nodes.String):
        return assertion_message(scope, node)
    return partial(_joined, _fields(_with_helpers(scope, node), node.message))


def failing_message(scope: ValueScope, node: nodes.Assertion) -> str:
    """Return the message with the values that the assertion prints, and the bounds for which it can't hold."""
    values = _printed(_with_helpers(scope, node), node) if node.printed or node.message is None else []
    details = [*values, *_deciding_bounds(scope, node)]
    message = assertion_message(scope, node)
    return f"{message} ({', '.join(details)})" if details else message


def _with_helpers(scope: ValueScope, node: nodes.Assertion) -> ValueScope:
    """Return the scope with helper symbols that the assertion prints and that can be evaluated by now.

    The condition is checked as soon as the symbols it depends on are known, which may be before the printed ones are.
    """
    template = scope.template
    printed = tuple(each for each in (node.message, *node.printed) if each is not None)
    wanted = _through_helpers(scope, frozenset().union(*map(template.symbols, printed)))
    if wanted <= scope.values.keys():
        return scope
    found = ValueScope(template, scope.values, scope.dtypes, scope.composing)
    for base, using in template.using:
        targets = {template.resolution.targets.get(each) for each in nodes.descendants(using.target)} & wanted
        if targets <= found.values.keys() or template.is_wrong(base, using):
            continue
        with suppress(EvaluationError):
            found.values.update(destructured(found, using, found.evaluate(using.value)))
    return found


def _text(scope: ValueScope, message: nodes.Expression) -> str | None:
    """Return a message; where something in it is symbolic, with its symbolic text."""
    if isinstance(message, nodes.String):
        return _joined(_fields(scope, message))
    value = scope.attempt(message)
    return value.text if isinstance(value, Unknown) else value if isinstance(value, str) else None


_Field: TypeAlias = "tuple[Value, nodes.Expression | None]"
"""A part of a message: text, or the value of an expression."""


def _fields(scope: ValueScope, message: nodes.String) -> list[_Field]:
    return [
        (part.value, None) if isinstance(part, nodes.Text) else (scope.attempt(part.value), part.value)
        for part in message.parts
    ]


def _joined(fields: Sequence[_Field]) -> str:
    return "".join(
        f"'{written(node)}'" if value is UNDEFINED and node is not None else shown(value) for value, node in fields
    )


def _printed(scope: ValueScope, node: nodes.Assertion) -> list[str]:
    found = []
    if not node.printed:
        names = {each.text: each for each in nodes.descendants(node.condition) if isinstance(each, nodes.Qualified)}
        for name, each in names.items():
            value = scope.attempt(each)
            if value is not UNDEFINED and shown(value) != name:
                found.append(f"{name} = {shown(value)}")
        return found
    for printed in node.printed:
        label = written(printed.value) if printed.label is None else scope.attempt(printed.label)
        value = scope.attempt(printed.value)
        if value is not UNDEFINED:
            found.append(f"{label} = {shown(value)}")
    return found


# ---- bounds ----------------------------------------------------------------------------------------------------------
def _deciding_bounds(scope: ValueScope, node: nodes.Assertion) -> list[str]:
    """``s ≤ 5``: the upper bounds without which the condition might hold."""
    symbols = scope.template.symbols(node.condition)
    leaves = {leaf for symbol in symbols for leaf in leaves_of(scope.values.get(symbol, UNDEFINED))}
    bounded = sorted((leaf for leaf in leaves if leaf.high is not None), key=lambda leaf: leaf.name)
    if not bounded:
        return []
    unbounded: dict[Hashable, Integer] = {
        leaf.key: shapes.variable(("unbounded", leaf.key), leaf.name, leaf.low) for leaf in bounded
    }
    values = dict(scope.values)
    for symbol in symbols:
        values[symbol] = _substituted(values.get(symbol, UNDEFINED), unbounded)
    try:
        condition = ValueScope(scope.template, values, scope.dtypes, scope.composing).evaluate(node.condition)
    except EvaluationError:
        return []
    return [] if _certainly_fails(condition) else [f"{leaf.name} ≤ {leaf.high}" for leaf in bounded]


def _certainly_fails(condition: Value) -> bool:
    if isinstance(condition, Pack):
        return FALSE in condition.elements
    return condition is FALSE


def leaves_of(value: Segment) -> frozenset[Leaf]:
    match value:
        case Integer():
            return value.leaves
        case Tensor():
            return frozenset[Leaf]().union(*map(leaves_of, value.shape or ()))
        case Maybe():
            return leaves_of(value.value)
        case ItemRun():
            return value.length.leaves | leaves_of(value.element)
        case Pack():
            return frozenset[Leaf]().union(*map(leaves_of, value.segments))
    return frozenset()


def _substituted(value: Value, unknowns: dict[Hashable, Integer]) -> Value:
    if not isinstance(value, Tensor):
        return value if isinstance(value, Pack) and _has_tensors(value) else substitute(value, unknowns)
    shape = None if value.shape is None else substitute(Pack(value.shape, dtype="int"), unknowns)
    return replace(value, shape=shape.segments) if isinstance(shape, Pack) else value


def _has_tensors(pack: Pack) -> bool:
    return any(isinstance(each, Tensor) for each in pack.elements)


# ---- responsible parameters ------------------------------------------------------------------------------------------
def failed_evaluation(scope: ValueScope, base: int, error: EvaluationError) -> Failure:
    """Return the failure of an expression in declarations, caused by the arguments that it depends on."""
    failure = evaluation_failure(scope.template, base, error)
    responsible = attributes_behind(scope, error.node) if error.rule is rules.INT_OVERFLOW else ()
    return replace(failure, responsible=responsible or responsible_for(scope, error.node))


def responsible_for(scope: ValueScope, node: nodes.Node) -> tuple[str, ...]:
    """Return the attributes that a condition or shape names, and the inputs that determine it.

    These inputs are named themselves, or bind symbols that it depends on.
    """
    template = scope.template
    named = template.symbols(node)
    depends = _through_helpers(scope, named)
    attributes = [member.name for member in template.attributes if member.symbol in named]
    bound: set[Symbol] = set()
    inputs = []
    for at in template.binding_order:
        member = template.inputs[at]
        own = template.bound_by(member) - bound
        bound |= own
        rank = None if member.node.rank is None else template.resolution.targets.get(member.node.rank)
        if member.symbol in depends or rank in depends or own & depends:
            inputs.append(member.name)
    return (*attributes, *inputs)


def attributes_behind(scope: ValueScope, node: nodes.Node) -> tuple[str, ...]:
    """Return the attributes that an expression depends on, also by helper symbols."""
    depends = _through_helpers(scope, scope.template.symbols(node))
    return tuple(member.name for member in scope.template.attributes if member.symbol in depends)


def _through_helpers(scope: ValueScope, symbols: frozenset[Symbol]) -> set[Symbol]:
    """Return the symbols, with all symbols that the helper symbols among them are computed from."""
    template = scope.template
    found = set(symbols)
    for _, using in reversed(template.using):
        targets = {template.resolution.targets.get(each) for each in nodes.descendants(using.target)}
        if targets & found:
            found |= template.symbols(using.value)
    return found
