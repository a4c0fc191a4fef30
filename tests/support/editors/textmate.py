"""Texts as the extension's grammars read them, by the library that VS Code reads them with."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

SECONDS = 120


class GrammarToken(NamedTuple):
    """A piece of a line, as columns, with its scopes from the outermost to the innermost."""

    start: int
    end: int
    scopes: tuple[str, ...]


Lines = list[list[GrammarToken]]


def grammar_tokens(extension: Path, texts: Mapping[str, str], scope: str = "source.skriptnd") -> dict[str, Lines]:
    """Return the tokens of each line of each text. Columns count UTF-16 units."""
    done = subprocess.run(
        ["node", extension / "test/grammar/tokens.mjs", scope],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return {
        name: [[GrammarToken(start, end, tuple(scopes)) for start, end, scopes in line] for line in lines]
        for name, lines in json.loads(done.stdout).items()
    }
