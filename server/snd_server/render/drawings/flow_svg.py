"""Data flow as a picture: a grid for each tensor, in which the cells are filled that take part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import product

from msgspec import Struct

from snd_analysis.compose.formulas import FlowCell
from snd_analysis.ide.data_flow import DataFlow, Direction, TensorCells, cells_text, flow_lines
from snd_server.limits import MOST_FLOW_GRIDS, MOST_FLOW_LINES

_LIGHT = {"background": "#ffffff", "text": "#1f2733", "grid": "#c3cad4", "of": "#0b6bcb", "cell": "#f0a066"}
_DARK = {"background": "#1f2228", "text": "#e3e7ee", "grid": "#4a5260", "of": "#58a6ff", "cell": "#b0692f"}
_WIDEST, _LARGEST_CELL, _MARGIN, _LINE = 420, 16, 16, 18


class _Box(Struct, frozen=True):
    text: str
    width: float
    height: float


def flow_svg(flow: DataFlow, theme: str) -> str:
    """Return the picture: the cell that is asked for on the side where its tensor stands, from inputs to outputs."""
    of = [_drawn(flow.of, "of")]
    others = [_drawn(each, "cell") for each in flow.tensors]
    columns = [others, of] if flow.direction is Direction.READS else [of, others]
    width, bodies = float(_MARGIN), []
    for column in columns:
        top = float(_MARGIN)
        for box in column:
            bodies.append(f'<g transform="translate({width:g},{top:g})">{box.text}</g>')
            top += box.height + _MARGIN
        width += max((box.width for box in column), default=0.0) + 3 * _MARGIN
    height = max(sum(box.height + _MARGIN for box in column) for column in columns) + _MARGIN
    lines = "".join(f"<title>{escape(line)}</title>" for line in [" · ".join(flow_lines(flow))])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" class="flow">{lines}<style>{flow_style(theme)}</style>'
        f'<rect class="back" width="100%" height="100%"/>{"".join(bodies)}</svg>\n'
    )


def flow_style(theme: str) -> str:
    """Return the rules of a picture of data flow: of one theme, or of that of the reader (``auto``)."""

    def rules(colours: dict[str, str]) -> str:
        return (
            f".flow .back{{fill:{colours['background']}}}.flow text{{fill:{colours['text']}}}"
            f".flow .grid{{stroke:{colours['grid']};fill:none}}"
            f".flow .of{{fill:{colours['of']}}}.flow .cell{{fill:{colours['cell']}}}"
            f".flow .edge{{stroke:{colours['of']};fill:none}}"
        )

    font = ".flow text{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px}"
    if theme == "auto":
        return f"{font}{rules(_LIGHT)}@media (prefers-color-scheme:dark){{{rules(_DARK)}}}"
    return font + rules(_DARK if theme == "dark" else _LIGHT)


def _drawn(tensor: TensorCells, kind: str) -> _Box:
    shape = [extent or 0 for extent in tensor.shape]
    title = f"{cells_text(tensor.name, tensor.cells, tensor.shape)} of [{','.join(map(str, shape))}]"
    grids = list(_grids(tensor, shape))
    parts = [f'<text y="12">{escape(title)}</text>']
    top, width = float(_LINE), 7.4 * len(title)
    for label, cells in grids[:MOST_FLOW_GRIDS]:
        if label:
            parts.append(f'<text y="{top + 12:g}">{escape(label)}</text>')
            top += _LINE
        rows, columns = [1, 1, *shape][-2:]
        grid = _grid(cells, rows, columns, kind)
        parts.append(f'<g transform="translate(0,{top:g})">{grid.text}</g>')
        top += grid.height + 6
        width = max(width, grid.width)
    if len(grids) > MOST_FLOW_GRIDS:
        parts.append(f'<text y="{top + 12:g}">and {len(grids) - MOST_FLOW_GRIDS} more</text>')
        top += _LINE
    return _Box("".join(parts), width, top)


def _grids(tensor: TensorCells, shape: Sequence[int]) -> Iterator[tuple[str, set[tuple[int, int]]]]:
    """Yield the cells of each slice along the last two dimensions that has any, and which slice it is."""
    found: dict[FlowCell, set[tuple[int, int]]] = {}
    for cell in tensor.cells:
        padded = (0,) * (2 - len(cell)) + cell
        rows, columns = [1, 1, *shape][-2:]
        ranges = [
            range(extent) if index is None else (index,)
            for index, extent in zip(padded[-2:], (rows, columns), strict=True)
        ]
        found.setdefault(padded[:-2], set()).update((row, column) for row, column in product(*ranges))
    for at in sorted(found, key=lambda each: [-1 if index is None else index for index in each]):
        inner = "".join("*," if index is None else f"{index}," for index in at)
        yield f"{tensor.name}[{inner}:,:]" if at else "", found[at]


def _grid(cells: set[tuple[int, int]], rows: int, columns: int, kind: str) -> _Box:
    size = max(1.0, min(_LARGEST_CELL, _WIDEST / max(rows, columns, 1)))
    parts = [
        f'<rect class="{kind}" x="{size * first:g}" y="{size * row:g}" width="{size * count:g}" height="{size:g}"/>'
        for row, first, count in _runs(cells)
    ]
    width, height = size * columns, size * rows
    lines = ""
    if rows + columns <= MOST_FLOW_LINES:
        lines = "".join(f"M{size * at:g} 0V{height:g}" for at in range(1, columns))
        lines += "".join(f"M0 {size * at:g}H{width:g}" for at in range(1, rows))
    parts.append(f'<path class="grid" d="M0 0H{width:g}V{height:g}H0Z{lines}"/>')
    return _Box("".join(parts), width, height)


def _runs(cells: set[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Yield row, first column and length of each run of cells in a row."""
    first: tuple[int, int] | None = None
    count = 0
    for row, column in sorted(cells):
        if first is not None and (row, column) == (first[0], first[1] + count):
            count += 1
            continue
        if first is not None:
            yield *first, count
        first, count = (row, column), 1
    if first is not None:
        yield *first, count
