"""A graph as a PNG file: its SVG drawing, painted by resvg."""

from __future__ import annotations

from snd_server.render.drawings.graph_svg import DrawingError

_SCALE = 2.0
"""Pixels for each unit of the drawing, so that text is sharp on screens of twice the usual density."""


def demand_png() -> None:
    """Raise DrawingError if the package that paints is not installed."""
    try:
        import resvg_py  # noqa: F401
    except ImportError as missing:
        raise DrawingError("a .png needs the package resvg-py: pip install resvg-py installs it") from missing


def graph_png(svg: str) -> bytes:
    """Return a drawing as a PNG. Raise DrawingError if it is too large to be painted."""
    import resvg_py

    # resvg does not know `white-space: pre`, which keeps the spaces between names and values.
    kept = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=kept, zoom=_SCALE))
    except ValueError as problem:
        raise DrawingError(f"the drawing can't be painted: {problem}") from problem
