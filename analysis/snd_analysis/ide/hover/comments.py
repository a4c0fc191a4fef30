"""Hovers inside of comments: rules that are suppressed, and the names in samples."""

from __future__ import annotations

import re

from snd_analysis.base import Span
from snd_analysis.ide.hover.definitions import attribute_text, definition_text, module_text
from snd_analysis.ide.hover.symbols import symbol_text
from snd_analysis.ide.knowledge import knowledge_of
from snd_analysis.ide.markdown import code, code_block, paragraphs
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.names import AttributeName, ModuleName, OperatorName, Symbol, Use
from snd_analysis.workspace import CheckedSample, Snapshot

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
