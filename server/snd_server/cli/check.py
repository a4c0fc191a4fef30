"""``snd check``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from snd_server.checking.request import CheckRequest
from snd_server.cli.color import color_option
from snd_server.cli.shared_options import examples, pulse_option
from snd_server.cli.stdin_name import stdin_name
from snd_server.commands.check import run_check
from snd_server.extras import MissingExtraError
from snd_server.render import FORMATS
from snd_server.settings.rule_selection import RuleSettings, UnknownRuleError, demand_known
from snd_server.workspace_files.config_error import ConfigError
from snd_server.workspace_files.discovery import MissingPathError

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _rule_names(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(name.strip() for value in values for name in value.split(",") if name.strip())
    try:
        demand_known(names)
    except UnknownRuleError as error:
        raise click.BadParameter(str(error)) from error
    return names


def _rules_option(flag: str, text: str) -> Callable[[_Command], _Command]:
    return click.option(flag, multiple=True, metavar="RULE", callback=_rule_names, help=text)


@click.command(
    short_help="Find the mistakes in SkriptND and NNEF 1.0 files.",
    epilog=examples(
        "snd check models/",
        "snd check --fix main.sknd",
        "snd check --format github --error-on-warning",
    ),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--format", "format", type=click.Choice(list(FORMATS)), default="full", help="Output format; full by default."
)
@_rules_option("--select", "Report these rules only (several: comma-separated or repeated; 'all').")
@_rules_option("--ignore", "Do not report these rules.")
@_rules_option("--error", "Report these rules as errors.")
@_rules_option("--warn", "Report these rules as warnings.")
@click.option("--fix", is_flag=True, help="Apply the fixes that cannot change what a program means.")
@click.option("--unsafe-fixes", is_flag=True, help="Include the other fixes in --fix and --diff.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--proofs", is_flag=True, help="Prove or refute the conditions of each operator for all sizes.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes.")
@click.option("--statistics", is_flag=True, help="Count the problems of each rule instead of showing them.")
@click.option("--no-cache", is_flag=True, help="Neither use nor store the results of earlier runs.")
@color_option
@click.option("--config", metavar="FILE", help="Use this configuration for every file.")
@pulse_option
@click.option("--exit-zero", is_flag=True, help="Exit with status 0 even if there are errors.")
@click.option("--error-on-warning", is_flag=True, help="Exit with status 1 if there are warnings.")
@click.option("--output-file", metavar="FILE", help="Write the output into this file instead of standard output.")
@click.option("--stdin-filename", metavar="NAME", help="Check standard input (PATH is -) as if it were this file.")
@click.option("-q", "--quiet", is_flag=True, help="Print only diagnostics.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Show hints, and log the work of snd to standard error.",
)
def check(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    error: tuple[str, ...],
    warn: tuple[str, ...],
    watch: bool,
    no_cache: bool,
    stdin_filename: str | None,
    **options: Any,
) -> int:
    """Find the mistakes in SkriptND and NNEF 1.0 files.

    PATH is a file, an archive of a model (.nnef.tgz, .tar), a folder that is searched for all of these (files named by
    .gitignore are skipped), or - for standard input. Without PATH the current folder is checked.
    """
    both = set(error) & set(warn)
    if both:
        raise click.UsageError(f"'{min(both)}' is given to both --error and --warn")
    request = CheckRequest(
        paths=paths or (".",),
        stdin_filename=stdin_name(paths, stdin_filename),
        rules=RuleSettings(select=select or None, ignore=ignore, error=error, warn=warn),
        use_cache=not no_cache,
        **options,
    )
    _demand_consistent(request, watch)
    try:
        if watch:
            from snd_server.commands.watch import watch_and_check

            return watch_and_check(request)
        return run_check(request)
    except (ConfigError, MissingExtraError, MissingPathError) as problem:
        raise click.ClickException(str(problem)) from problem


def _demand_consistent(request: CheckRequest, watch: bool) -> None:
    if request.fix and request.diff:
        raise click.UsageError("give either --fix or --diff")
    if watch and (request.stdin_filename is not None or request.diff or request.output_file is not None):
        raise click.UsageError("--watch can't be combined with standard input, --diff or --output-file")
    if request.statistics and request.format not in ("full", "concise", "json"):
        raise click.UsageError("--statistics needs --format full, concise or json")
    if request.quiet and request.verbose:
        raise click.UsageError("give either --quiet or --verbose")
