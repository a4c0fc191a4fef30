"""Meanings of the words and symbols of the language: the entries of ``vocabulary.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from msgspec import Struct


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
