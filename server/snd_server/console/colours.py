"""Colours of a terminal: whether a stream shows them, and text in a style."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO

Paint = Callable[[str, str], str]
"""A function of a style, in the words of rich, and a text: returns the text in that style."""

READABLE = {"red": "color(160)", "yellow": "color(130)", "blue": "color(32)", "cyan": "color(30)", "green": "color(28)"}
"""Replacements of the basic colours on terminals with more than 16 colours, readable on light and dark backgrounds.

Themes choose the 16 basic colours. In many themes yellow is unreadable on white, and blue on black.
"""


def plain(style: str, text: str) -> str:
    """Return the text without colours."""
    return text


def paint() -> Paint:
    """Return the function that colours text for standard output; ``plain`` outside a terminal."""
    return painter(sys.stdout) or plain


def painter(stream: TextIO) -> Paint | None:
    """Return a function that colours text for the stream; None if the stream or the user wants no colours.

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
    """Return the value of ``--color``; None if the option is not given."""
    import click

    context = click.get_current_context(silent=True)
    return None if context is None else context.color
