"""``snd convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from snd_server.cli.shared_options import (
    config_option,
    demand_path,
    examples,
    memory_option,
    pulse_option,
    quiet_option,
    seed_option,
)
from snd_server.console.progress import busy
from snd_server.running.arguments import ArgumentError
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.model_folder import main_file

if TYPE_CHECKING:
    from snd_server.exchange.conversion_request import WeightsForm


@click.command(
    short_help="Turn a model in NNEF 1.0, ONNX or PyTorch into a SkriptND model.",
    epilog=examples(
        "snd convert resnet.onnx -o resnet",
        "snd convert model.nnef.tgz -o model --verify",
        "snd convert model.pt2 -o model",
    ),
)
@click.argument("model", metavar="MODEL")
@click.option("-o", "--output", metavar="DIR", help="The folder of the new model.")
@click.option("--force", is_flag=True, help="Write into the folder even if it is not empty.")
@click.option(
    "--weights", type=click.Choice(["dat", "npz", "safetensors"]), default="dat",
    help="Write the variables as weights/NAME.dat, weights.npz or weights.safetensors; 'dat' by default.",
)  # fmt: skip
@click.option(
    "--weights-from", metavar="PLACE",
    help="Take the values of the variables from this folder or file instead, as snd run --weights does.",
)  # fmt: skip
@click.option("--map", metavar="FILE", help="Rename these weights by the rules in this TOML file.")
@click.option(
    "--write-map", metavar="FILE",
    help="Convert nothing: write rules for --map that pair these weights with the variables by name and shape.",
)  # fmt: skip
@click.option(
    "--strict/--no-strict", default=True,
    help="Convert only if every variable has a weight in PLACE and every weight a variable, the default; or keep the "
    "model's own values, and ignore other weights.",
)  # fmt: skip
@click.option("--verify", is_flag=True, help="Run both models on the same random inputs, and compare their outputs.")
@seed_option
@memory_option
@click.option(
    "--fix", "fixed", multiple=True, metavar="NAME=VALUE",
    help="Replace an input of an ONNX model by a constant, or a symbolic extent by a number.",
)  # fmt: skip
@click.option(
    "--input", "inputs", multiple=True, metavar="TYPE",
    help="An example input of a Python function: [1,3,224,224], int[1,16], or [batch,3,224,224].",
)  # fmt: skip
@click.option(
    "--trust", is_flag=True, help="Execute Python: MODEL is MODULE:FUNCTION, or --verify loads a .pt2 file in PyTorch."
)
@pulse_option
@config_option
@quiet_option
def convert(
    model: str,
    output: str | None,
    force: bool,
    weights: WeightsForm,
    weights_from: str | None,
    map: str | None,
    write_map: str | None,
    strict: bool,
    verify: bool,
    seed: int,
    memory: int,
    fixed: tuple[str, ...],
    inputs: tuple[str, ...],
    trust: bool,
    pulse: tuple[str, int] | None,
    config: str | None,
    quiet: bool,
) -> int:
    """Turn a model in NNEF 1.0, ONNX or PyTorch into a SkriptND model.

    MODEL is a graph.nnef, its folder, an archive of that, a .onnx file, a .pt2 file of torch.export.save, or
    MODULE:FUNCTION, a Python function that returns a torch.nn.Module. The last needs --trust, since it executes
    Python. The new model is complete: main.sknd, and
    weights with the variables, where snd run finds them. Operations become operators of the standard library wherever
    these mean the same, and otherwise operators of the modules nnef1, tract and onnx. The exit status is 1 if the model
    has mistakes, if nodes could not be translated (the rest is written), or, with --verify, if the outputs differ.
    """
    from snd_server.exchange.conversion import run_convert
    from snd_server.exchange.conversion_request import ConvertRequest

    if output is None and write_map is None:
        raise click.UsageError("Missing option '-o' / '--output'.")
    demand_path(output, "--output", "a folder")
    request = ConvertRequest(
        main_file(model), output or "", force, verify, seed, quiet, memory << 20, config, weights, fixed,
        weights_from, map, write_map, trust, inputs, {}, strict, pulse,
    )  # fmt: skip
    try:
        with busy("Converting", shown=not quiet):
            return run_convert(request)
    except (ArgumentError, ConfigError) as problem:
        raise click.ClickException(str(problem)) from problem
