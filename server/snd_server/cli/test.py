"""``snd test``."""

from __future__ import annotations

from typing import Any

import click

from snd_server.checking.request import CheckRequest
from snd_server.cli.color import color_option
from snd_server.cli.seconds import seconds
from snd_server.cli.stdin_name import stdin_name
from snd_server.commands.test_samples import SamplesRequest, UpdateRefusedError, run_samples
from snd_server.render import FORMATS
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.discovery import MissingPathError


@click.command(short_help="Run the samples in the comments of SkriptND files.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--update", is_flag=True, help="Record the results that there are in place of those that differ.")
@click.option("--format", "format", type=click.Choice(list(FORMATS)), default="full", help="How to show failures.")
@click.option("--real", type=click.Choice(["f32", "f64"]), default="f32", help="How exact reals are.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="For what is random.")
@click.option(
    "--timeout", type=float, callback=seconds, default=5.0, metavar="S", show_default=True,
    help="Seconds that one sample may take.",
)  # fmt: skip
@click.option(
    "--memory", type=click.IntRange(min=1), default=1024, metavar="MB", show_default=True,
    help="Megabytes that the tensors of one sample may take.",
)  # fmt: skip
@color_option
@click.option("--config", metavar="FILE", help="Use this configuration for every file.")
@click.option("--exit-zero", is_flag=True, help="Exit with status 0 even if samples fail.")
@click.option("--error-on-warning", is_flag=True, help="Exit with status 1 if there are samples without results.")
@click.option("--output-file", metavar="FILE", help="Write there instead of to standard output.")
@click.option("--stdin-filename", metavar="NAME", help="Test standard input (PATH is -) as if it were this file.")
@click.option("-q", "--quiet", is_flag=True, help="Print failures and nothing else.")
@click.option("-v", "--verbose", is_flag=True, help="Show on standard error what snd does.")
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
