"""Rules about files for tract."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from snd_analysis.base import Edit, Note, Problem, Repair, Rule, Severity, Span, descendants
from snd_analysis.nnef1.assertions import AssertionLine, assertions_of, first_contradictions
from snd_analysis.nnef1.limits import MOST_CONTRADICTED
from snd_analysis.nnef1.lints.subjects import (
    REMEMBERED_STATEMENTS,
    TractFile,
    calls_in,
    definitions,
    extensions,
    statements_reached,
)
from snd_analysis.nnef1.names import spelled_names
from snd_analysis.nnef1.syntax import BUILT_INS, nodes
from snd_analysis.rules import check_of
from snd_analysis.skriptnd.syntax import close_matches

MISSING_REGISTRY = Rule("missing-registry", section="tool")
_REGISTRIES = ("tract_core", "tract_onnx", "tract_pulse", "tract_extra", "tract_transformers", "tract_resource")
_WITHOUT_PREFIX = dict.fromkeys(("nearest_upsample", "multilinear_upsample", "tract_shl", "tract_shr"), "tract_core")
_OTHER_NAMES = {"pulse": "tract_pulse"}
_WITHOUT_OPERATIONS = ("tract_nnef", "pulse", "tract_onnx_ml")
"""Registries that tract knows, besides those that prefixes of operations name."""
UNSUPPORTED_BY_TRACT = Rule("unsupported-by-tract", section="tool")
ABSENT_IN_TRACT = frozenset(
    [
        "constant", "update", "split", "rcp", "argmax_pool", "sample", "desample", "avg_roi_pool", "max_roi_pool",
        "roi_resample", "gather", "cast", "gelu", "silu", "selu", "nearest_downsample", "area_downsample", "add_n",
        "copy_n", "linear_quantize", "min_max_linear_quantize", "zero_point_linear_quantize", "logarithmic_quantize",
        "avg_roi_align", "max_roi_align", "separable_deconv",
    ]
)  # fmt: skip
"""Operations of the text and of Khronos' tools that tract does not have, or cannot evaluate."""
_INSTEAD = {"rcp": "recip", "gather": "tract_core_gather", "cast": "tract_core_cast", "silu": "tract_core_silu"}
_MISREAD = {"tract_core_matmul": "tract_core_einsum", "tract_core_qmatmul": "tract_core_einsum_q"}
"""Operations that tract 0.23 computes wrongly or does not load, each with its replacement."""
_UNREAD_NUMBER = re.compile(r"\d+E.*")
UNUSED_ASSERTION = Rule("unused-assertion", section="tool", severity=Severity.WARNING)
_NAME = re.compile(r"[^\W\d][\w.]*(?:/[^\W\d][\w.]*)*")
_FUNCTIONS = frozenset(["min", "max", "broadcast", "floor"])
_SCENARIO = re.compile(r"\s*[\w.]+\s*:")
INVALID_ASSERTION = Rule("invalid-assertion", section="tool")
_OF_A_SYMBOL = re.compile(r"(?P<scenario>\s*(?:[\w.]+\s*:)?\s*)(?P<symbol>[^\W\d][\w.]*)\s*==\s*(?P<value>.*\S)\s*")
_MULTIPLE = r"(?:\d+\s*\*\s*)?{}"


@check_of(TractFile)
def _missing_registry(file: TractFile) -> Iterator[Problem]:
    """Yield registries that tract does not have, and the first operation of each registry that no line declares."""
    document = file.document
    declared: set[str] = set()
    for start, each in extensions(document):
        if each.name.text == "tract_registry":
            name = each.text.strip()
            close = _close_registry(name)
            declared.add(_OTHER_NAMES.get(close or name, close or name))
            if name not in (*_REGISTRIES, *_WITHOUT_OPERATIONS):
                yield _unknown_registry(Span(each.at, each.at + len(each.text)).shifted(start), name, close)
    fragments = {each.head.name.text for each in definitions(document, "fragment")}
    for start, statement in statements_reached(document):
        for operation, registry in _of_registries(statement):
            name = operation.text
            if registry in declared or name in fragments:
                continue
            declared.add(registry)
            message = (
                f"'{name}' needs tract's registry '{registry}': declare it with 'extension tract_registry {registry};'"
            )
            line = f"extension tract_registry {registry};"
            end = _end_of_header(document)
            repair = Repair(f"Add '{line}'", (Edit(Span(end, end), f"\n{line}"),))
            yield Problem(MISSING_REGISTRY, operation.span.shifted(start), message, (), repair)


def _close_registry(name: str) -> str | None:
    """Return the registry that a misspelt name means; None if it means none."""
    known = (*_REGISTRIES, *_WITHOUT_OPERATIONS)
    return None if name in known else next(iter(close_matches(name, known, most=1)), None)


def _unknown_registry(span: Span, name: str, close: str | None) -> Problem:
    hint = f"; did you mean '{close}'?" if close else ""
    repair = Repair(f"Write '{close}'", (Edit(span, close),)) if close else None
    return Problem(MISSING_REGISTRY, span, f"tract has no registry '{name}', and does not load this{hint}", (), repair)


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _of_registries(statement: nodes.Assignment) -> tuple[tuple[nodes.Identifier, str], ...]:
    """Return the operations of registries in a statement, each with its registry."""
    found = ((call.function, _registry(call.function.text)) for call in calls_in(statement))
    return tuple((operation, registry) for operation, registry in found if registry is not None)


@cache
def _registry(operation: str) -> str | None:
    found = next((each for each in _REGISTRIES if operation.startswith(f"{each}_")), None)
    return found or _WITHOUT_PREFIX.get(operation)


def _end_of_header(document: nodes.Document) -> int:
    """Return the offset after the semicolon of the last version or extension."""
    ends = [
        each.start + each.item.end + 1
        for each in document.items
        if isinstance(each, nodes.Placed) and not isinstance(each.item, nodes.ErrorItem)
    ]
    return max(ends, default=0)


@check_of(TractFile)
def _unsupported_by_tract(file: TractFile) -> Iterator[Problem]:
    """Yield parts that tract does not read: operations, forms of expressions, and notations of numbers."""
    document = file.document
    fragments = {each.head.name.text for each in definitions(document, "fragment")}
    for start, statement in statements_reached(document):
        for node, message in _unsupported(statement):
            if not isinstance(node, nodes.Call) or node.function.text not in fragments:
                yield Problem(UNSUPPORTED_BY_TRACT, node.span.shifted(start), message)


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _unsupported(statement: nodes.Assignment) -> tuple[tuple[nodes.Node, str], ...]:
    """Return the nodes of a statement that tract does not read, with messages. Invocations of fragments are exempt."""
    found = ((node, _message(node)) for node in descendants(statement.value))
    return tuple((node, message) for node, message in found if message is not None)


def _message(node: nodes.Node) -> str | None:
    match node:
        case nodes.Call(function=function) if function.text in ABSENT_IN_TRACT:
            other = _INSTEAD.get(function.text)
            return f"tract has no operation '{function.text}'" + (f": write '{other}'" if other else "")
        case nodes.Call(function=function) if function.text in _MISREAD:
            what = "computes something else for" if function.text == "tract_core_matmul" else "does not load"
            return f"tract 0.23 {what} '{function.text}': write '{_MISREAD[function.text]}'"
        case nodes.Call(function=function) if function.text in BUILT_INS:
            return f"tract does not know the function '{function.text}'"
        case nodes.Call(function=nodes.Identifier(text="external"), generic=nodes.PrimitiveType(text="string")):
            return "tract has no inputs of strings: its process ends here"
        case nodes.Select():
            return "tract does not evaluate 'if … else'"
        case nodes.Comprehension():
            return "tract does not evaluate comprehensions"
        case nodes.Subscript(index=nodes.Range()):
            return "tract does not evaluate ranges of items"
        case nodes.Binary(operator="&&" | "||" | "in" as operator):
            return f"tract does not evaluate '{operator}'"
        case nodes.Unary(operator="-", operand=nodes.Number() | nodes.Identifier(text="inf")):
            return None
        case nodes.Unary(operator=operator):
            return f"tract does not evaluate '{operator}' before an expression"
        case nodes.Number(text=text) if _UNREAD_NUMBER.fullmatch(text):
            return f"tract does not read '{text}': write a point, or a small 'e'"
        case nodes.Identifier(text="NaN" | "nan"):
            return "tract does not read 'NaN' back, although it writes it"
    return None


@check_of(TractFile)
def _unused_assertion(file: TractFile) -> Iterator[Problem]:
    """Yield symbols that are declared twice, and assertions about symbols that no extent of the graph mentions."""
    document = file.document
    symbols: set[str] = set()
    used: set[str] | None = None
    for start, extension in extensions(document):
        span = Span(extension.at, extension.at + len(extension.text)).shifted(start)
        if extension.name.text == "tract_symbol":
            if extension.text in symbols:
                message = f"'{extension.text}' is declared again: tract makes another symbol of it"
                yield Problem(UNUSED_ASSERTION, span, message)
            symbols.add(extension.text)
        elif extension.name.text == "tract_assert":
            text = _SCENARIO.sub("", extension.text, count=1)
            names = {each for each in _NAME.findall(text) if each not in _FUNCTIONS}
            if used is None:
                used = _names_in_shapes(document)
            if names and not names & used:
                listed = ", ".join(f"'{each}'" for each in sorted(names))
                message = f"no shape of the graph depends on {listed}, so this assertion has no effect"
                yield Problem(UNUSED_ASSERTION, span, message)


def _names_in_shapes(document: nodes.Document) -> set[str]:
    """Return every name in the graph: names of symbols are among them."""
    found: set[str] = set()
    for graph in definitions(document, "graph"):
        for entry in graph.body or ():
            found |= spelled_names(entry)
    return found


@check_of(TractFile)
def _invalid_assertion(file: TractFile) -> Iterator[Problem]:
    """Yield assertions that tract cannot read, and assertions that no sizes satisfy."""
    document = file.document
    found = assertions_of(document.items)
    for each in found:
        if each.condition is None:
            message = "tract does not read this: an assertion compares two sums of symbols by ==, <, >, <= or >="
            yield Problem(INVALID_ASSERTION, each.span, message)
        else:
            yield from _endless(each)
    for each, before in first_contradictions(found):
        if before:
            notes = tuple(Note(other.span, "this is asserted before") for other in before[-MOST_CONTRADICTED:])
            yield Problem(INVALID_ASSERTION, each.span, f"'{each.text}' contradicts the assertions above", notes)
        else:
            yield Problem(INVALID_ASSERTION, each.span, f"'{each.text}' can't hold for any sizes")


def _endless(assertion: AssertionLine) -> Iterator[Problem]:
    """Report endless substitution: tract replaces a symbol alone on the left side by the right side, repeatedly."""
    match = _OF_A_SYMBOL.fullmatch(assertion.text)
    if match is None:
        return
    symbol, value = match["symbol"], match["value"]
    name = re.escape(symbol)
    if not re.search(rf"\b{name}\b", value) or re.fullmatch(_MULTIPLE.format(name), value):
        return
    message = f"tract crashes or never ends on this: it replaces '{symbol}' by a text that has '{symbol}'"
    repair = Repair("Exchange the sides", (Edit(assertion.span, f"{match['scenario']}{value} == {symbol}"),))
    yield Problem(INVALID_ASSERTION, assertion.span, message, (), repair)
