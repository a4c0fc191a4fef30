"""``snd lsp``."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import logging
import os
import sys

import click

from snd_server.cli.shared_options import examples
from snd_server.console.terminal import say

# Reading a message must not wait for the analysis longer than this.
_SWITCH_SECONDS = 0.0002


@click.command(short_help="Serve editors: the language server.", epilog=examples("snd lsp --tcp 127.0.0.1:2087"))
@click.option("--stdio", is_flag=True, help="Talk over standard input and output; this is the default.")
@click.option(
    "--tcp", metavar="HOST:PORT", help="Wait for one client at this address; HOST is the loopback by default."
)
@click.option("--ws", metavar="HOST:PORT", help="Wait for one client that talks over a WebSocket at this address.")
@click.option("--pipe", metavar="PATH", help="Talk over this named pipe or Unix socket, at which the client listens.")
def lsp(stdio: bool, tcp: str | None, ws: str | None, pipe: str | None) -> None:
    """Run the language server for one client."""
    if sum((stdio, *(each is not None for each in (tcp, ws, pipe)))) > 1:
        raise click.UsageError("give only one of --stdio, --tcp, --ws and --pipe")
    given = tcp if tcp is not None else ws
    host, port = _address(given) if given is not None else ("", 0)
    if given is not None and not _is_local(host):
        say(
            f"warning: anyone who can reach '{host}' over the network can read files through this server",
            err=True,
        )
    if given is None and pipe is None and None in (sys.stdin, sys.stdout):
        raise click.ClickException("standard input or output is closed: editors talk to 'snd lsp' over them")
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s: %(message)s")
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs refused requests as faults; the server logs faults
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.disable()
    from snd_server.lsp.server import SndServer
    from snd_server.lsp.wire.transport import serve_pipe, serve_stdio, serve_tcp, serve_websocket

    server = SndServer()
    server.session.heap.loaded()
    if tcp is not None:
        serving = serve_tcp(server, host, port)
    elif ws is not None:
        serving = serve_websocket(server, host, port)
    elif pipe is not None:
        serving = serve_pipe(server, pipe)
    else:
        serving = serve_stdio(server)
    status = asyncio.run(serving)
    logging.shutdown()
    os._exit(status)  # at once: to take a large heap apart takes seconds, and is of use to nobody


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65_535:
        raise click.UsageError(f"'{text}' is not an address: write HOST:PORT or PORT")
    return host.strip("[]") or "127.0.0.1", int(port)


def _is_local(host: str) -> bool:
    """Return whether only programs of this machine reach an address. Names but ``localhost`` may mean anything."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
