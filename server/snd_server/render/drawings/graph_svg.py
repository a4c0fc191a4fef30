"""A graph as an SVG file: the drawing of the editors, run by a JavaScript engine without a page."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from typing import Any

from snd_server.limits import DRAWING_SECONDS, MOST_DRAWING_MEGABYTES
from snd_server.render.drawings import drawing_process

_OTHERWISE = "leave more operators closed (--open), or write a .dot or .json"


class DrawingError(Exception):
    """A drawing could not be made."""


def engine() -> str:
    """Return the code that lays out and draws (``vscode-extension/src/graph``)."""
    return files("snd_server").joinpath("drawing", "graph-engine.js").read_text(encoding="utf-8")


def graph_svg(
    content: dict[str, Any],
    levels: int,
    theme: str,
    seconds: float = DRAWING_SECONDS,
    megabytes: int = MOST_DRAWING_MEGABYTES,
) -> str:
    """Return the drawing of a graph view, with so many levels of operators open.

    Raise DrawingError, also if it takes longer or more memory than given.
    """
    try:
        import py_mini_racer  # noqa: F401
    except ImportError as missing:
        raise DrawingError(
            "an .svg needs the package mini-racer: pip install mini-racer installs it on x86-64 and ARM64. "
            "-o FILE.html, FILE.dot and FILE.json need no package"
        ) from missing
    request = {"engine": engine(), "model": content, "levels": levels, "theme": theme, "megabytes": megabytes}
    try:
        done = subprocess.run(
            # -P keeps modules beside that file from shadowing its imports.
            [sys.executable, "-P", drawing_process.__file__],
            input=json.dumps(request).encode(), capture_output=True, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as problem:
        raise DrawingError(f"the drawing took longer than {seconds:g} s (--time-limit): {_OTHERWISE}") from problem
    if done.returncode == 0:
        return done.stdout.decode()
    said = done.stderr.decode(errors="replace").strip()
    # A negative status is that of a signal: without memory, the engine ends at once.
    if done.returncode == drawing_process.OUT_OF_MEMORY or done.returncode < 0:
        if (limit := _address_space()) is not None:
            raise DrawingError(
                f"the drawing engine reserves more address space than the {limit >> 20:,} MB that are allowed here: "
                "lift that limit (ulimit -v unlimited), or write a .dot or .json"
            )
        raise DrawingError(f"the drawing took more than {megabytes} MB of memory: {_OTHERWISE}")
    if "call stack" in said:
        raise DrawingError(f"the graph is too large to be laid out: {_OTHERWISE}")
    raise DrawingError(f"the drawing could not be made: {said[:200] or 'nothing came out'}")


def _address_space() -> int | None:
    """Return the number of bytes of address space that a process may reserve, or None if they are not limited."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft
