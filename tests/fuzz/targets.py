"""Targets of fuzzing, and properties that must hold for any bytes."""

from __future__ import annotations

import io
import random
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from msgspec import Struct

from fuzz import models, protocol
from snd_analysis.base import Diagnostic, Edit, Span
from snd_analysis.skriptnd.format import format_text
from snd_analysis.skriptnd.syntax import tokenize
from snd_analysis.workspace import Workspace
from snd_runtime.files import InvalidFileError, read_npy, read_npz, read_tensor, write_npy, write_npz, write_tensor
from snd_server.checking.fixing import fix_text
from snd_server.settings.config_schema import parse_settings
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.patterns import PatternError, parse_patterns
from support.analysis import tree_checks
from support.memory import MemoryReader

ROOT = Path(__file__).parents[2]
_MOST_BYTES = 1 << 26
_PATH = "main.sknd"


class Target(Struct, frozen=True):
    """``attack`` raises for bytes that break what must hold."""

    attack: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]


# ---- files that are no programs --------------------------------------------------------------------------------------
def _configuration(content: bytes) -> None:
    told: list[ConfigError] = []
    for table in ((), ("tool", "snd")):
        settings = parse_settings(content.decode(errors="replace"), "snd.toml", table, told.append)
        if settings is not None:
            parse_patterns(settings.exclude).covers("a/b.sknd", False)
    assert len(told) < 40


def _configurations() -> Sequence[bytes]:
    return [
        b'select = ["all"]\nignore = ["unused-import"]\nline-width = 80\nexclude = ["a*/", "!b"]\n',
        b'[tool.snd]\nwarn = ["unused-import"]\n[tool.snd.per-file-ignores]\n"a/**/*.sknd" = ["all"]\n',
        b'a.b.c = { d = [1, 2.0, 1979-05-27T07:32:00Z], e = """x""" }\n[[a.x]]\n[a.x.y]\n',
    ]


def _patterns(content: bytes) -> None:
    lines = content.decode(errors="replace").split("\n")
    with suppress(PatternError):
        patterns = parse_patterns(lines)
        for path in ("a", "a/b/c.sknd", "/".join("a" * 60), "a" * 250):
            patterns.verdict(path, False)
            patterns.covers(path, True)


def _ignore_files() -> Sequence[bytes]:
    return [
        b"build/\n*.gen.sknd\n/top\n!keep\n# no\n\\#a\\ \n",
        b"a/**/b\n**/c\nd/**\n[!a-c]?[[:alpha:]][]x]*\n",
        b"*a*a*a*ab\n",
    ]


def _tensors(content: bytes) -> None:
    warnings.simplefilter("ignore")  # NumPy's, about old headers
    for read in (read_npy, read_tensor, lambda each: read_npz(each, None, _MOST_BYTES)):
        with suppress(InvalidFileError):
            read(content)


def _tensor_files() -> Sequence[bytes]:
    arrays = [np.arange(6.0).reshape(2, 3), np.array([True]), np.array(["a", "bc"], object), np.zeros((0, 2), np.int8)]
    stream = io.BytesIO()
    np.savez_compressed(stream, a=arrays[0], b=arrays[1])
    numbers = [array for array in arrays if array.dtype.kind != "O"]
    return [*map(write_npy, arrays), *map(write_tensor, numbers), write_npz({"a": arrays[0]}), stream.getvalue()]


# ---- programs --------------------------------------------------------------------------------------------------------
def _parser(content: bytes) -> None:
    tree_checks.check(content.decode(errors="replace"))


def _formatter(content: bytes) -> None:
    text = content.decode(errors="replace")
    formatted = format_text(text)
    assert _pieces(formatted) == _pieces(text)
    assert format_text(formatted) == formatted


def _pieces(text: str) -> tuple[list[str], list[str]]:
    found = tokenize(text)
    return (
        [token.spelling(text) for token in found.tokens],
        [text[comment.start : comment.end].rstrip() for comment in found.comments],
    )


def _diagnostics(text: str) -> tuple[Diagnostic, ...]:
    return Workspace(MemoryReader({_PATH: text})).snapshot().diagnostics(_PATH)


def _fixes(content: bytes) -> None:
    text = content.decode(errors="replace")
    fixed = fix_text(text, _diagnostics, lambda found: found.fix is not None)
    if fixed.count == 0:
        assert fixed.text == text
    if not fixed.is_complete:
        return
    again = fix_text(fixed.text, _diagnostics, lambda found: found.fix is not None)
    assert again.text == fixed.text


def _incremental(content: bytes) -> None:
    """Type the text in pieces, in an order that its bytes decide; compare each state with a fresh start."""
    text = content.decode(errors="replace")
    chance = random.Random(content)
    workspace = Workspace(MemoryReader({_PATH: text}))
    for _ in range(3):
        workspace.snapshot().diagnostics(_PATH)
        begin = chance.randrange(len(text) + 1)
        end = min(len(text), begin + chance.choice((0, 1, 5, 40)))
        at = chance.randrange(len(text) + 1)
        text = Edit(Span(begin, end), text[at : at + chance.choice((0, 1, 5, 40))]).apply(text)
        workspace.open(_PATH, text)
    assert workspace.snapshot().diagnostics(_PATH) == _diagnostics(text)


def _programs() -> Sequence[bytes]:
    paths = [*(ROOT / "examples").rglob("*.sknd"), *(ROOT / "tests" / "fixtures").rglob("*.sknd")]
    programs = [path.read_bytes() for path in sorted(paths)]
    return [content for content in programs if len(content) < 4_000]


TARGETS = {
    "configuration": Target(_configuration, _configurations),
    "patterns": Target(_patterns, _ignore_files),
    "tensors": Target(_tensors, _tensor_files),
    "parser": Target(_parser, _programs),
    "formatter": Target(_formatter, _programs),
    "fixes": Target(_fixes, _programs),
    "incremental": Target(_incremental, _programs),
    "nnef1": Target(models.attack_text, models.texts),
    "archives": Target(models.attack_archive, models.archives),
    "protocol": Target(protocol.attack, protocol.seeds),
}
