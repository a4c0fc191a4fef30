"""Where a report goes: a stream or a file, with colours if a person reads it."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

from msgspec.structs import replace

from snd_server.report import Paint, Report
from snd_server.request import CheckRequest
from snd_server.terminal import harmless

_FORMATS_FOR_PEOPLE = frozenset({"full", "concise"})

READABLE = {"red": "color(160)", "yellow": "color(130)", "blue": "color(32)", "cyan": "color(30)", "green": "color(28)"}
"""What stands for a colour where a terminal has more than 16: these can be read on light and on dark backgrounds.

Themes choose the 16 colours. Those of many have a yellow that can't be read on white, and a blue that can't on black.
"""


def write_output(text: str, stream: TextIO, request: CheckRequest, is_document: bool = False) -> None:
    """Write a report, or a document of which every character counts, to ``--output-file`` or the stream.

    Raises OSError.

    Formats for programs are UTF-8 whatever the locale; what a stream cannot hold is escaped.
    """
    if request.output_file is not None and stream is sys.stdout:
        from snd_server.writing import write_file

        write_file(request.output_file, text.encode(errors="backslashreplace"))
        return
    if isinstance(stream, io.TextIOWrapper):
        for_people = request.format in _FORMATS_FOR_PEOPLE and not request.fix
        stream.reconfigure(encoding=None if for_people else "utf-8", errors="backslashreplace")
    is_for_people = request.format in _FORMATS_FOR_PEOPLE and not is_document
    stream.write(harmless(text) if is_for_people else text)
    stream.flush()


def decorated(report: Report, stream: TextIO, request: CheckRequest) -> Report:
    """Return the report with the colours and the width of the terminal, if it goes to one."""
    if request.format not in _FORMATS_FOR_PEOPLE or (request.output_file is not None and stream is sys.stdout):
        return report
    paint = painter(stream)
    if stream.isatty() or paint:
        with suppress(OSError, ValueError):
            report = replace(report, width=max(40, os.get_terminal_size(stream.fileno()).columns))
    return replace(report, paint=paint) if paint else report


def painter(stream: TextIO) -> Paint | None:
    """Return how to colour text for the stream; None if the stream or the user wants no colours.

    ``--color`` outweighs NO_COLOR, and NO_COLOR outweighs FORCE_COLOR. rich knows TERM and the terminals of Windows.
    """
    chosen = _chosen()
    if chosen is False or (chosen is None and not (stream.isatty() or os.environ.get("FORCE_COLOR"))):
        return None
    from rich.color import ColorSystem
    from rich.console import Console
    from rich.style import Style

    console = Console(file=stream, force_terminal=True, no_color=None if chosen is None else False)
    if console.no_color or (console.color_system is None and chosen is None):
        return None
    system = {
        "256": ColorSystem.EIGHT_BIT,
        "truecolor": ColorSystem.TRUECOLOR,
        "windows": ColorSystem.WINDOWS,
    }.get(console.color_system or "", ColorSystem.STANDARD)
    exact = system in (ColorSystem.EIGHT_BIT, ColorSystem.TRUECOLOR)

    def paint(style: str, text: str) -> str:
        if exact:
            style = " ".join(READABLE.get(word, word) for word in style.split())
        return Style.parse(style).render(text, color_system=system) if style and text else text

    return paint


def _chosen() -> bool | None:
    """Return what ``--color`` says."""
    import click

    context = click.get_current_context(silent=True)
    return None if context is None else context.color
