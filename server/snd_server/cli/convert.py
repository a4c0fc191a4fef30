"""``snd convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from snd_server.console.progress import busy
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.model_folder import main_file

if TYPE_CHECKING:
    from snd_server.exchange.conversion import WeightsForm


@click.command(short_help="Turn a model in NNEF 1.0 or ONNX into a SkriptND model.")
@click.argument("model", metavar="MODEL")
@click.option("-o", "--output", metavar="DIR", required=True, help="The folder of the new model.")
@click.option("--force", is_flag=True, help="Write into the folder even if there is something in it.")
@click.option(
    "--weights", type=click.Choice(["dat", "npz", "safetensors"]), default="dat",
    help="Write the variables as weights/NAME.dat, weights.npz or weights.safetensors; 'dat' by default.",
)  # fmt: skip
@click.option("--verify", is_flag=True, help="Run both models on the same random inputs, and compare their outputs.")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Of these inputs; 0 by default.")
@click.option(
    "--memory", type=click.IntRange(min=1), default=4096, metavar="MB",
    help="How much memory the tensors may take; 4096 by default.",
)  # fmt: skip
@click.option(
    "--fix", "fixed", multiple=True, metavar="NAME=VALUE",
    help="Make an input of an ONNX model a constant, such as the shape of a reshape, or an extent a number.",
)  # fmt: skip
@click.option("--config", metavar="FILE", help="Use this configuration.")
@click.option("-q", "--quiet", is_flag=True, help="Print mistakes and nothing else.")
def convert(
    model: str,
    output: str,
    force: bool,
    weights: WeightsForm,
    verify: bool,
    seed: int,
    memory: int,
    fixed: tuple[str, ...],
    config: str | None,
    quiet: bool,
) -> int:
    """Turn a model in NNEF 1.0 or ONNX into a SkriptND model.

    MODEL is a graph.nnef, its folder, an archive of that, or a .onnx file. The new model is complete: main.sknd, and
    weights with the variables, where snd run finds them. Operations become operators of the standard library wherever
    these mean the same, others those of the modules nnef1, tract and onnx. Exit status 1 says that the model has
    mistakes, that nodes could not be translated (the rest is written), or, with --verify, that the outputs differ.
    """
    from snd_server.exchange.conversion import ConvertRequest, run_convert

    request = ConvertRequest(main_file(model), output, force, verify, seed, quiet, memory << 20, config, weights, fixed)
    try:
        with busy("Converting", shown=not quiet):
            return run_convert(request)
    except (ArgumentError, ConfigError) as problem:
        raise click.ClickException(str(problem)) from problem
