"""Text to tokens: one compiled pattern, exact spans, and a token for everything invalid.

Every character of any text belongs to a token, a comment or white space.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<SPACE>\s+|\#[^\r\n]*)
    |(?P<EXTENDED>i(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))
    |(?P<NAME>[A-Za-z_]\w*)
    |(?P<NUMBER>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<MALFORMED>\.?\d[\w.]*(?:(?<=[eE])[+-]\w*)?)
    |(?P<STRING>"(?:[^"\\\r\n]|\\[^\r\n])*"|'(?:[^'\\\r\n]|\\[^\r\n])*')
    |(?P<UNCLOSED>["'][^\r\n;]*)
    |(?P<SIGN>->|<=|>=|==|!=|&&|\|\||[-+*/^<>!=(){}\[\],;:?])
    |(?P<OTHER>\w+|.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Nnef1Token(NamedTuple):
    """A word, number, string or sign at a span of the text. The kind of a sign is the sign itself."""

    kind: str
    start: int
    end: int
    text: str


END = "end"
"""The kind of the token after the last one."""


def tokenize(text: str) -> list[Nnef1Token]:
    """Return the tokens of a text without comments, followed by one of the kind ``END``."""
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "SPACE":
            continue
        spelled = match[0]
        assert kind is not None
        found.append(Nnef1Token(spelled if kind == "SIGN" else kind, match.start(), match.end(), spelled))
    found.append(Nnef1Token(END, len(text), len(text), ""))
    return found


def string_value(spelled: str) -> str:
    """Return the value of a string literal."""
    inner = spelled[1:-1]
    return _ESCAPE.sub(r"\1", inner) if "\\" in inner else inner
