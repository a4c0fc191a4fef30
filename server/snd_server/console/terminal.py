"""The only way in which snd prints: names and contents of files steer neither terminals nor CI systems.

Control characters become visible signs. CI systems read commands from the output of their jobs: ``::set-output …`` at
the beginning of a line, spaces aside, and ``##[…]`` or ``##vso[…]`` anywhere. A space takes the meaning from these.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable
from typing import Any, TextIO

import click

from snd_server.console.visible import visible

_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|##(?=\w*\[)", re.MULTILINE)
_CONTROL = re.compile(r"\r(?!\n)|[^\S\r\n\t ]|[^\s\x20-\x7e\xa1-\u024f]")
_NOT_PRINTED = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)

displays: list[Callable[[], None]] = []
"""Displays of progress: each function here clears its display, before anything is printed."""


def say(message: str, *, err: bool = False) -> None:
    """Print a message on one line."""
    _clear()
    click.echo(harmless(visible(message)), err=err)


def show(text: str, *, err: bool = False) -> None:
    """Print laid out and coloured text; the caller has made its names and texts visible."""
    _clear()
    click.echo(harmless(text), nl=False, err=err)


def show_document(text: str) -> None:
    """Print a document for programs, with exact characters, such as the formatted text of standard input."""
    _clear()
    sys.stdout.flush()
    click.echo(text, nl=False)


def show_bytes(content: bytes) -> None:
    """Print a file that is no text, such as a picture; nobody directs it to a terminal."""
    sys.stdout.buffer.write(content)
    sys.stdout.flush()


def _clear() -> None:
    for clear in displays:
        clear()


def harmless(text: str) -> str:
    """Return the text without commands for CI systems."""
    return _COMMAND.sub(lambda found: f"{found[1]}: " if found[0].endswith(":") else "## ", text)


def visible_lines(text: str) -> str:
    """Several lines, with a sign in place of each control character."""
    return "\n".join(map(visible, text.split("\n")))


def visible_diff(diff: str, stream: TextIO) -> str:
    """Return a diff as a stream may have it.

    A file gets each character, for ``patch``. Elsewhere, control characters but tabs and line breaks become signs.
    """
    if _is_file(stream):
        return diff
    return harmless(_CONTROL.sub(lambda found: visible(found[0]), diff))


def json_text(value: Any, indent: int | None = None) -> str:
    """Return JSON as one line, or indented, with a line break. Unprintable characters and ``##[`` are escaped."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    text = _NOT_PRINTED.sub(lambda found: json.dumps(found[0])[1:-1], text)
    return re.sub(r"(##\w*)\[", r"\1\\u005b", text) + "\n"


def _is_file(stream: TextIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False
