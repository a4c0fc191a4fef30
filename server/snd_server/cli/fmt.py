"""``snd fmt``."""

from __future__ import annotations

import click

from snd_server.cli.shared_options import examples
from snd_server.commands.format import FormatRequest, run_format
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.discovery import MissingPathError

_WIDEST_LINE = 400


@click.command(
    short_help="Format SkriptND and NNEF 1.0 files.",
    epilog=examples(
        "snd fmt --check models/",
        "snd fmt main.sknd",
    ),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--check", is_flag=True, help="Change nothing; exit with status 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Show the changes without writing them; exit status as with --check.")
@click.option(
    "--width",
    type=click.IntRange(1, _WIDEST_LINE),
    metavar="N",
    help="Maximum number of columns of a line; overrides the configuration.",
)
@click.option("--config", metavar="FILE", help="Use this configuration for every file.")
@click.option("--stdin-filename", metavar="NAME", help="Format standard input (PATH is -) as if it were this file.")
@click.option("-q", "--quiet", is_flag=True, help="Print no summary.")
def fmt(
    paths: tuple[str, ...],
    check: bool,
    diff: bool,
    width: int | None,
    config: str | None,
    stdin_filename: str | None,
    quiet: bool,
) -> int:
    """Format SkriptND and NNEF 1.0 files in the canonical style.

    PATH is a file, a folder that is searched for *.sknd and *.nnef files (files named by .gitignore are skipped), or -
    for standard input, whose formatted text goes to standard output. Without PATH the current folder is formatted.
    Statements with broken syntax stay unchanged.
    """
    if "-" in paths and len(paths) > 1:
        raise click.UsageError("standard input (-) can't be formatted together with files")
    if stdin_filename is not None and paths != ("-",):
        raise click.UsageError("--stdin-filename names standard input: give - as PATH")
    request = FormatRequest(paths or (".",), check, diff, width, config, quiet, stdin_filename)
    try:
        return run_format(request)
    except (ConfigError, MissingPathError) as problem:
        raise click.ClickException(str(problem)) from problem
