"""Samples of an operator as a picture.

The input is above the output, and lines lead from each element to the elements that are computed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from snd_analysis.ide.data_flow import SampleFlow
from snd_server.render.drawings.flow_svg import flow_style

_CELL, _HEIGHT, _BETWEEN, _LINE, _MARGIN, _LETTER = 48, 24, 44, 20, 14, 7.4


def sample_flow_svg(flows: Sequence[SampleFlow], theme: str = "auto") -> str:
    """Return the picture: a row of cells for the input and one for the output of each sample, with their values."""
    bodies: list[str] = []
    width, top = 0.0, float(_MARGIN)
    for flow in flows:
        label = max(len(flow.source), len(flow.result)) * _LETTER + _MARGIN
        body, reach = _drawn(flow, label)
        bodies.append(f'<g transform="translate({_MARGIN},{top:g})">{body}</g>')
        width = max(width, reach, _LETTER * len(flow.invocation))
        top += _LINE + 2 * _HEIGHT + _BETWEEN + 2 * _MARGIN
    width += 2 * _MARGIN
    title = escape(f"Data flow of {', '.join(flow.invocation for flow in flows)}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{top:g}" '
        f'viewBox="0 0 {width:g} {top:g}" class="flow"><title>{title}</title><style>{flow_style(theme)}</style>'
        f'<rect class="back" width="100%" height="100%"/>{"".join(bodies)}</svg>\n'
    )


def _drawn(flow: SampleFlow, label: float) -> tuple[str, float]:
    above, below = _LINE, _LINE + _HEIGHT + _BETWEEN
    widest = max(len(flow.elements), len(flow.results)) * _CELL
    starts = [label + (widest - len(each) * _CELL) / 2 for each in (flow.elements, flow.results)]
    parts = [f'<text y="12">{escape(flow.invocation)}</text>']
    for name, values, left, y in (
        (flow.source, flow.elements, starts[0], above),
        (flow.result, flow.results, starts[1], below),
    ):
        parts.append(f'<text y="{y + 16}">{escape(name)}</text>')
        parts += (_cell(value, left + at * _CELL, y) for at, value in enumerate(values))
    lines = "".join(
        f"M{starts[0] + (element + 0.5) * _CELL:g} {above + _HEIGHT}L{starts[1] + (result + 0.5) * _CELL:g} {below}"
        for element, result in flow.edges
    )
    return "".join([*parts, f'<path class="edge" d="{lines}"/>' if lines else ""]), label + widest


def _cell(value: str, left: float, top: float) -> str:
    return (
        f'<rect class="grid" x="{left:g}" y="{top:g}" width="{_CELL}" height="{_HEIGHT}"/>'
        f'<text x="{left + _CELL / 2:g}" y="{top + 16:g}" text-anchor="middle">{escape(value)}</text>'
    )
