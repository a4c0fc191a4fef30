"""Completion items at a cursor."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from snd_analysis.base import Span, TextEdit


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
