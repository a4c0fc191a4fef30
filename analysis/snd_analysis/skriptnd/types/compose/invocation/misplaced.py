"""Attributes that an operator has inputs for, under other names (2.10)."""

from __future__ import annotations

from collections.abc import Sequence

from snd_analysis import rules
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import close_matches, nodes
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
