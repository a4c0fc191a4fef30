"""``snd shapes``."""

from __future__ import annotations

import shutil
import sys

import click
from msgspec.structs import replace

from snd_server.cli.color import color_option
from snd_server.cli.shared_options import argument_options, config_option, examples
from snd_server.commands.shapes import ShapesRequest, run_shapes
from snd_server.console.colours import painter, plain
from snd_server.console.progress import busy
from snd_server.console.terminal import show, show_document
from snd_server.running.chosen_graph import ShapesError
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.model_folder import main_file

_NARROWEST = 40


@click.command(
    short_help="Show the shape of every tensor in a graph.",
    epilog=examples(
        "snd shapes model/ --input x=8,3,224,224",
    ),
)
@click.argument("path", metavar="PATH")
@click.option("--graph", metavar="NAME", help="The graph to compose; by default the first one that no other invokes.")
@argument_options
@click.option(
    "--decompose", metavar="all|none|NAME,...", default="none",
    help="Show the operations inside composed operators; none by default.",
)  # fmt: skip
@click.option(
    "--format", "format", type=click.Choice(["table", "json"]), default="table", help="Output format; table by default."
)
@color_option
@config_option
def shapes(
    path: str,
    graph: str | None,
    attributes: tuple[str, ...],
    types: tuple[str, ...],
    inputs: tuple[str, ...],
    decompose: str,
    format: str,
    config: str | None,
) -> int:
    """Compose a graph and show its tensors, their shapes and sizes, and its operations.

    PATH is a file, the folder of a model, with main.sknd or graph.nnef, or an archive of it. The exit status is 1 if
    the graph has mistakes; the parts that do not depend on them are shown all the same.
    """
    path = main_file(path)
    request = ShapesRequest(path, graph, attributes, types, inputs, decompose, format, config)
    if format == "table":
        request = replace(request, paint=painter(sys.stdout) or plain)
    if format == "table" and sys.stdout.isatty():
        request = replace(request, width=max(_NARROWEST, shutil.get_terminal_size().columns))
    try:
        with busy("Composing"):
            output, status = run_shapes(request)
    except (ConfigError, ShapesError) as problem:
        raise click.ClickException(str(problem)) from problem
    show_document(output) if format == "json" else show(output)
    return status
