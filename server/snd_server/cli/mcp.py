"""``snd mcp``."""

from __future__ import annotations

from importlib.util import find_spec

import click


@click.command(short_help="Serve coding agents: tools over the Model Context Protocol.")
def mcp() -> None:
    """Serve the tools check, shapes, run, explain_rule, explain_operator and convert over standard input and output.

    Nothing is written; each tool has limits of time and output. Needs the extra snd[mcp].
    """
    if find_spec("mcp") is None:
        raise click.ClickException("this needs the package mcp: pip install 'snd[mcp]' installs it")
    from snd_server.mcp.server import serve

    serve()
