"""``snd mcp``: tools for coding agents over the Model Context Protocol, by its official SDK.

Every tool is a command of snd in a process of its own, with a limit of time and of output. None writes a file that the
client could see: conversion goes into a temporary folder, and its text is the result.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

from snd_server import __version__
from snd_server.limits import MOST_SOURCE_BYTES, MOST_TOOL_CHARACTERS, TOOL_SECONDS
from snd_server.workspace_files.reading import read_file

_READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def make_server() -> MCPServer:
    """Return the server with its tools."""
    server = MCPServer(
        "snd",
        version=__version__,
        instructions="Tools for models in SkriptND, NNEF 1.0 and ONNX: check them, show shapes, run and convert them.",
    )

    @server.tool(annotations=_READ_ONLY)
    async def check(path: str) -> str:
        """Find the mistakes in a file or folder of SkriptND or NNEF 1.0. Return JSON."""
        return await _snd("check", "--format", "json", _plain(path))

    @server.tool(annotations=_READ_ONLY)
    async def shapes(path: str, inputs: list[str] | None = None) -> str:
        """Show the shape of every tensor of a model as JSON. `inputs` are shapes such as "x=1,3,224,224"."""
        given = [word for each in inputs or () for word in ("--input", each)]
        return await _snd("shapes", "--format", "json", *given, _plain(path))

    @server.tool(annotations=_READ_ONLY)
    async def run(path: str, inputs: list[str] | None = None, operator: str | None = None) -> str:
        """Run a model, or an operator of its file, and show the outputs as JSON.

        `inputs` are values such as "x=[[1.0, 2.0]]" or "x=random[2,3]"; inputs that are not given are random.
        """
        given = [word for each in inputs or () for word in ("--input", each)]
        given += ["--operator", operator] if operator else []
        return await _snd("run", "--format", "json", "--timeout", str(TOOL_SECONDS // 2), *given, _plain(path))

    @server.tool(annotations=_READ_ONLY)
    async def explain_rule(name: str) -> str:
        """Explain a rule that `check` reports: summary, reason, and an example of each kind, in Markdown."""
        return await _snd("rule", "--", name)

    @server.tool(annotations=_READ_ONLY)
    async def explain_operator(name: str) -> str:
        """Explain an operator of the library such as nn.conv: signature, description, samples, formula, in Markdown."""
        return await _snd("doc", "--", name)

    @server.tool(annotations=_READ_ONLY)
    async def convert(path: str) -> str:
        """Convert a model of ONNX or NNEF 1.0 to SkriptND, and return its text; nothing is kept."""
        with TemporaryDirectory() as folder:
            target = Path(folder) / "converted"
            said = await _snd("convert", _plain(path), "-o", str(target))
            files = sorted(target.glob("*.sknd"))
            text = "\n".join(read_file(file, MOST_SOURCE_BYTES).decode(errors="replace") for file in files)
        return _cut(text) if text else said

    return server


def _plain(path: str) -> str:
    """Return a path that can't be taken for an option."""
    return f"./{path}" if path.startswith("-") else path


async def _snd(*arguments: str) -> str:
    """Return the output of a command, and its exit status if that is not 0."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "snd_server", *arguments,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.timeout(TOOL_SECONDS):
            (out, left), (err, left_of_err) = await asyncio.gather(_start(process.stdout), _start(process.stderr))
            await process.wait()
    except TimeoutError:
        return f"snd {arguments[0]} took longer than {TOOL_SECONDS} s"
    finally:
        if process.returncode is None:  # also if the client took the question back
            process.kill()
            await process.wait()
    return _cut(out, left) if out else _cut(err, left_of_err)


async def _start(stream: asyncio.StreamReader) -> tuple[str, int]:
    """Return the first characters of all that comes, and how many bytes more there are, which are not kept."""
    kept, left = bytearray(), 0
    while chunk := await stream.read(1 << 16):
        room = 4 * MOST_TOOL_CHARACTERS - len(kept)  # a character has up to four bytes
        kept += chunk[:room]
        left += len(chunk[room:])
    return kept.decode(errors="replace"), left


def _cut(text: str, left: int = 0) -> str:
    left += max(0, len(text) - MOST_TOOL_CHARACTERS)
    return f"{text[:MOST_TOOL_CHARACTERS]}\n… {left:,} characters more" if left else text


def serve() -> None:
    """Serve standard input and output until the client closes them."""
    make_server().run("stdio")
