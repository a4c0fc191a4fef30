"""Hovers of the language itself: keywords, blocks, types, built-in functions, symbols."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from msgspec import Struct

from snd_analysis.ide.markdown import code_block, paragraphs
from snd_analysis.skriptnd.syntax import Token, keywords


# ---- meanings of the words and symbols of the language: the entries of ``vocabulary.toml`` ---------------------------
class Word(Struct, frozen=True):
    """An explanation, in Markdown, of a word or symbol; ``section`` is that of the draft, or ``LANGUAGE``."""

    text: str
    section: str
    example: str | None = None
    form: str | None = None
    """The spelling, if it differs from the word."""


@cache
def vocabulary() -> Mapping[str, Mapping[str, Word]]:
    """Return all entries by kind (``blocks``, ``keywords``, ``types``, ``functions`` …) and word.

    Names of blocks have no ``@``.
    """
    text = files("snd_analysis").joinpath("ide", "hover", "vocabulary.toml").read_text(encoding="utf-8")
    return {
        kind: {word: Word(**entry) for word, entry in entries.items()} for kind, entries in tomllib.loads(text).items()
    }


_SYMBOLS = frozenset({"..", "...", "~", "->", "<>", "<-", "?", "??"})


def word_text(kind: str, word: str, head: str | None = None) -> str:
    """Return the meaning of a word or symbol; empty if there is none of that kind."""
    entry = vocabulary()[kind].get(word)
    if entry is None:
        return ""
    source = f"SkriptND, section {entry.section}" if entry.section != "LANGUAGE" else "as files in the wild have it"
    return paragraphs([code_block(entry.example or entry.form or head or word), entry.text, f"*{source}*"])


def function_text(name: str) -> str:
    """Return the explanation of a built-in function."""
    types = "int or real" if name in ("abs", "sign") else "real"
    return word_text("functions", name, f"{name}(x: {types})")


def token_text(token: Token, text: str) -> str:
    """Return the meaning of a keyword, the name of a type, the head of a block or a symbol.

    Empty if it has no fixed meaning.
    """
    word = token.spelling(text)
    if token.kind.startswith("B_"):
        return word_text("blocks", word.removeprefix("@"))
    if token.kind == "TYPE":
        return word_text("types", word)
    if word in keywords() or token.kind in ("VERSION", "EXTENSION"):
        return word_text("keywords", word)
    return word_text("operators", word) if word in _SYMBOLS else ""
