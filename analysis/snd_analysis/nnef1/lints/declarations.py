"""Rules about the declarations of fragments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from snd_analysis.base import Problem, Rule, descendants
from snd_analysis.nnef1.lints.subjects import REMEMBERED_STATEMENTS, KhronosFile, assignments, definitions
from snd_analysis.nnef1.syntax import nodes, written_type
from snd_analysis.rules import check_of

FRAGMENT_DEFAULT = Rule("fragment-default", section="NNEF 1.0, 3.1")
FRAGMENT_PARAMETER = Rule("fragment-parameter", section="NNEF 1.0, 3.1")
FRAGMENT_RESULT = Rule("fragment-result", section="NNEF 1.0, 3.1")
GENERIC_FRAGMENT = Rule("generic-fragment", section="NNEF 1.0, 3.1")
SOURCE_IN_FRAGMENT = Rule("source-in-fragment", section="NNEF 1.0, 3.1")
_SOURCES = frozenset(["external", "variable", "update"])


@check_of(KhronosFile)
def _fragment_parameter(file: KhronosFile) -> Iterator[Problem]:
    """Yield tuples of tensors and attributes, and tensors that are declared after attributes."""
    for fragment in definitions(file.document, "fragment"):
        attribute = None
        for parameter in fragment.head.parameters:
            if parameter.type is None:
                continue
            span = parameter.span.shifted(fragment.start)
            if any(map(_is_mixed, descendants(parameter.type))):
                message = f"'{parameter.name.text}' mixes tensors and attributes in a tuple"
                yield Problem(FRAGMENT_PARAMETER, span, message)
            elif not _has_tensor(parameter.type):
                attribute = attribute or parameter.name.text
            elif attribute is not None:
                message = f"the tensor '{parameter.name.text}' stands before attributes, but '{attribute}' is one"
                yield Problem(FRAGMENT_PARAMETER, span, message)


def _is_mixed(type_: nodes.Node) -> bool:
    return isinstance(type_, nodes.TupleType) and len({_has_tensor(each) for each in type_.items}) > 1


def _has_tensor(type_: nodes.Type) -> bool:
    return any(isinstance(each, nodes.TensorType) for each in descendants(type_))


@check_of(KhronosFile)
def _fragment_default(file: KhronosFile) -> Iterator[Problem]:
    """Yield the defaults that are no literals, or not of the type of their parameters."""
    for fragment in definitions(file.document, "fragment"):
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


@check_of(KhronosFile)
def _fragment_result(file: KhronosFile) -> Iterator[Problem]:
    """Yield the results of fragments that are no tensors, or whose items have no type."""
    for fragment in definitions(file.document, "fragment"):
        for result in fragment.head.results:
            message = _wrong_result(result.type)
            if message is not None:
                span = result.span.shifted(fragment.start)
                yield Problem(FRAGMENT_RESULT, span, f"the result '{result.name.text}' {message}")


def _wrong_result(type_: nodes.Type | None) -> str | None:
    match type_:
        case nodes.TensorType(item=None):
            return "must say which items it has, as in 'tensor<scalar>'"
        case nodes.TensorType() | None:
            return None
        case nodes.ArrayType(item=item):
            return _wrong_result(item)
        case nodes.TupleType(items=items):
            return next(filter(None, map(_wrong_result, items)), None)
    return "must be a tensor: fragments compute no attributes"


@check_of(KhronosFile)
def _generic_fragment(file: KhronosFile) -> Iterator[Problem]:
    """Yield generic types that are used without being declared, or declared without being used."""
    for fragment in definitions(file.document, "fragment"):
        head, start = fragment.head, fragment.start
        used = next((node for each in (*head.parameters, *head.results) for node in _generic_uses(each)), None)
        if head.generic is None:
            if used is not None:
                message = f"'?' is a type of generic fragments only: write 'fragment {head.name.text}<?>'"
                yield Problem(GENERIC_FRAGMENT, used.span.shifted(start), message)
            for base, node in _uses_in_body(fragment):
                message = f"'{head.name.text}' is not generic, so '?' has no meaning in it"
                yield Problem(GENERIC_FRAGMENT, node.span.shifted(base), message)
        elif head.generic.default is not None and head.generic.default.text == "?":
            message = "the default of a generic type is 'integer', 'scalar', 'logical' or 'string'"
            yield Problem(GENERIC_FRAGMENT, head.generic.default.span.shifted(start), message)
        elif used is None:
            message = f"'{head.name.text}' is generic, but none of its parameters and results is of the type '?'"
            yield Problem(GENERIC_FRAGMENT, head.generic.span.shifted(start), message)
    for graph in definitions(file.document, "graph"):
        for base, node in _uses_in_body(graph):
            yield Problem(GENERIC_FRAGMENT, node.span.shifted(base), "'?' is a type only in generic fragments")


def _generic_uses(node: nodes.Node) -> Iterator[nodes.Node]:
    return (each for each in descendants(node) if isinstance(each, nodes.PrimitiveType) and each.text == "?")


def _uses_in_body(definition: nodes.Definition) -> Iterator[tuple[int, nodes.Node]]:
    for entry in definition.body or ():
        for statement in entry.statements:
            for node in _uses_in_statement(statement):
                yield entry.start, node


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _uses_in_statement(statement: nodes.Statement) -> tuple[nodes.Node, ...]:
    return tuple(_generic_uses(statement))


@check_of(KhronosFile)
def _source_in_fragment(file: KhronosFile) -> Iterator[Problem]:
    """Yield the inputs and variables that fragments declare."""
    for fragment in definitions(file.document, "fragment"):
        for start, statement in assignments(fragment):
            value = statement.value
            if isinstance(value, nodes.Call) and value.function.text in _SOURCES:
                message = f"'{value.function.text}' stands in the graph only, not in a fragment"
                yield Problem(SOURCE_IN_FRAGMENT, value.function.span.shifted(start), message)
