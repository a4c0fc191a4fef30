"""``snd mcp``: tools for coding agents over the Model Context Protocol, by its official SDK.

Every tool is a command of snd in a process of its own, with a limit of time and of output, that reads files of the root
only. None writes a file that the client could see: conversion goes into a temporary folder, and its text is the result.
A tool that fails answers with ``isError``; mistakes that ``check`` finds are no failure.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from snd_server import __version__
from snd_server.limits import LONGEST_TOOL_ARGUMENT, MOST_SOURCE_BYTES, MOST_TOOL_CHARACTERS, TOOL_SECONDS
from snd_server.workspace_files.reading import ROOT_VARIABLE, read_file

_READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def make_server(root: str) -> MCPServer:
    """Return the server with its tools, which read files of the folder ``root`` only."""
    root = os.path.realpath(root)
    server = MCPServer(
        "snd",
        version=__version__,
        instructions="Tools for models in SkriptND, NNEF 1.0 and ONNX: check them, show shapes, run and convert them.",
    )

    @server.tool(annotations=_READ_ONLY)
    async def check(path: str) -> str:
        """Find the mistakes in a file or folder of SkriptND or NNEF 1.0. Return JSON."""
        return await _snd(root, "check", "--format", "json", "--no-cache", _below(root, path), mistakes=True)

    @server.tool(annotations=_READ_ONLY)
    async def shapes(path: str, inputs: list[str] | None = None) -> str:
        """Show the shape of every tensor of a model as JSON. `inputs` are shapes such as "x=1,3,224,224"."""
        given = [word for each in inputs or () for word in ("--input", each)]
        return await _snd(root, "shapes", "--format", "json", *given, _below(root, path))

    @server.tool(annotations=_READ_ONLY)
    async def run(path: str, inputs: list[str] | None = None, operator: str | None = None) -> str:
        """Run a model, or an operator of its file, and show the outputs as JSON.

        `inputs` are values such as "x=[[1.0, 2.0]]" or "x=random[2,3]"; inputs that are not given are random.
        """
        given = [word for each in inputs or () for word in ("--input", each)]
        given += ["--operator", operator] if operator else []
        limit = ("--timeout", str(TOOL_SECONDS // 2))
        return await _snd(root, "run", "--format", "json", *limit, *given, _below(root, path))

    @server.tool(annotations=_READ_ONLY)
    async def explain_rule(name: str) -> str:
        """Explain a rule that `check` reports: summary, reason, and an example of each kind, in Markdown."""
        return await _snd(root, "rule", "--", name)

    @server.tool(annotations=_READ_ONLY)
    async def explain_operator(name: str) -> str:
        """Explain an operator of the library such as nn.conv: signature, description, samples, formula, in Markdown."""
        return await _snd(root, "doc", "--", name)

    @server.tool(annotations=_READ_ONLY)
    async def convert(path: str) -> str:
        """Convert a model of ONNX or NNEF 1.0 to SkriptND, and return its text; nothing is kept."""
        with TemporaryDirectory() as folder:
            target = Path(folder) / "converted"
            await _snd(root, "convert", _below(root, path), "-o", str(target))
            files = sorted(target.glob("*.sknd"))
            text = "\n".join(read_file(file, MOST_SOURCE_BYTES).decode(errors="replace") for file in files)
        return _cut(text)

    return server


def _below(root: str, path: str) -> str:
    """Return a path below the root, its links followed. Raise ToolError for a path that leads elsewhere."""
    _demand_argument(path)
    real = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, real]) != root:
        raise ToolError(f"{path} lies outside of the root, {root}")
    relative = os.path.relpath(real, root)
    return f"./{relative}" if relative.startswith("-") else relative  # it is no option


def _demand_argument(text: str) -> None:
    """Raise ToolError for a text that a process can't be given."""
    if "\0" in text:
        raise ToolError("an argument contains a null character")
    if len(text) > LONGEST_TOOL_ARGUMENT:
        raise ToolError(
            f"an argument has {len(text):,} characters, more than the {LONGEST_TOOL_ARGUMENT:,} allowed: "
            "store long values in a file, and write x=@FILE.npy"
        )


async def _snd(root: str, *arguments: str, mistakes: bool = False) -> str:
    """Return the output of a command. Raise ToolError with its text if it fails.

    With ``mistakes``, exit status 1 says that there are mistakes, and is no failure.
    """
    for each in arguments:
        _demand_argument(each)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "snd_server", *arguments, cwd=root, env={**os.environ, ROOT_VARIABLE: root},
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.timeout(TOOL_SECONDS):
            (out, left), (err, left_of_err) = await asyncio.gather(_start(process.stdout), _start(process.stderr))
            await process.wait()
    except TimeoutError:
        raise ToolError(f"snd {arguments[0]} took longer than {TOOL_SECONDS} s") from None
    finally:
        if process.returncode is None:  # also if the client took the question back
            process.kill()
            await process.wait()
    answer = _cut(out, left) if out else _cut(err, left_of_err)
    if process.returncode and not (mistakes and process.returncode == 1):
        raise ToolError(answer)
    return answer


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


class _Readable(io.RawIOBase):
    """Lines of a stream. Halves of surrogate pairs in their JSON are "?": the SDK would not answer such a line."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, and return the number of bytes; 0 at the end."""
        if not self._rest:
            self._rest = _whole_characters(self._stream.readline())
        start, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(start)] = start
        return len(start)


def _whole_characters(line: bytes) -> bytes:
    if _SURROGATE.search(line) is None:
        return line
    try:
        return json.dumps(json.loads(line), ensure_ascii=False).encode(errors="replace") + b"\n"
    except (ValueError, RecursionError):  # the SDK reports it
        return line


def serve(root: str) -> None:
    """Serve standard input and output until the client closes them. Tools read files of ``root`` only."""
    sys.stdin = io.TextIOWrapper(io.BufferedReader(_Readable(sys.stdin.buffer)), encoding="utf-8")
    make_server(root).run("stdio")
