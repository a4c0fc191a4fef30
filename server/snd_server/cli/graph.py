"""``snd graph``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from snd_server.cli.shared_options import argument_options, config_option, examples
from snd_server.commands.graph import GraphFormat, GraphRequest, draw
from snd_server.console.progress import busy
from snd_server.console.terminal import json_text, show, show_bytes, show_document
from snd_server.limits import ALL_LEVELS, DRAWING_SECONDS
from snd_server.render.drawings.graph_png import demand_png, graph_png
from snd_server.render.drawings.graph_svg import DrawingError
from snd_server.render.reports import full
from snd_server.running.arguments import ArgumentError
from snd_server.running.chosen_graph import ShapesError
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.model_folder import main_file
from snd_server.workspace_files.writing import write_file

if TYPE_CHECKING:
    from snd_server.commands.data_flow import FlowRequest

_FORMATS = [each.value for each in GraphFormat]
_ALL = "all"


@click.command(
    short_help="Draw a graph.",
    epilog=examples(
        "snd graph model/ -o model.svg",
        "snd graph model/ -o model.html --open 2",
    ),
)
@click.argument("path", metavar="PATH")
@click.option("--graph", metavar="NAME", help="The graph to draw; by default the first one that no other invokes.")
@click.option("--operator", metavar="NAME", help="With --cell: an operator of the file or, as in nn.conv, of a module.")
@click.option(
    "--cell", metavar="CELL",
    help="Draw the sources of a cell of an output, as y[0,2], or the uses of a cell of an input.",
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE", default="-",
    help="The file to write. The suffix selects the format: .svg, .png, .html, .dot or .json. '-' is standard output.",
)  # fmt: skip
@click.option("--format", "format", type=click.Choice(_FORMATS), help="Output format; overrides the suffix.")
@click.option(
    "--open", "levels", metavar="all|LEVEL", default="0",
    help="Open operators to this depth in .svg, .png and .dot; 0, all closed, by default. Operators of the library are "
    "opened by 'all' only.",
)  # fmt: skip
@argument_options
@click.option(
    "--theme", type=click.Choice(["auto", "light", "dark"]), default="auto",
    help="The colours of an .svg or .png; with 'auto', an .svg uses the reader's theme, and a .png is light.",
)  # fmt: skip
@click.option(
    "--time-limit", "seconds", metavar="SECONDS", type=click.FloatRange(min=0, min_open=True), default=DRAWING_SECONDS,
    help="Maximum number of seconds for drawing an .svg or .png; 60 by default.",
)  # fmt: skip
@config_option
def graph(
    path: str,
    graph: str | None,
    operator: str | None,
    cell: str | None,
    output: str,
    format: str | None,
    levels: str,
    attributes: tuple[str, ...],
    types: tuple[str, ...],
    inputs: tuple[str, ...],
    theme: str,
    seconds: float,
    config: str | None,
) -> int:
    """Compose a graph and draw it: operations, the tensors between them with their shapes, operators in operators.

    PATH is a file, the folder of a model, with main.sknd or graph.nnef, or an archive of it. An .html is a page by
    itself, with search and a view into operators. The exit status is 1 if the graph has mistakes; the parts that do not
    depend on them are drawn all the same.

    With --cell, the picture has a grid for each tensor. Sizes come from --attrib and --input, or else from the first
    sample.
    """
    path = main_file(path)
    chosen = _format(output, format)
    if cell is not None:
        if graph is not None and operator is not None:
            raise click.UsageError("give either --graph or --operator")
        from snd_server.commands.data_flow import FlowRequest

        asked = FlowRequest(path, cell, graph, operator, attributes, types, inputs, config)
        _write(_flow(asked, chosen, theme), output, chosen)
        return 0
    if operator is not None:
        raise click.UsageError("--operator goes with --cell")
    request = GraphRequest(path, graph, attributes, types, inputs, chosen, _levels(levels), theme, seconds, config)
    try:
        with busy("Drawing"):
            drawing = draw(request)
    except (ConfigError, ShapesError, DrawingError) as problem:
        raise click.ClickException(str(problem)) from problem
    if drawing.has_errors:
        show(full.render(drawing.report), err=True)
    _write(drawing.content, output, chosen)
    return 1 if drawing.has_errors else 0


def _flow(request: FlowRequest, format: GraphFormat, theme: str) -> bytes:
    if format in (GraphFormat.HTML, GraphFormat.DOT):
        raise click.UsageError("--cell draws .svg, .png and .json")
    from snd_server.commands.data_flow import data_flow
    from snd_server.running.data_flow import flow_content

    try:
        flow = data_flow(request)
        if format is GraphFormat.JSON:
            return json_text(flow_content(flow), 1).encode()
        from snd_server.render.drawings.flow_svg import flow_svg

        if format is GraphFormat.SVG:
            return flow_svg(flow, theme).encode()
        demand_png()
        return graph_png(flow_svg(flow, "light" if theme == "auto" else theme))
    except (ArgumentError, ConfigError, DrawingError) as problem:
        raise click.ClickException(str(problem)) from problem


def _write(content: bytes, output: str, format: GraphFormat) -> None:
    if output != "-":
        write_file(output, content)
    elif format is GraphFormat.PNG:
        show_bytes(content)
    else:
        show_document(content.decode())


def _format(output: str, wanted: str | None) -> GraphFormat:
    if wanted is not None:
        return GraphFormat(wanted)
    if output == "-":
        return GraphFormat.SVG
    suffix = Path(output).suffix.lower().removeprefix(".")
    if suffix not in _FORMATS:
        raise click.UsageError(f"-o {output}: the suffix must be .svg, .png, .html, .dot or .json; or give --format")
    return GraphFormat(suffix)


def _levels(text: str) -> int:
    if text == _ALL:
        return ALL_LEVELS
    if not text.isdecimal() or not text.isascii():
        raise click.UsageError(f"--open {text}: this must be 'all' or a number")
    return min(int(text[:4]), ALL_LEVELS)
