"""``snd mcp``."""

from __future__ import annotations

from importlib.util import find_spec

import click

from snd_server.cli.shared_options import examples


@click.command(
    short_help="Serve coding agents: tools over the Model Context Protocol.",
    epilog=examples(
        "snd mcp --root models/",
    ),
)
@click.option(
    "--root", type=click.Path(exists=True, file_okay=False), default=".", metavar="DIR",
    help="The only folder whose files are read, and the one that paths are relative to; by default the current one.",
)  # fmt: skip
def mcp(root: str) -> None:
    """Serve the tools check, shapes, run, explain_rule, explain_operator and convert over standard input and output.

    Nothing outside of the root is read, and nothing is written; each tool has limits of time and output. Needs the
    extra snd[mcp].
    """
    if find_spec("mcp") is None:
        raise click.ClickException("this needs the package mcp: pip install mcp installs it")
    from snd_server.mcp.server import serve

    serve(root)
