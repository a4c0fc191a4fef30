"""Rules about the extensions that a file declares."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from snd_analysis.base import Edit, Node, Problem, Repair, Rule, Severity, Span, descendants
from snd_analysis.nnef1.lints.subjects import (
    REMEMBERED_STATEMENTS,
    File,
    KhronosFile,
    assignments,
    definitions,
    extensions,
)
from snd_analysis.nnef1.syntax import BUILT_INS, nodes
from snd_analysis.rules import check_of

MISSING_EXTENSION = Rule("missing-extension", section="NNEF 1.0, 2.1")
_FRAGMENTS = "KHR_enable_fragment_definitions"
_EXPRESSIONS = "KHR_enable_operator_expressions"
UNKNOWN_EXTENSION = Rule("unknown-extension", section="NNEF 1.0, 2.1", severity=Severity.WARNING)
KNOWN_EXTENSIONS = frozenset(
    [
        "KHR_enable_fragment_definitions",
        "KHR_enable_operator_expressions",
        "tract_registry",
        "tract_symbol",
        "tract_assert",
        "tract_pulse_streaming_symbol",
        "tract_resource",
    ]
)


@check_of(File)
def _unknown_extension(file: File) -> Iterator[Problem]:
    """Yield the extensions that no tool is known to have."""
    for start, extension in extensions(file.tree.document):
        names = [extension.name.text]
        if not names[0].startswith("tract_"):
            names += extension.text.split()
        unknown = [name for name in names if name not in KNOWN_EXTENSIONS]
        if unknown:
            span = extension.name.span.shifted(start)
            yield Problem(UNKNOWN_EXTENSION, span, f"snd does not know the extension '{unknown[0]}'")


@check_of(KhronosFile)
def _missing_extension(file: KhronosFile) -> Iterator[Problem]:
    """Yield the first use of each kind of syntax that an extension has to allow."""
    document = file.document
    known = {name for _, each in extensions(document) for name in (each.name.text, *each.text.split())}
    if _FRAGMENTS not in known:
        fragment = next(definitions(document, "fragment"), None)
        if fragment is not None:
            span = fragment.head.name.span.shifted(fragment.start)
            yield _missing(document, span, _FRAGMENTS, "definitions of fragments need")
    if _EXPRESSIONS not in known:
        found = next(_expressions(document), None)
        if found is not None:
            yield _missing(document, found, _EXPRESSIONS, "expressions need")


def _expressions(document: nodes.Document) -> Iterator[Span]:
    """Yield expressions in bodies that are not invocations with names, literals, and arrays and tuples of these."""
    for definition in (*definitions(document, "graph"), *definitions(document, "fragment")):
        for start, statement in assignments(definition):
            found = _expression_in(statement)
            if found is not None:
                yield found.span.shifted(start)


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _expression_in(statement: nodes.Assignment) -> Node | None:
    value = statement.value
    if not isinstance(value, nodes.Call) or value.function.text in BUILT_INS:
        return value
    inner = (node for argument in value.arguments for node in descendants(argument.value))
    return next(filter(_is_expression, inner), None)


def _is_expression(node: nodes.Node) -> bool:
    match node:
        case nodes.Unary(operator="-", operand=nodes.Number()):
            return False
        case nodes.Call(function=function):
            return function.text in BUILT_INS  # invocations in arguments are read by all tools
        case nodes.Unary() | nodes.Binary() | nodes.Select() | nodes.Subscript() | nodes.Comprehension():
            return True
    return False


def _missing(document: nodes.Document, span: Span, extension: str, what: str) -> Problem:
    version = next(
        (each for each in document.items if isinstance(each, nodes.Placed) and isinstance(each.item, nodes.Version)),
        None,
    )
    repair = None
    if version is not None:
        end = version.start + version.item.end + 1
        repair = Repair(f"Add 'extension {extension};'", (Edit(Span(end, end), f"\nextension {extension};"),))
    return Problem(MISSING_EXTENSION, span, f"{what} 'extension {extension};'", (), repair)
