"""Documentation of a completion, as Markdown, found when an editor asks for it."""

from __future__ import annotations

from snd_analysis.ide.hover.comments import rule_text
from snd_analysis.ide.hover.definitions import attribute_text, definition_text, module_text
from snd_analysis.ide.hover.symbols import symbol_text
from snd_analysis.ide.hover.words import function_text, word_text
from snd_analysis.ide.knowledge import knowledge_of
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


def documentation(snapshot: Snapshot, subject: tuple[str, ...], importer: str) -> str:
    """Return the documentation of the subject of a completion in a file; empty if there is none, or it is gone."""
    match subject:
        case ("operator", path, name):
            return definition_text(snapshot, OperatorName(path, name), importer)
        case ("attribute", path, operator, name):
            return attribute_text(snapshot, OperatorName(path, operator), name, "", importer)
        case ("module", path, name):
            return module_text(snapshot, path, name)
        case ("symbol", path, definition, name):
            knowledge = knowledge_of(snapshot, OperatorName(path, definition))
            symbol = None if knowledge is None else knowledge.resolution.symbol(name)
            return "" if knowledge is None or symbol is None else symbol_text(knowledge, symbol)
        case ("rule", name) if name in catalogue.names():
            return rule_text(name)
        case ("function", name):
            return function_text(name)
        case ("word", kind, word):
            return word_text(kind, word)
    return ""
