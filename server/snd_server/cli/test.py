"""``snd test``."""

from __future__ import annotations

from typing import Any

import click

from snd_server.checking.request import CheckRequest
from snd_server.cli.color import color_option
from snd_server.cli.seconds import seconds
from snd_server.cli.shared_options import examples
from snd_server.cli.stdin_name import stdin_name
from snd_server.commands.test_samples import SamplesRequest, UpdateRefusedError, run_samples
from snd_server.render import FORMATS
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.discovery import MissingPathError


@click.command(
    short_help="Run the samples in the comments of SkriptND files.",
    epilog=examples(
        "snd test operators.sknd",
        "snd test --update operators.sknd",
    ),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--update", is_flag=True, help="Replace recorded results that differ by the present results.")
@click.option(
    "--format", "format", type=click.Choice(list(FORMATS)), default="full", help="Output format; full by default."
)
@click.option("--real", type=click.Choice(["f32", "f64"]), default="f32", help="Precision of reals; f32 by default.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Seed of random values; 0 by default.")
@click.option(
    "--timeout", type=float, callback=seconds, default=5.0, metavar="S", show_default=True,
    help="Maximum number of seconds for one sample.",
)  # fmt: skip
@click.option(
    "--memory", type=click.IntRange(min=1), default=1024, metavar="MB", show_default=True,
    help="Maximum number of megabytes of the tensors of one sample.",
)  # fmt: skip
@color_option
@click.option("--config", metavar="FILE", help="Use this configuration for every file.")
@click.option("--exit-zero", is_flag=True, help="Exit with status 0 even if samples fail.")
@click.option("--error-on-warning", is_flag=True, help="Exit with status 1 if there are samples without results.")
@click.option("--output-file", metavar="FILE", help="Write the output into this file instead of standard output.")
@click.option("--stdin-filename", metavar="NAME", help="Test standard input (PATH is -) as if it were this file.")
@click.option("-q", "--quiet", is_flag=True, help="Print only failures.")
@click.option("-v", "--verbose", is_flag=True, help="Log the work of snd to standard error.")
def test(
    paths: tuple[str, ...],
    update: bool,
    real: str,
    seed: int,
    timeout: float,
    memory: int,
    stdin_filename: str | None,
    **options: Any,
) -> int:
    """Run the samples in the comments of SkriptND and NNEF 1.0 files.

    The results are compared with the recorded ones. PATH is a file, an archive of a model (.nnef.tgz, .tar), a folder
    that is searched for all of these (files named by .gitignore are skipped), or - for standard input. Without PATH the
    samples of the current folder are run. The exit status is 1 if a sample differs or fails.
    """
    if options["quiet"] and options["verbose"]:
        raise click.UsageError("give either --quiet or --verbose")
    name = stdin_name(paths, stdin_filename)
    if update and name is not None:
        raise click.UsageError("--update needs files: snd can't record results in standard input")
    output = CheckRequest(paths=paths or (".",), stdin_filename=name, **options)
    request = SamplesRequest(output, update, real, seed, timeout, memory)
    try:
        return run_samples(request)
    except (ConfigError, MissingPathError, UpdateRefusedError) as problem:
        raise click.ClickException(str(problem)) from problem
