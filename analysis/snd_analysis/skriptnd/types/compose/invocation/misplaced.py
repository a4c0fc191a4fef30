"""Attributes that an operator has inputs for, under other names, and arguments that it has attributes for (2.10)."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import close_matches, nodes, written
from snd_analysis.skriptnd.types.compose.typing_state import TypedValue
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.fixes import moved_to_arguments
from snd_analysis.skriptnd.types.signature import Signature, elsewhere


def misplaced_inputs(call: nodes.Call, signature: Signature) -> list[nodes.Attribute]:
    """Return the attributes of ``clamp{min=0.0, max=1.0}(x)``, where the operator has as many more inputs instead."""
    named = {*signature.attributes, *(parameter.symbol.name for parameter in signature.inputs)}
    items = call.attributes.items if call.attributes is not None else ()
    unknown = [item for item in items if item.name.text not in named]
    if any(close_matches(item.name.text, list(signature.attributes)) for item in unknown):
        return []
    missing = [each for each in signature.inputs[len(call.arguments) :] if each.required]
    return unknown if len(unknown) == len(missing) else []


def report_misplaced(
    context: Context, name: OperatorName, signature: Signature, call: nodes.Call, items: Sequence[nodes.Attribute]
) -> None:
    """Report attributes that the operator has inputs for."""
    inputs = [each.symbol.name for each in signature.inputs[len(call.arguments) :] if each.required]
    given, wanted = " or ".join(f"'{each.name.text}'" for each in items), " and ".join(f"'{each}'" for each in inputs)
    what = f"an input {wanted}: give it as an argument" if len(inputs) == 1 else f"inputs {wanted}: give arguments"
    message = f"'{name.name}' has no attribute {given}, but {what}, in parentheses"
    note = elsewhere(name, f"'{name.name}' is defined here")
    repair = moved_to_arguments(context, call, items, safe=False)
    context.report(rules.UNKNOWN_ATTRIBUTE, items[0].name, message, (note,), repair)


def misplaced_attributes(call: nodes.Call, signature: Signature, arguments: Sequence[TypedValue]) -> list[str]:
    """Return the attributes that ``argmax(x, 1)`` gives as arguments: as many as it needs, known when composing."""
    given = {item.name.text for item in (call.attributes.items if call.attributes is not None else ())}
    missing = [name for name, each in signature.attributes.items() if each.required and name not in given]
    extra = arguments[len(signature.inputs) :]
    return missing if len(missing) == len(extra) and all(each.compile_time for each in extra) else []


def report_attributes_among_arguments(
    context: Context, name: OperatorName, signature: Signature, call: nodes.Call, attributes: Sequence[str]
) -> None:
    """Report arguments that the operator has attributes for."""
    extra = call.arguments[len(signature.inputs) :]
    items = ", ".join(f"{each}={written(value)}" for each, value in zip(attributes, extra, strict=True))
    names = " and ".join(f"'{each}'" for each in attributes)
    what = "an attribute" if len(attributes) == 1 else "attributes"
    number = counted(len(signature.inputs), "input")
    message = f"'{name.name}' has {number}, and {what} {names}: write '{{{items}}}' before the parentheses"
    note = elsewhere(name, f"'{name.name}' is defined here")
    context.report(rules.TOO_MANY_ARGUMENTS, extra[0], message, (note,))
