"""Hovers of the names inside a definition: their kinds, bindings and values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from snd_analysis import formats
from snd_analysis.base import Span, counted
from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.ide.cursor import PlacedNode
from snd_analysis.ide.declarations import parameter_comment
from snd_analysis.ide.hover.formulas import index_facts
from snd_analysis.ide.knowledge import Knowledge, operations_in
from snd_analysis.ide.limits import MOST_TENSORS
from snd_analysis.ide.markdown import bullets, code, code_block, paragraphs
from snd_analysis.ide.targets import shown_name
from snd_analysis.ide.values import bound_text, is_tensor, tensor_facts, type_text, value_text
from snd_analysis.model import Tensor, TensorValue
from snd_analysis.skriptnd.names import BOUND_KINDS, OperatorName, Symbol, SymbolKind, bindings, declarations
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.symbolic.values import NULL, UNDEFINED, Maybe, Value

_DECLARED = frozenset(
    {SymbolKind.ATTRIBUTE, SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.CONSTANT, SymbolKind.VARIABLE}
)
# A shape that has names in it; `~..(rank)` says nothing.
_NAME = re.compile(r"(?<!\()\b[A-Za-z_]\w*")


def symbol_text(knowledge: Knowledge, symbol: Symbol) -> str:
    """Return the explanation of a symbol: its declaration, its binding or definition, and its value or shape."""
    if symbol.kind is SymbolKind.LABEL:
        return _label_text(knowledge, symbol)
    around = knowledge.definition.name.text
    documentation = ""
    if symbol.kind in _DECLARED:
        documentation = parameter_comment(knowledge.snapshot, knowledge.name, symbol.name)
    return paragraphs(
        [
            code_block(_head(knowledge, symbol)),
            f"{symbol.kind} of {code(around)}" if around else symbol.kind,
            documentation,
            bullets([*_facts(knowledge, symbol)]),
        ]
    )


def _head(knowledge: Knowledge, symbol: Symbol) -> str:
    """Return the declaration, or the name with its type."""
    base = knowledge.resolution.starts.get(symbol.statement, 0)
    if symbol.kind in _DECLARED or isinstance(symbol.node, nodes.DtypeDeclaration):
        return knowledge.source(symbol.node, base)
    value = knowledge.value_of(symbol)
    text = type_text(value) if is_tensor(value) else ""
    type_ = knowledge.context.typed(symbol).type
    if not text:
        text = "" if type_ is None else str(type_)
    return f"{symbol.name}: {text}" if text else symbol.name


def _facts(knowledge: Knowledge, symbol: Symbol) -> Iterator[str]:
    value = knowledge.value_of(symbol)
    if symbol.kind in BOUND_KINDS:
        yield from _bound_at(knowledge, symbol)
    elif symbol.kind is SymbolKind.INDEX:
        yield from index_facts(knowledge, symbol)
    else:
        yield from _origin(knowledge, symbol)
    if is_tensor(value):
        yield from _shape(knowledge, symbol, value)
    else:
        type_ = knowledge.context.typed(symbol).type
        written = (symbol.name, _default(knowledge, symbol))
        yield from value_facts(knowledge, value, written, type_ is None or type_.optional)
    yield from example_facts(knowledge, value, lambda known: known.value_of(symbol))


def _default(knowledge: Knowledge, symbol: Symbol) -> str:
    """Return the default value of an attribute, as written."""
    node = symbol.node
    if not isinstance(node, nodes.Parameter) or node.default is None or symbol.kind is not SymbolKind.ATTRIBUTE:
        return ""
    return knowledge.source(node.default.value, knowledge.resolution.starts.get(symbol.statement, 0))


def value_facts(knowledge: Knowledge, value: Value, written: Sequence[str], optional: bool = True) -> Iterator[str]:
    """Yield the value of a compile-time expression that is ``written`` in these ways, in the composed context."""
    context = context_of(knowledge)
    if value is NULL:
        if optional:
            yield f"= {code('null')} {context}"
        return
    given = value.value if isinstance(value, Maybe) else value
    text = value_text(value) if value_text(given) not in written else ""
    if text and text not in written:
        bound = bound_text(value)
        yield f"= {code(text)} {context}{f', {bound}' if bound else ''}"
    elif bound := bound_text(value):
        yield bound


def example_facts(
    knowledge: Knowledge, value: Value, asked: Callable[[Knowledge], Value]
) -> Iterator[str]:  # fmt: skip
    """Yield the value in one invocation, and the shape of a tensor, if that says more."""
    if knowledge.by_example is None:
        return
    known, phrase = knowledge.by_example
    found = asked(known)
    if is_tensor(found):
        text = type_text(found)
        if text and text != type_text(value):
            more = tensor_facts(found) if isinstance(found, Tensor) else ()
            yield ", ".join([f"{code(text)} {phrase}", *more])
    elif (text := value_text(found)) and text != value_text(value):
        yield f"= {code(text)} {phrase}"


def context_of(knowledge: Knowledge) -> str:
    """Return the phrase for the scope of values."""
    return "with the defaults" if knowledge.definition.kind == "graph" else "for any invocation"


def _squeezed(text: str) -> str:
    return text.replace(" ", "")


def _shape(knowledge: Knowledge, symbol: Symbol, value: Value) -> Iterator[str]:
    text = type_text(value)
    type_ = knowledge.context.typed(symbol).type
    if symbol.kind in _DECLARED:
        if text and _squeezed(text) not in _squeezed(_head(knowledge, symbol)):
            yield f"{code(text)} {context_of(knowledge)}"
    elif type_ is not None and type_.shape is not None and _NAME.search(type_.shape.text) and str(type_) != text:
        yield f"symbolically {code(str(type_))}"
    if symbol.kind is not SymbolKind.ITERATION:
        yield from tensor_facts(value)
    yield from quantization_facts(knowledge, symbol.name)
    yield from _range(knowledge, value)


def _range(knowledge: Knowledge, value: Value) -> Iterator[str]:
    """Yield the range of the elements of a tensor of ints, where operators of `tosa` or `cvm` determine it."""
    if not isinstance(value, Tensor) or value.dtype != "int" or knowledge.definition.kind != "graph":
        return
    ranges = knowledge.snapshot.ranges(knowledge.name)
    if ranges is None:
        return
    found = ranges.of(value)
    if found is not None:
        precision = f": a precision of {counted(formats.bits_of(found), 'bit')}" if ranges.has_precision else ""
        yield f"elements from {code(str(found.least))} to {code(str(found.most))}{precision}"
    elif ranges.has_precision:
        yield "of undefined precision: nothing tells between what its elements are"


def quantization_facts(knowledge: Knowledge, name: str) -> Iterator[str]:
    """Yield the operator that quantizes a tensor of that scoped name (2.14)."""
    body = None if knowledge.specialization is None else knowledge.specialization.body
    found = None if body is None else body.quantizations.get(name)
    if found is not None:
        given = ", ".join(f"{name}={value_text(value)}" for name, value in found.attributes.items())
        yield f"quantized by {code(f'{shown_name(knowledge.snapshot, found.operator, knowledge.path)}{{{given}}}')}"


# ---- where symbols come from -----------------------------------------------------------------------------------------
def _bound_at(knowledge: Knowledge, symbol: Symbol) -> Iterator[str]:
    places: dict[str, None] = {}
    for block in (BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.OUTPUT):
        if block == BlockKind.OUTPUT and places:
            break
        for declaration in declarations(knowledge.definition, block):
            if any(each.symbol is symbol for each in bindings(knowledge.resolution, declaration)):
                places[code(knowledge.source(declaration.parameter, declaration.base))] = None
    if places:
        yield f"bound by {', '.join(places)}"


def _origin(knowledge: Knowledge, symbol: Symbol) -> Iterator[str]:
    base = knowledge.resolution.starts.get(symbol.statement, 0)
    match symbol.statement:
        case nodes.Using() as using:
            yield f"defined by {code(knowledge.source(using, base))}"
        case nodes.Lowering() if isinstance(symbol.node, nodes.Local):
            yield f"defined by {code(knowledge.source(symbol.node, base))}"
        case nodes.Component() as component:
            yield from _producer(knowledge, symbol, component, base)


def _producer(knowledge: Knowledge, symbol: Symbol, component: nodes.Component, base: int) -> Iterator[str]:
    if isinstance(symbol.node, nodes.Carry | nodes.Scan):
        yield f"from {code(knowledge.source(symbol.node, base))}"
        return
    if isinstance(symbol.node, nodes.Iteration):
        yield "number of the iteration, from 0"
        return
    inner = _assigning(component, symbol.node)
    value = inner.value.value if isinstance(inner.value, nodes.Labelled) else inner.value
    match value:
        case nodes.Call() if isinstance(target := knowledge.resolution.targets.get(value.function), OperatorName):
            yield f"result of {code(shown_name(knowledge.snapshot, target, knowledge.path))}"
        case nodes.Branch():
            yield f"result of a branch with {counted(len(value.cases), 'case')}"
        case nodes.Loop():
            yield "result of an unrolled loop" if value.keyword.text == "unroll" else "result of a loop"
        case nodes.Region():
            yield "result of a block"
        case _:
            text = knowledge.source(value, base)
            yield f"defined by {code(text)}" if len(text) <= 120 else "result of an expression"


def _assigning(component: nodes.Component, node: nodes.Node) -> nodes.Component:
    """Return the statement, perhaps inside of another, among whose results a node stands."""
    for each in nodes.descendants(component):
        if isinstance(each, nodes.Component) and any(
            node is part for result in each.results for part in nodes.descendants(result)
        ):
            return each
    return component


# ---- labels ----------------------------------------------------------------------------------------------------------
def _label_text(knowledge: Knowledge, symbol: Symbol) -> str:
    operation = next((each for each in knowledge.operations if each.label == symbol.name), None)
    lines: list[str] = []
    callee = None if operation is None else specialization_of(operation)
    if operation is not None and callee is not None and operation.operator is not None:
        lines.append(f"of {code(shown_name(knowledge.snapshot, operation.operator, knowledge.path))}")
        below = {**callee.variables, **callee.constants}
        for name, value in [*below.items()][:MOST_TENSORS]:
            kind = value.kind if isinstance(value, Tensor) else "pack"
            lines.append(f"{kind} {code(f'{symbol.name}.{name}: {type_text(value)}')}")
        if len(below) > MOST_TENSORS:
            lines.append(f"and {len(below) - MOST_TENSORS} more")
    return paragraphs([code_block(f"{symbol.name}:"), "label: what stands below it has this name before its own",
                       bullets(lines)])  # fmt: skip


# ---- hovers of the names of tensors below labels: ``block.conv1.filter`` in ``@quantize`` (2.10, 2.14) ---------------
def scoped_hover(knowledge: Knowledge, around: Sequence[PlacedNode], offset: int) -> tuple[Span, str] | None:
    """Return the tensor that a scoped name leads to, at any of its parts but the first; None if it is unknown."""
    placed = next((each for each in reversed(around) if isinstance(each.node, nodes.Qualified)), None)
    if placed is None or not any(isinstance(each.node, nodes.Quantization) for each in around):
        return None
    assert isinstance(placed.node, nodes.Qualified)
    parts = [part for part in placed.node.parts if part.start + placed.base <= offset]
    name = ".".join(part.text for part in parts)
    value = UNDEFINED if knowledge.specialization is None else tensor_below(knowledge.specialization, name)
    if len(parts) < 2 or not is_tensor(value):
        return None
    kind = value.kind if isinstance(value, Tensor) else "pack"
    facts = [*tensor_facts(value), *quantization_facts(knowledge, name)]
    text = paragraphs([code_block(f"{name}: {type_text(value)}"), f"{kind} below a label", bullets(facts)])
    return parts[-1].span.shifted(placed.base), text


def tensor_below(specialization: Specialization, name: str) -> TensorValue:
    """Return the tensor of a scoped name, seen from a composed definition; UNDEFINED if there is none."""
    for members in (
        specialization.variables,
        specialization.constants,
        specialization.body.tensors if specialization.body else {},
    ):
        if name in members:
            return members[name]
    for operation in operations_in(specialization.body) if specialization.body is not None else ():
        label, inner = operation.label, specialization_of(operation)
        if label is not None and inner is not None and name.startswith(f"{label}."):
            found = tensor_below(inner, name.removeprefix(f"{label}."))
            if found is not UNDEFINED:
                return found
    return UNDEFINED
