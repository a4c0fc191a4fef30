"""``snd run``."""

from __future__ import annotations

from math import isnan

import click

from snd_server.cli.color import color_option
from snd_server.cli.seconds import seconds
from snd_server.cli.shared_options import (
    attribute_options,
    config_option,
    demand_path,
    examples,
    memory_option,
    pulse_option,
    seed_option,
    weight_options,
)
from snd_server.extras import MissingExtraError


@click.command(
    short_help="Run a graph or an operator.",
    epilog=examples(
        "snd run model/ --input image=@cat.npy --output results/",
        "snd run --operator nn.softmax --input 'x=[1.0, 2.0]'",
        "snd run model/ --weights trained.safetensors --expect y=@y.npy",
    ),
)
@click.argument("path", metavar="[PATH]", required=False)
@click.option("--graph", metavar="NAME", help="The graph to run; by default the first one that no other invokes.")
@click.option("--operator", metavar="NAME", help="Run an operator instead, of the file or, as in nn.relu, of a module.")
@attribute_options
@click.option(
    "--input", "inputs", multiple=True, metavar="NAME=VALUE",
    help="Give an input a value: a number, a nested list, @FILE.npy, @FILE.npz:KEY, @FILE.dat, random[2,3], iota[2,3], "
    "zeros[2,3] or ones[2,3]; the first tensor of a pack is NAME:0. Other inputs are random.",
)  # fmt: skip
@weight_options("Run")
@click.option("--map", metavar="FILE", help="Rename weights by the rules in this TOML file.")
@click.option(
    "--write-map", metavar="FILE",
    help="Run nothing: write rules for --map that pair the weights with the variables by name and shape.",
)  # fmt: skip
@click.option(
    "--steps", type=click.IntRange(min=1), default=1, metavar="N",
    help="Run N times; variables keep what @update gives them.",
)  # fmt: skip
@click.option(
    "--state", metavar="FILE",
    help="Take the variables that @update changes from this .safetensors or .npz file, if it is there, and write them "
    "to it after the run.",
)  # fmt: skip
@pulse_option
@click.option("--save-weights", metavar="FILE", help="Write all variables to this .safetensors or .npz file.")
@click.option(
    "--expect",
    multiple=True,
    metavar="NAME=@FILE",
    help="Compare an output with a file; exit with status 1 if they differ.",
)
@click.option(
    "--tolerance", type=click.FloatRange(min=0), default=1e-5, metavar="X",
    help="Allowed difference of elements, relative to 1 and to the expected value; 1e-5 by default.",
)  # fmt: skip
@click.option(
    "--engine", type=click.Choice(["snd", "onnxruntime"]), default="snd",
    help="Program that computes: snd, or onnxruntime with snd for operators that ONNX can't express.",
)  # fmt: skip
@seed_option
@click.option("--real", type=click.Choice(["f32", "f64"]), default="f32", help="Precision of reals; f32 by default.")
@click.option("--output", metavar="DIR", help="Write every output there, as NAME.npy; those of packs as NAME.0.npy.")
@click.option(
    "--quantize", is_flag=True, help="Quantize the tensors that @quantize names as soon as they are computed."
)
@click.option("--trace", is_flag=True, help="Show every intermediate tensor, too.")
@click.option(
    "--timeout",
    type=float,
    callback=seconds,
    metavar="S",
    help="Maximum number of seconds for the run, and for checking the files before it.",
)
@memory_option
@click.option(
    "--format", "format", type=click.Choice(["table", "json"]), default="table", help="Output format; table by default."
)
@color_option
@config_option
def run(
    path: str | None,
    graph: str | None,
    operator: str | None,
    attributes: tuple[str, ...],
    types: tuple[str, ...],
    inputs: tuple[str, ...],
    weights: str | None,
    strict: bool | None,
    map: str | None,
    write_map: str | None,
    steps: int,
    state: str | None,
    pulse: tuple[str, int] | None,
    save_weights: str | None,
    expect: tuple[str, ...],
    tolerance: float,
    engine: str,
    seed: int,
    real: str,
    output: str | None,
    quantize: bool,
    trace: bool,
    timeout: float | None,
    memory: int,
    format: str,
    config: str | None,
) -> int:
    """Run a graph or an operator, and show its outputs.

    PATH is a file, the folder of a model, with main.sknd or graph.nnef, or an archive of it. An operator of the
    library, as in --operator nn.relu, needs none. Exit status 1 says that there are mistakes, or that the run
    failed or went beyond its limits.
    """
    if graph is not None and operator is not None:
        raise click.UsageError("give either --graph or --operator")
    demand_path(output, "--output", "a folder")
    demand_path(state, "--state", "a file that is read, too")
    if isnan(tolerance):
        raise click.BadParameter("nan is not a number", param_hint="'--tolerance'")
    _limit_threads()
    from snd_server.commands.run import propose_and_show, run_and_show
    from snd_server.running.arguments import ArgumentError
    from snd_server.running.evaluate import RunRequest
    from snd_server.workspace_files.config_error import ConfigError
    from snd_server.workspace_files.model_folder import main_file

    path = _library_file(operator) if path is None else main_file(path)
    request = RunRequest(
        path, graph, operator, attributes, types, inputs, weights, seed, real == "f64", output, quantize, trace,
        timeout, memory << 20, config, map, steps, state, save_weights, expect, tolerance, engine,
        strict, pulse=pulse,
    )  # fmt: skip
    try:
        if write_map is not None:
            return propose_and_show(request, write_map)
        return run_and_show(request, format)
    except (ArgumentError, ConfigError, MissingExtraError) as problem:
        raise click.ClickException(str(problem)) from problem


def _limit_threads() -> None:
    """Limit threads before NumPy is loaded: the worker is a copy of this process."""
    from snd_runtime.worker import ProcessLimits, limit_threads, thread_count

    limit_threads(thread_count(ProcessLimits()))


def _library_file(operator: str | None) -> str:
    """Return the path of the module that has an operator of the library. Raise UsageError for another."""
    if operator is None:
        raise click.UsageError("Missing argument 'PATH'.")
    from snd_server.running.definitions import library_path

    path = library_path(operator)
    if path is None:
        raise click.UsageError(f"--operator {operator}: only operators of the library, as nn.relu, need no PATH")
    return path
