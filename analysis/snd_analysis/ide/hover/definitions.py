"""Hovers of operators, graphs, modules and the attributes of other definitions."""

from __future__ import annotations

import re
from bisect import bisect_right

from snd_analysis.base import Span
from snd_analysis.ide.cursor import chunk_at, tokens_around
from snd_analysis.ide.declarations import (
    call_text,
    comment_of,
    declared,
    module_comment,
    parameter_comment,
    signature_text,
)
from snd_analysis.ide.hover.expressions import function_text
from snd_analysis.ide.hover.symbols import symbol_text
from snd_analysis.ide.knowledge import Knowledge, knowledge_of
from snd_analysis.ide.limits import MOST_NAMES
from snd_analysis.ide.markdown import code, code_block, documentation_text, paragraphs
from snd_analysis.ide.open_invocation import Section, invocation_at, operator_named
from snd_analysis.ide.semantic_tokens import broken_spans, guessed
from snd_analysis.ide.targets import module_name
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.names import AttributeName, BuiltIn, ModuleName, OperatorName, Symbol, Use, is_library
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import CheckedSample, Snapshot


def definition_text(snapshot: Snapshot, name: OperatorName, path: str) -> str:
    """Return a definition as a file sees it: an invocation, its summary, its declaration, and its documentation."""
    signature = signature_text(snapshot, name)
    if not signature:
        return ""
    module = "" if name.path == path else module_name(snapshot, name.path, path)
    summary, rest = _summary(comment_of(snapshot, name))
    return paragraphs(
        [
            code_block(call_text(snapshot, name, module)),
            documentation_text(summary),
            f"in {module_phrase(snapshot, name.path, path)}",
            code_block(signature),
            documentation_text(rest),
        ]
    )


def _summary(comment: str) -> tuple[str, str]:
    """Return the first paragraph of a comment, and the rest; the rest alone if it begins with a list or a sample."""
    first, _, rest = comment.partition("\n\n")
    return ("", comment) if first.lstrip().startswith(("-", ">>>")) or "\n>>>" in first else (first, rest)


def module_phrase(snapshot: Snapshot, path: str, importer: str) -> str:
    """Return ``the module `nn` of the standard library``."""
    of_library = " of the standard library" if is_library(path) else ""
    return f"the module {code(module_name(snapshot, path, importer))}{of_library}"


def module_text(snapshot: Snapshot, path: str, name: str) -> str:
    """Return the explanation of a module: its documentation and its definitions."""
    kinds: dict[str, list[str]] = {}
    definitions = snapshot.definitions(path)
    for each in definitions:
        kind = "operator" if is_library(path) else definitions[each].definition.kind
        if not each.startswith("_"):
            kinds.setdefault(kind, []).append(each)
    lists = [
        f"{kind}s: {', '.join(map(code, names[:MOST_NAMES]))}{', …' if len(names) > MOST_NAMES else ''}"
        for kind, names in kinds.items()
    ]
    origin = "module of the standard library" if is_library(path) else f"module {code(path)}"
    return paragraphs(
        [code_block(f"import {name};"), origin, documentation_text(module_comment(snapshot, path)), *lists]
    )


def attribute_text(snapshot: Snapshot, operator: OperatorName, name: str, given: str, path: str) -> str:
    """Return the explanation of an attribute of an invoked operator, with its ``given`` value, if known."""
    entry = next((each for each in declared(snapshot, operator, (BlockKind.ATTRIB,)) if each.name == name), None)
    if entry is None:
        return ""
    return paragraphs(
        [
            code_block(entry.text),
            f"attribute of {code(operator.name)} in {module_phrase(snapshot, operator.path, path)}",
            parameter_comment(snapshot, operator, name),
            given,
        ]
    )


# ---- hovers of names in statements that could not be read ------------------------------------------------------------
def broken_hover(snapshot: Snapshot, path: str, offset: int, knowledge: Knowledge | None) -> tuple[Span, str] | None:
    """Return the likely meaning of the name at an offset of broken code; None where the code is not broken."""
    placed = chunk_at(snapshot.tree(path), offset)
    if placed is None:
        return None
    place = offset - placed.start
    around = next((span for span in broken_spans(placed.chunk) if span.start <= place <= span.end), None)
    if around is None:
        return None
    tokens = tokens_around(placed.chunk, place, around.end)
    at = bisect_right(tokens, place, key=lambda token: token.start) - 1
    if at < 0 or tokens[at].kind != "ID" or tokens[at].end < place:
        return None
    span = Span(tokens[at].start, tokens[at].end).shifted(placed.start)
    text = _attribute(snapshot, path, span)
    if not text:
        definition = None if knowledge is None else knowledge.definition
        match guessed(snapshot, path, definition, placed.chunk.text, tokens, at):
            case Symbol() as symbol if knowledge is not None:
                text = symbol_text(knowledge, symbol)
            case OperatorName() as name:
                text = definition_text(snapshot, name, path)
            case ModuleName(path=target):
                text = module_text(snapshot, target, tokens[at].spelling(placed.chunk.text))
            case BuiltIn(name=function):
                text = function_text(function)
    return (span, text) if text else None


def _attribute(snapshot: Snapshot, path: str, span: Span) -> str:
    """Return the attribute of an invocation, if one is named there."""
    opened = invocation_at(snapshot, path, span.end)
    if opened is None or opened.section is not Section.ATTRIBUTES or len(opened.items[-1]) != 1:
        return ""
    operator = operator_named(snapshot, path, opened.name)
    return "" if operator is None else attribute_text(snapshot, operator, opened.written, "", path)


# ---- hovers inside of comments: rules that are suppressed, and the names in samples ----------------------------------
_SUPPRESSION = re.compile(r"#\s*snd:\s*(?:ignore-file|ignore)\s*\[(?P<rules>[^\]]*)\]?")
_DIRECTIVE = re.compile(r"snd:\s*(ignore-file|ignore)(?![\w-])")
_NAME = re.compile(r"[\w-]+")

_DIRECTIVES = {
    "ignore": "Suppresses what the rules in brackets report of this line, or of the next line of code if the comment "
    "has a line for itself. Say behind the brackets why.",
    "ignore-file": "Suppresses what the rules in brackets report of this file. It stands above the first line of code; "
    "say behind the brackets why.",
}


def comment_hover(snapshot: Snapshot, path: str, comment: Span, offset: int) -> tuple[Span, str] | None:
    """Return the explanation at an offset of a comment: of a suppressed rule, or of a name in a sample."""
    text = snapshot.source(path).text
    found = _SUPPRESSION.match(text, comment.start, comment.end)
    if found is not None and found.start("rules") <= offset <= found.end("rules"):
        names = _NAME.finditer(text, *found.span("rules"))
        name = next((each for each in names if each.start() <= offset <= each.end()), None)
        if name is not None and name[0] in catalogue.names():
            return Span(*name.span()), rule_text(name[0])
    directive = _DIRECTIVE.search(text, comment.start, comment.end)
    if directive is not None and directive.start() <= offset <= directive.end():
        return Span(*directive.span()), paragraphs([code(directive[0]), _DIRECTIVES[directive[1]]])
    return _sample_hover(snapshot, path, offset)


def rule_text(name: str) -> str:
    """Return the explanation of a rule: its summary, and its reason."""
    rule = catalogue.rule(name)
    page = catalogue.page(rule)
    return paragraphs(
        [f"**{rule.name}** ({rule.severity})", page.summary, page.why, page.good and code_block(page.good.strip())]
    )


def _sample_hover(snapshot: Snapshot, path: str, offset: int) -> tuple[Span, str] | None:
    for placed in snapshot.samples(path):
        span = placed.sample.span.shifted(placed.start)
        if not span.start <= offset <= span.end:
            continue
        checked = snapshot.checked_sample(path, placed.sample)
        for use in snapshot.sample_uses(checked):
            place = use.span.shifted(placed.start)
            if place.start <= offset <= place.end:
                text = _use_text(snapshot, path, use, checked)
                return (place, text) if text else None
    return None


def _use_text(snapshot: Snapshot, path: str, use: Use, checked: CheckedSample) -> str:
    match use.target:
        case OperatorName() as name:
            return definition_text(snapshot, name, path)
        case AttributeName(operator=operator, name=name):
            return attribute_text(snapshot, operator, name, "", path)
        case ModuleName(path=target):
            imported = {item.path: item.node.text for item in snapshot.imports(path)}
            return module_text(snapshot, target, imported.get(target, ""))
        case Symbol() as symbol if checked.target is not None:
            knowledge = knowledge_of(snapshot, checked.target)
            return "" if knowledge is None else symbol_text(knowledge, symbol)
    return ""
