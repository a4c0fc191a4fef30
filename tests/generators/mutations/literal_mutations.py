"""Mutations of literals: another element type."""

from __future__ import annotations

from collections.abc import Iterator

from generators.mutations.mutation import Mutation, Verdict, mutation
from generators.mutations.subject import Subject
from snd_analysis.skriptnd.names import BuiltIn, OperatorName, SymbolKind
from snd_analysis.skriptnd.syntax import nodes

_OTHERS = {
    "int": (("real", "1.5"), ("bool", "true"), ("str", "'a'")),
    "real": (("int", "1"), ("bool", "true"), ("str", "'a'")),
    "bool": (("int", "1"), ("str", "'a'")),
    "str": (("int", "1"), ("bool", "true")),
}
_SAME_TYPE = (nodes.Binary, nodes.Coalesce, nodes.Substitution)


def retype_literals(subject: Subject) -> Iterator[Mutation]:
    """Every literal becomes one of each other type."""
    for node in subject.every(nodes.Literal, nodes.String):
        if subject.block_of(node) == "assert" and _is_message(subject, node):
            continue
        old = "str" if isinstance(node, nodes.String) else node.type
        for new, text in _OTHERS[old]:
            verdict = Verdict.MUST if is_fixed(subject, node, new) else Verdict.MAY
            yield mutation(f"literal {old} to {new}", verdict, (subject.span(node), text))


def _is_message(subject: Subject, node: nodes.Node) -> bool:
    above = subject.above(node)
    return (isinstance(above, nodes.Assertion) and node is above.message) or isinstance(above, nodes.Printed)


def is_fixed(subject: Subject, node: nodes.Node, new: str) -> bool:
    """Return whether an expression of type ``new`` can't stand where ``node``, of another type, stands."""
    for below, above in subject.chain(node):
        answer = _is_fixed_by(subject, below, above, new)
        if answer is not None:
            return answer
    return False


def _is_fixed_by(subject: Subject, below: nodes.Node, above: nodes.Node, new: str) -> bool | None:
    """Return whether the node above determines the type; None if the one above that decides."""
    match above:
        case nodes.Parenthesized():
            return None
        case nodes.Unary(operator=operator):
            if operator.text == "?":
                return False
            return True if (new in ("bool", "str")) != (operator.text == "!") else None
        case nodes.Binary(left=left, right=right, operator=operator):
            return not (
                operator.text == "in" and any(isinstance(side, nodes.List) and not side.items for side in (left, right))
            )
        case nodes.Coalesce() | nodes.Substitution() | nodes.Bounded() | nodes.IndexBound() | nodes.Range():
            return True
        case nodes.Select(condition=condition, alternative=alternative):
            return True if below is condition or alternative is not None else None
        case nodes.List(items=items):
            return True if len(items) > 1 else None
        case nodes.Expanded(item=item):
            return None if below is item else True
        case nodes.Expansion() | nodes.Pack():
            return new != "bool"
        case nodes.Index():
            return True
        case nodes.Subscript():
            return None if below is above.target else True
        case nodes.Default():
            return None
        case nodes.Parameter(type=type_):
            return type_.is_keyword
        case nodes.Extent():
            return True
        case nodes.Assertion(condition=condition):
            return below is condition
        case nodes.Lowering(value=value, condition=condition):
            symbol = subject.symbol(above.target.name)
            concrete = symbol is not None and isinstance(symbol.node, nodes.Parameter) and symbol.node.type.is_keyword
            return below is condition or (below is value and concrete)
        case nodes.Attribute():
            return None
        case nodes.Attributes():
            return None
        case nodes.Call():
            return _by_call(subject, below, above, new)
        case nodes.Cast():
            return new == "str" or None if new != "str" else True
        case nodes.Iteration():
            return True
        case nodes.Carry(type=type_):
            return type_ is not None and type_.type.is_keyword
    return False


def _by_call(subject: Subject, below: nodes.Node, call: nodes.Call, new: str) -> bool | None:
    target = subject.resolution.targets.get(call.function)
    if isinstance(target, BuiltIn):
        return True if target.name not in ("abs", "sign") or new in ("bool", "str") else None
    if not isinstance(target, OperatorName):
        return False
    definition = subject.context.others.definition(target)
    if definition is None:
        return False
    blocks = {block.kind: block for block in definition.blocks if isinstance(block, nodes.Block)}
    if below in call.arguments:
        inputs = [entry.statement for entry in blocks["input"].entries] if "input" in blocks else []
        at = call.arguments.index(below)  # type: ignore[arg-type]
        parameter = inputs[at] if at < len(inputs) else None
        return isinstance(parameter, nodes.Parameter) and parameter.type.is_keyword
    for entry in blocks["attrib"].entries if "attrib" in blocks else ():
        parameter = entry.statement
        for attribute in call.attributes.items if call.attributes else ():
            if isinstance(parameter, nodes.Parameter) and parameter.name.text == attribute.name.text:
                span, place = subject.span(attribute), subject.span(below)
                if place.start <= span.start <= place.end or span.start <= place.start <= span.end:
                    return parameter.type.is_keyword
    return False


def wrong_values(subject: Subject) -> Iterator[Mutation]:
    """Yield tensors in the position of compile-time values."""
    tensor = next((each for each in subject.resolution.symbols if each.kind is SymbolKind.INPUT and each.name), None)
    if tensor is None:
        return
    for node in subject.every(nodes.Literal):
        above = subject.above(node)
        if isinstance(above, nodes.Binary) and subject.block_of(node) in ("using", "assert", "constant", "output"):
            yield mutation("tensor in expression", Verdict.MUST, (subject.span(node), tensor.name))


OPERATORS = (retype_literals, wrong_values)
