"""``snd lsp``."""

from __future__ import annotations

import click


@click.command(short_help="Serve editors: the language server.")
@click.option("--stdio", is_flag=True, help="Talk over standard input and output; this is the default.")
@click.option("--tcp", metavar="HOST:PORT", help="Wait for one client on this address instead.")
def lsp(stdio: bool, tcp: str | None) -> int:
    """Run the language server for one client."""
    from snd_server.lsp.server import SndServer

    server = SndServer()
    if tcp is None:
        server.start_io()
        return 0
    host, _, port = tcp.rpartition(":")
    if not port.isdigit():
        raise click.UsageError(f"'{tcp}' is no address: it is HOST:PORT, or just a port")
    server.start_tcp(host or "127.0.0.1", int(port))
    return 0
