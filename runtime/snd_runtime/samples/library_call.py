"""Invocations of the library that may replace formulas, run by themselves."""

from __future__ import annotations

import ast
from contextlib import suppress

from snd_analysis.compose import Session, Specialization
from snd_analysis.ide.refactoring import LibraryCall
from snd_analysis.symbolic.values import UNDEFINED, Value
from snd_runtime.evaluation.binding import Bound
from snd_runtime.execution import Execution, bind_arrays, execute, value_of
from snd_runtime.lowering.lowered import Argument
from snd_runtime.values import array_of

_LITERALS = {"true": True, "false": False}


def result_of(session: Session, call: LibraryCall, given: Bound, execution: Execution) -> Argument:
    """Return the output of an invocation with the arguments of the operator with the formulas.

    None if only an edit can tell. Raise EvaluationFailed if the invocation is not valid.
    """
    template = session.template(call.operator)
    if template is None or template.errors:
        return None
    own = {
        member.name: value
        for member, value in zip(given.specialization.template.inputs, given.arguments, strict=True)
        if value is not None
    }
    attributes = {name: _value(text, call, given.specialization) for name, text in call.attributes.items()}
    arguments = [own.get(text) if text in own else _literal(text, execution) for text in call.arguments]
    if any(each is UNDEFINED for each in attributes.values()) or any(each is None for each in arguments):
        return None
    specialization = bind_arrays(session, template, arguments, attributes, real=execution.real)
    arguments += [None] * (len(template.inputs) - len(arguments))
    return next(iter(execute(session, specialization, arguments, execution).outputs.values()))


def _value(text: str, call: LibraryCall, around: Specialization) -> Value:
    """Return the value of an attribute: an expression of the formulas, a name, or a literal."""
    if text in call.expressions:
        return around.scope.attempt(call.expressions[text])
    symbol = around.template.resolution.symbol(text)
    if symbol is not None:
        return around.scope.value_of(symbol)
    with suppress(ValueError, SyntaxError):
        return value_of(_LITERALS[text] if text in _LITERALS else ast.literal_eval(text))
    return UNDEFINED


def _literal(text: str, execution: Execution) -> Argument:
    with suppress(ValueError, SyntaxError):
        number = ast.literal_eval(text)
        return array_of(number, "real" if isinstance(number, float) else "int", execution.real)
    return None
