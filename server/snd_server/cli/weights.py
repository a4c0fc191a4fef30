"""``snd weights``."""

from __future__ import annotations

import click

from snd_server.cli.shared_options import examples, memory_option
from snd_server.running.arguments import ArgumentError


@click.command(
    short_help="List the tensors of a file of weights.",
    epilog=examples("snd weights model.safetensors", "snd weights model.pt2 --format json"),
)
@click.argument("file", metavar="FILE")
@click.option(
    "--format",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Print the list as text, the default, or as JSON.",
)
@memory_option
def weights(file: str, format: str, memory: int) -> int:
    """List the tensors of a file of weights: names, types, shapes, ranges and NaN.

    FILE is an .npz, .npy, .safetensors or .dat file, an ONNX model, or a .pt2 file of PyTorch. Tensors are read one
    after the other, where the format allows it, and no code of a file is executed.
    """
    from snd_server.commands.weights import run_weights

    try:
        return run_weights(file, format, memory << 20)
    except ArgumentError as problem:
        raise click.ClickException(str(problem)) from problem
