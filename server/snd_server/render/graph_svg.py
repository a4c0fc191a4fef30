"""A graph as an SVG file: the drawing of the editors, run by a JavaScript engine without a page."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

_LONGEST_SECONDS = 300


class DrawingError(Exception):
    """A drawing could not be made."""


def engine() -> str:
    """What lays out and draws (``vscode-extension/src/graph``)."""
    return files("snd_server").joinpath("drawing", "graph-engine.js").read_text(encoding="utf-8")


def graph_svg(content: dict[str, Any], levels: int, theme: str) -> str:
    """The drawing of a graph view, with so many levels of operators open. Raises DrawingError."""
    try:
        from py_mini_racer import MiniRacer
    except ImportError as missing:
        raise DrawingError(
            "an .svg is drawn by the package mini-racer, which is not installed: pip install 'snd[svg]'; "
            "a page (-o FILE.html) or -o FILE.dot needs nothing"
        ) from missing
    model = json.dumps(json.dumps(content))
    try:
        context = MiniRacer()
        context.eval(f"{engine()};0")
        context.eval(f"sndGraph.draw({model}, {levels}, {json.dumps(theme)});0", timeout_sec=_LONGEST_SECONDS)
        drawn, failed = context.eval("sndGraph.result"), context.eval("sndGraph.error")
    except Exception as problem:  # of many kinds, which the package has no common name for in all of its versions
        raise DrawingError(f"the drawing could not be made: {str(problem).splitlines()[0][:200]}") from problem
    if not isinstance(drawn, str):
        raise DrawingError(f"the drawing could not be made: {failed or 'nothing came out'}")
    return drawn
