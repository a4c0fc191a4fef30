"""``snd export``."""

from __future__ import annotations

import click

from snd_server.cli.shared_options import (
    argument_options,
    config_option,
    examples,
    memory_option,
    quiet_option,
    seed_option,
    weight_options,
)
from snd_server.console.progress import busy
from snd_server.extras import MissingExtraError
from snd_server.running.arguments import ArgumentError
from snd_server.running.chosen_graph import ShapesError
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.model_folder import main_file


@click.command(
    short_help="Write a model as ONNX, NNEF 1.0 or PyTorch.",
    epilog=examples(
        "snd export model/ -o model.onnx --verify",
        "snd export model/ -o model.nnef.tgz --verify",
        "snd export model/ -o model.py",
    ),
)
@click.argument("path", metavar="PATH")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="The file to write: model.onnx, model.nnef.tgz or model.py.",
)
@click.option("--graph", metavar="NAME", help="The graph to export; by default the first one that no other invokes.")
@argument_options
@weight_options("Export")
@seed_option
@click.option(
    "--dialect", type=click.Choice(["tract", "khronos"]), default="tract",
    help="The dialect of a model in NNEF 1.0: the one that tract reads, the default, or the one of the text.",
)  # fmt: skip
@click.option("--flat", is_flag=True, help="Write no functions or fragments for the operators of the model itself.")
@click.option(
    "--quantize", is_flag=True, help="Quantize the tensors that @quantize names, by QDQ nodes where they fit."
)
@click.option(
    "--verify",
    is_flag=True,
    help="Run the file with onnxruntime, tract or PyTorch, and compare its outputs with snd's.",
)
@memory_option
@config_option
@quiet_option
def export(
    path: str,
    output: str,
    graph: str | None,
    attributes: tuple[str, ...],
    types: tuple[str, ...],
    inputs: tuple[str, ...],
    weights: str | None,
    strict: bool | None,
    seed: int,
    dialect: str,
    flat: bool,
    quantize: bool,
    verify: bool,
    memory: int,
    config: str | None,
    quiet: bool,
) -> int:
    """Write a graph as an ONNX file, a model in NNEF 1.0, or modules of PyTorch, with its weights.

    PATH is a file, the folder of a model, with main.sknd or graph.nnef, or an archive of it. The ending of FILE says
    the format: .nnef.tgz, .nnef.tar and .nnef are NNEF 1.0, .py is Python, others ONNX. Operators become standard
    nodes, operations or calls where the format has them, else functions or fragments of the file. Exit status 1 says
    that the model has mistakes, that operators can't be exported (all of them are listed), or, with --verify, that the
    outputs differ.
    """
    from snd_server.exchange.export_request import ExportRequest
    from snd_server.exchange.exporting import run_export

    request = ExportRequest(
        main_file(path), output, graph, attributes, types, inputs, weights, seed, dialect, flat, quantize, verify,
        quiet, memory << 20, config, strict,
    )  # fmt: skip
    try:
        with busy("Exporting"):
            return run_export(request)
    except (ArgumentError, ConfigError, MissingExtraError, ShapesError) as problem:
        raise click.ClickException(str(problem)) from problem
