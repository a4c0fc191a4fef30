from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base import Problem, Rule
from snd_analysis.nnef1.lints.definitions import definitions
from snd_analysis.nnef1.syntax import nodes, written_type

FRAGMENT_DEFAULT = Rule("fragment-default", section="NNEF 1.0, 3.1")


def check_fragment_defaults(document: nodes.Document) -> Iterator[Problem]:
    """Yield the defaults that are no literals, or not of the type of their parameters."""
    for fragment in definitions(document, "fragment"):
        for parameter in fragment.head.parameters:
            default, type_ = parameter.default, parameter.type
            if default is None or type_ is None or _suits(type_, default):
                continue
            name = parameter.name.text
            message = (
                f"the default of '{name}' must be a literal of the type '{written_type(type_)}'"
                if _is_literal(default)
                else f"the default of '{name}' must be a literal"
            )
            yield Problem(FRAGMENT_DEFAULT, default.span.shifted(fragment.start), message)


def _is_literal(value: nodes.Expression) -> bool:
    match value:
        case nodes.Number() | nodes.String() | nodes.Logical():
            return True
        case nodes.Unary(operator="-", operand=nodes.Number()):
            return True
        case nodes.Array(items=items) | nodes.Tuple(items=items):
            return all(map(_is_literal, items))
    return False


def _suits(type_: nodes.Type, value: nodes.Expression) -> bool:
    """Return whether a literal is of a type. ``[]`` is of every array type; a literal of one item is a tensor, too."""
    match type_, value:
        case nodes.TensorType(item=item), _:
            return _is_literal(value) if item is None else _suits(item, value)
        case nodes.PrimitiveType(text="?"), _:
            return _is_literal(value) and not isinstance(value, nodes.Array | nodes.Tuple)
        case nodes.PrimitiveType(), nodes.Unary(operator="-", operand=nodes.Number() as number):
            return _suits(type_, number)
        case nodes.PrimitiveType(text=text), nodes.Number(text=number):
            return text == ("integer" if number.isdigit() else "scalar")
        case nodes.PrimitiveType(text=text), nodes.String():
            return text == "string"
        case nodes.PrimitiveType(text=text), nodes.Logical():
            return text == "logical"
        case nodes.ArrayType(item=item), nodes.Array(items=items):
            return all(_suits(item, each) for each in items)
        case nodes.TupleType(items=types), nodes.Tuple(items=items):
            return len(types) == len(items) and all(map(_suits, types, items))
    return False
