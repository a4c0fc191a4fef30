"""Markdown for clients that read it, plain text for the others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

_FENCE = re.compile(r"^`{3,}\w*\n|^`{3,}$\n?", re.MULTILINE)
_ESCAPE_OR_CODE = re.compile(r"\\([\\`*_<>#\[\]|~&=+:-])|(?<!`)(`+)(?!`)(.*?)(?<!`)\2(?!`)")
_RULE = re.compile(r"^---$", re.MULTILINE)


def reads_markdown(formats: Sequence[str] | None) -> bool:
    """Return whether a client shows Markdown where it lists these formats."""
    return formats is not None and types.MarkupKind.Markdown in formats


def markup(text: str, markdown: bool) -> types.MarkupContent:
    """Return a text in Markdown for a client that reads it, or not."""
    if markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, plain_text(text))


def plain_text(text: str) -> str:
    """Return a Markdown text without its markup."""
    text = _RULE.sub("", _FENCE.sub("", text))
    text = _ESCAPE_OR_CODE.sub(lambda found: found[1] or found[3].strip(), text)
    return text.replace("\n\n\n\n", "\n\n").strip()
