"""Repairs of values that are nearly right: an int for a real, a value for a list, an expression for an invocation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from snd_analysis.base import HEAD, Edit, Problem, Repair, Span
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.signature import Signature
from snd_analysis.skriptnd.types.type import INT, REAL, Dtype, Type

_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "**": "pow", "<?": "min", ">?": "max",
    "<": "lt", ">": "gt", "<=": "le", ">=": "ge", "==": "eq", "!=": "ne", "&&": "and", "||": "or", "^": "xor",
}  # fmt: skip
_SINGLE_OPERATORS = {"-": "neg", "!": "not"}


def as_real(context: Context, node: nodes.Node, wanted: Dtype | None, actual: Dtype | None) -> Repair | None:
    """Return the repair that makes an int a real where that is all that is wrong: ``6.0`` for 6, ``real(n)`` for n."""
    if wanted != REAL or actual != INT:
        return None
    literals = _literals(node)
    if literals:
        edits = tuple(_insertion(context, literal.end, ".0") for literal in literals)
        return Repair("write a real" if len(edits) == 1 else "write reals", edits)
    if isinstance(node, nodes.List | nodes.Expanded | nodes.Range):
        return None
    return Repair("cast it to real", (_insertion(context, node.start, "real("), _insertion(context, node.end, ")")))


def as_list(context: Context, first: nodes.Node, last: nodes.Node) -> Repair:
    """Return the repair that encloses the values from one to another in a list: ``[2]`` for 2."""
    return Repair("write a list", (_insertion(context, first.start, "["), _insertion(context, last.end, "]")))


def as_invocation(context: Context, node: nodes.Expression, problems: Iterable[Problem]) -> Repair | None:
    """Return the repair that invokes an operator of ``math``: ``math.add(t, 1.0)`` for a right side ``t + 1.0``.

    ``problems`` are the problems of the right side. None unless a tensor operand is the only problem.
    """
    spans = [problem.span for problem in problems]
    match node:
        case nodes.Binary(left=left, operator=operator, right=right) if operator.text in _OPERATORS:
            sides = [context.span(left), context.span(right)]
            if len(spans) != 1 or spans[0] not in sides:
                return None
            tensor, other = (left, right) if spans[0] == sides[0] else (right, left)
            more = _operand(context, tensor, other)
            if more is None:
                return None
            between = Edit(Span(left.end, right.start).shifted(context.base), ", ")
            return _invocation(context, node, left.start, _OPERATORS[operator.text], (between, *more))
        case nodes.Unary(operator=operator, operand=operand) if operator.text in _SINGLE_OPERATORS:
            if spans != [context.span(operand)]:
                return None
            return _invocation(context, node, operand.start, _SINGLE_OPERATORS[operator.text], ())
    return None


def as_arguments(context: Context, call: nodes.Call, signature: Signature) -> Repair | None:
    """Return the repair that moves inputs from the attributes to the arguments.

    None unless they are the next inputs and have the types of these.
    """
    items = call.attributes.items if call.attributes is not None else ()
    formal = {parameter.symbol.name: parameter.type for parameter in signature.inputs}
    inputs = list(formal)
    moved = {item.name.text: item.value for item in items if item.name.text in inputs}
    names = inputs[len(call.arguments) : len(call.arguments) + len(moved)]
    if set(names) != moved.keys():
        return None
    with context.silent():
        if any(_differ(formal[name], infer(context, value).type) for name, value in moved.items()):
            return None
    by_name = {item.name.text: item for item in items}
    return moved_to_arguments(context, call, [by_name[name] for name in names])


def _differ(formal: Type | None, actual: Type | None) -> bool:
    if formal is None or actual is None or formal.dtype.is_generic:
        return False
    return formal.dtype != actual.dtype and (formal.dtype, actual.dtype) != (REAL, INT)


def without(context: Context, attributes: nodes.Attributes, left_out: nodes.Attribute) -> Repair:
    """Return the repair that leaves an attribute out."""
    kept = [f"{item.name.text}={written(item.value)}" for item in attributes.items if item is not left_out]
    return Repair("leave it out", (Edit(context.span(attributes), f"{{{', '.join(kept)}}}" if kept else ""),))


def moved_to_arguments(
    context: Context, call: nodes.Call, moved: Sequence[nodes.Attribute], safe: bool = True
) -> Repair | None:
    """Return the repair that gives the values of some attributes as the next arguments, in their order."""
    if call.attributes is None:
        return None
    kept = [f"{item.name.text}={written(item.value)}" for item in call.attributes.items if item not in moved]
    attributes = Edit(context.span(call.attributes), f"{{{', '.join(kept)}}}" if kept else "")
    comma = ", " if call.arguments else ""
    end = call.arguments[-1].end if call.arguments else call.end - 1
    arguments = _insertion(context, end, comma + ", ".join(written(item.value) for item in moved))
    title = "give it as an argument" if len(moved) == 1 else "give them as arguments"
    return Repair(title, (attributes, arguments), safe)


def _invocation(context: Context, node: nodes.Node, start: int, name: str, edits: tuple[Edit, ...]) -> Repair:
    opening = Edit(Span(node.start, start).shifted(context.base), f"math.{name}(")
    # An import that there is already is left out.
    all_edits = (Edit(HEAD, "import math;"), opening, *edits, _insertion(context, node.end, ")"))
    return Repair(f"write 'math.{name}(…)'", all_edits)


def _operand(context: Context, tensor: nodes.Node, other: nodes.Node) -> tuple[Edit, ...] | None:
    """Return the edits that make the other operand an argument beside a tensor; None if it can't be one."""
    with context.silent():
        first, second = infer(context, tensor).type, infer(context, other).type
    if first is None or second is None or first.packed or second.packed:
        return None
    if first.dtype == second.dtype:
        return ()
    repair = as_real(context, other, first.dtype, second.dtype)
    return None if second.tensor or repair is None else repair.edits


def _literals(node: nodes.Node) -> list[nodes.Literal]:
    """Return the literals of ints that an expression is, or a list consists of; none if it is anything else."""
    match node:
        case nodes.Literal(type="int"):
            return [node]
        case nodes.Unary(operand=operand, operator=operator) if operator.text in "+-":
            return _literals(operand)
        case nodes.List(items=items):
            found = [_literals(item) for item in items]
            return [literal for each in found for literal in each] if all(found) else []
    return []


def _insertion(context: Context, at: int, text: str) -> Edit:
    return Edit(Span(at, at).shifted(context.base), text)
