"""Invocations of operators and graphs: arguments and results (2.10, 2.13)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import counted
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import close_matches, nodes, written
from snd_analysis.skriptnd.types.compose.invocation.arguments import ArgumentCheck
from snd_analysis.skriptnd.types.compose.invocation.attributes import AttributeCheck, attribute_values
from snd_analysis.skriptnd.types.compose.invocation.binding import ShapeBinding
from snd_analysis.skriptnd.types.compose.invocation.generics import TypeBinding
from snd_analysis.skriptnd.types.compose.repetition import KnownResults, likeness, repeated
from snd_analysis.skriptnd.types.compose.typing_state import UNKNOWN, TypedValue, TypingState
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.dimensions import shape_of
from snd_analysis.skriptnd.types.fixes import moved_to_arguments
from snd_analysis.skriptnd.types.signature import Signature, TensorParameter, elsewhere
from snd_analysis.skriptnd.types.type import TensorShape
from snd_analysis.symbolic import integers as shapes


# Attributes that an operator has inputs for, under other names, and arguments that it has attributes for (2.10).
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


# ---- invocations of operators and graphs -----------------------------------------------------------------------------
def invoke(work: TypingState, call: nodes.Call) -> list[TypedValue] | None:
    """Type an invocation; None if nothing is known of the operator, not even the number of its results."""
    context = work.context
    name = context.target(call.function)
    attributes, arguments = attribute_values(work, call.attributes), _arguments(work, call)
    signature = context.invoked_signature(name) if isinstance(name, OperatorName) else None
    if signature is None or not isinstance(name, OperatorName):
        return None
    like = likeness(work, signature, call, attributes, arguments)
    known = None if like is None else work.invoked.get(like.key)
    if known is not None and like is not None:
        return repeated(known, like, call)
    said = context.amount_said()
    if signature.kind == "graph" and not work.in_control_flow:
        message = f"'{name.name}' is a graph: graphs are invoked by branches and loops only; make it an operator"
        context.report(rules.GRAPH_INVOKED, call.function, message, (elsewhere(name, "the graph is defined here"),))
    misplaced = misplaced_inputs(call, signature)
    if misplaced:
        report_misplaced(context, name, signature, call, misplaced)
        return [replace(UNKNOWN, invoked=name, place=call.function) for _ in signature.outputs]
    among_arguments = misplaced_attributes(call, signature, arguments)
    if among_arguments:
        report_attributes_among_arguments(context, name, signature, call, among_arguments)
        return [replace(UNKNOWN, invoked=name, place=call.function) for _ in signature.outputs]
    types, binding = TypeBinding(work, signature, name), ShapeBinding(call)
    if not signature.sound:
        binding.give_up()
    if call.generics is not None:
        types.give(call.generics)
    AttributeCheck(work, name, signature, types, binding, call).check(call.attributes, attributes, call.function)
    argument_check = ArgumentCheck(work, name, signature, types, binding)
    argument_check.check(call, arguments)
    types.finish(call.function)
    counts = (binding.known(part.count) for each in signature.inputs for part in each.dimensions or () if part.packed)
    if any(count is not None and shapes.is_negative(count) for count in counts):
        binding.give_up()  # composing says so: nothing follows from it here
    results = [_result(output, types, binding, name, call) for output in signature.outputs]
    if argument_check.mistyped:  # the results may be meant to have the type of the argument
        results = [
            replace(UNKNOWN, invoked=name, place=call.function)
            if each.type is not None and each.type.dtype in argument_check.mistyped
            else each
            for each in results
        ]
    if like is not None and context.amount_said() == said and binding.is_repeatable:
        work.invoked[like.key] = KnownResults(tuple(results), like.ranks, binding)
    return results


def _arguments(work: TypingState, call: nodes.Call) -> list[TypedValue]:
    return [UNKNOWN if isinstance(argument, nodes.Tilde) else work.value(argument) for argument in call.arguments]


def _result(
    output: TensorParameter, types: TypeBinding, binding: ShapeBinding, name: OperatorName, call: nodes.Call
) -> TypedValue:
    formal = output.type
    dtype = None if formal is None else types.dtype(formal.dtype)
    if formal is None or dtype is None or formal.shape is None:
        return replace(UNKNOWN, invoked=name, place=call.function)
    extents = binding.extents(output.dimensions)
    rank = binding.rank(formal.shape.rank, output.symbol)
    length = None if formal.length is None else binding.settled(formal.length)
    if length is not None and shapes.is_negative(length):  # composing says so: nothing follows from it here
        return replace(UNKNOWN, invoked=name, place=call.function)
    shape = shape_of(rank, extents)
    if extents is None and binding.known(formal.shape.rank) is None:
        shape = TensorShape(rank, "..")  # names of the operator's own mean nothing where it is invoked
    type_ = replace(formal, dtype=dtype, optional=False, length=length, shape=shape)
    return TypedValue(type_, extents, None, False, name, call.function)
