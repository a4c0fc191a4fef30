"""Completion items at a cursor."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Span, TextEdit
from snd_analysis.ide.hover.definitions import attribute_text, definition_text, module_text, rule_text
from snd_analysis.ide.hover.expressions import function_text, word_text
from snd_analysis.ide.hover.symbols import symbol_text
from snd_analysis.ide.knowledge import knowledge_of
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot


class CompletionKind(StrEnum):
    """Kind of a completion item."""

    KEYWORD = "keyword"
    BLOCK = "block"
    TYPE = "type"
    VALUE = "value"
    """A literal: ``true``, ``inf``, a string that an attribute may be."""
    FUNCTION = "function"
    OPERATOR = "operator"
    GRAPH = "graph"
    MODULE = "module"
    ATTRIBUTE = "attribute"
    TENSOR = "tensor"
    NAME = "name"
    """Anything else that a definition declares: an extent, an attribute of its own, a helper symbol, an index."""
    LABEL = "label"
    MEMBER = "member"
    RULE = "rule"
    GENERATOR = "generator"
    SNIPPET = "snippet"
    """A whole statement or definition."""


class Completion(Struct, frozen=True):
    """One thing that is offered. Accepting it replaces the span of its ``Completions`` and makes the ``edits``."""

    label: str
    kind: CompletionKind
    group: int
    """Lower ones stand first; within a group, the order in which they were found."""
    text: str = ""
    """Inserted text; the label if it is empty."""
    is_snippet: bool = False
    """True if ``text`` has tab stops, in the syntax of LSP."""
    filter: str = ""
    """Text to compare with the typed text; the label if it is empty."""
    detail: str = ""
    edits: tuple[TextEdit, ...] = ()
    subject: tuple[str, ...] = ()
    """Subject of its documentation, see ``documentation``: found when an editor asks for it."""

    @property
    def inserted(self) -> str:
        """The inserted text."""
        return self.text or self.label


class Completions(Struct, frozen=True):
    """Completion items, the best first. ``insert`` is the word before the cursor, ``replace`` the whole word."""

    insert: Span
    replace: Span
    items: tuple[Completion, ...] = ()
    is_incomplete: bool = False
    """True if there is more, which more typing would show."""


# ---- match of typed text with names, and the likelihood of each match ------------------------------------------------
def ranked(items: Iterable[Completion], typed: str) -> list[Completion]:
    """Return the items that match the typed letters, the best first; of equal labels the one of the lowest group."""
    found: dict[str, Completion] = {}
    matching = (item for item in items if matches(typed, item.filter or item.label))
    for item in sorted(matching, key=lambda item: item.group):
        found.setdefault(item.label, item)
    return sorted(found.values(), key=lambda item: (closeness(typed, item.filter or item.label), item.group))


def matches(typed: str, *names: str) -> bool:
    """Return whether the letters that are typed occur in one of the names in their order, as clients compare them."""
    if not typed:
        return True
    wanted = typed.casefold()
    return any(_is_within(wanted, name.casefold()) for name in names)


def _is_within(wanted: str, name: str) -> bool:
    at = 0
    for letter in wanted:
        at = name.find(letter, at) + 1
        if at == 0:
            return False
    return True


def closeness(typed: str, name: str) -> int:
    """Return the rank of a name for the typed text; lower is better, and a common beginning is best."""
    if not typed or name.startswith(typed):
        return 0
    return 1 if name.casefold().startswith(typed.casefold()) else 2


# ---- documentation of a completion, as Markdown, found when an editor asks for it ------------------------------------
def documentation(snapshot: Snapshot, subject: tuple[str, ...], importer: str) -> str:
    """Return the documentation of the subject of a completion; empty if the subject has none or is gone."""
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
