"""Workspaces that are large or change meanwhile, and a client that does not read."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from snd_server.console.visible import visible
from snd_server.lsp.wire import transport
from snd_server.render.reports import frame
from snd_server.workspace_files import text_sizes as sizes
from snd_server.workspace_files.files import DiskReader
from support.lsp.in_process import ServerThread
from support.lsp.raw_client import framed, goodbye, running
from support.sampling import tries
from support.waiting import SILENCE_SECONDS


def test_a_chain_of_imports(project: Path, real):
    count = tries(300, 10_000)
    for at in range(count):
        below = f"import m{at + 1};\n" if at + 1 < count else ""
        operator = f"operator o{at} {{ @input {{ x: real; }} @output {{ y: real; }} @lower {{ y = x; }} }}\n"
        (project / f"m{at}.sknd").write_text(below + operator)
    outcome = real("check", "--no-cache", "m0.sknd", "--format", "concise")
    assert outcome.status in (0, 1)
    assert "internal-error" not in outcome.stdout


def test_folders_within_folders(project: Path, real, monkeypatch: pytest.MonkeyPatch):
    folder = project.joinpath(*["n"] * 400)
    folder.mkdir(parents=True)
    (folder / "a.sknd").write_text("graph g {")
    resolved: list[str] = []
    original = os.path.realpath
    monkeypatch.setattr("os.path.realpath", lambda path, **more: resolved.append(path) or original(path, **more))
    outcome = real("check", "--format", "concise")
    assert outcome.status == 1
    assert len(resolved) < 50  # each looks at every folder above


def test_many_definitions(project: Path, real):
    text = "".join(
        f"operator o{at} {{ @input {{ x: real; }} @output {{ y: real; }} @lower {{ y = x; }} }}\n"
        for at in range(tries(500, 20_000))
    )
    (project / "a.sknd").write_text(text)
    assert "internal-error" not in real("check", "--no-cache", "a.sknd", "--format", "concise").stdout


def test_a_source_of_fifty_megabytes(project: Path, real):
    (project / "a.sknd").write_text("# a comment\n" * 4_300_000)
    outcome = real("check", "--no-cache", "--format", "concise")
    assert outcome.status == 2
    assert "error[unreadable-file] it cannot be read: it has 51,600,000 bytes, more than the" in outcome.stdout


def test_a_long_line_of_mistakes(project: Path, real, monkeypatch: pytest.MonkeyPatch):
    """Each message reads only the visible part of its line: else n messages would read n characters each."""
    (project / "graph.nnef").write_text("a; " * 2_000)
    seen = 0

    def count(text: str) -> str:
        nonlocal seen
        seen += len(text)
        return visible(text)

    monkeypatch.setattr(frame, "visible", count)
    outcome = real("check", "--no-cache", "graph.nnef")
    assert outcome.status == 1
    assert "Found 2000 errors" in outcome.stdout
    assert "…" in outcome.stdout
    assert seen < 2_000 * 4_000


LARGE = {
    "operators": ("operator o {{}}\n", "definitions, and snd analyses up to 50,000 in a file"),
    "on one line": ("graph o {{}} ", "definitions, and snd analyses up to 50,000 in a file"),
    "imports": ("import m{0};\n", "statements, and snd analyses up to 200,000 in a file"),
    "samples": ("# >>> f(1)\n", "samples, and snd analyses up to 10,000 in a file"),
    "statements": ("x={0};\n", "statements, and snd analyses up to 200,000 in a file"),
}


@pytest.mark.parametrize(
    ("name", "suffix"), [*((name, "sknd") for name in LARGE), ("samples", "nnef"), ("statements", "nnef")]
)
def test_a_million_of_anything_is_refused(project: Path, real, name: str, suffix: str):
    piece, message = LARGE[name]
    (project / f"a.{suffix}").write_text("".join(map(piece.format, range(1_000_000))))
    outcome = real("check", "--no-cache", f"a.{suffix}", "--format", "concise")
    assert outcome.status == 2
    assert f"a.{suffix}:1:1: warning[file-too-large] it has 1,000,000 {message}" in outcome.stdout
    assert len(outcome.stdout) < 1_000


async def test_a_million_definitions_in_an_editor():
    """A document of fewer characters than editors may have."""
    text = "".join(f"graph g{at}{{}}\n" for at in range(200_000))
    assert len(text) < 4_000_000
    async with running() as (process, client):
        await client.initialize(capabilities={"textDocument": {"diagnostic": {}}})
        client.open("untitled:large", text)
        answer = await client.request("textDocument/diagnostic", {"textDocument": {"uri": "untitled:large"}})
        (found,) = answer["result"]["items"]
        assert found["code"] == "file-too-large"
        assert "200,000 definitions" in found["message"]
        assert await goodbye(process, client) == 0


def test_a_file_that_vanishes_or_changes_is_read_once(tmp_path: Path):
    path = tmp_path / "a.sknd"
    path.write_text("# first\n")
    reader = DiskReader()
    assert reader.exists(str(path))
    assert reader.read(str(path)) == "# first\n"
    path.write_text("# second\n")
    assert reader.read(str(path)) == "# first\n"
    path.unlink()
    assert reader.read(str(path)) == "# first\n"
    reader.forget(str(path))
    with pytest.raises(FileNotFoundError):
        reader.read(str(path))


@pytest.mark.parametrize(
    "path",
    ["C:\\models\\a.sknd", "\\\\server\\share\\a.sknd", "CON", "NUL.sknd", "a.sknd:stream", "\\\\?\\C:\\a"],
)
def test_paths_of_windows_are_files_that_there_are_not(project: Path, real, path: str):
    outcome = real("check", path)
    assert outcome.status == 2
    assert "Traceback" not in outcome.stderr


async def test_a_client_that_does_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(transport, "MOST_UNREAD_BYTES", 1 << 16)
    ours, its = socket.socketpair()
    ours.setblocking(False)
    server = ServerThread(its)
    loop = asyncio.get_running_loop()
    start = {"processId": None, "rootUri": None, "capabilities": {}}
    await loop.sock_sendall(ours, framed({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": start}))

    async def ask() -> None:
        at = 0
        while True:
            at += 1
            await loop.sock_sendall(ours, framed({"jsonrpc": "2.0", "id": at, "method": "x" * 1_000}))

    asking = asyncio.create_task(ask())
    try:
        assert await asyncio.wait_for(server.wait(), SILENCE_SECONDS) == 1
    finally:
        asking.cancel()
        server.terminate()
        ours.close()


@pytest.mark.parametrize("variable", ["", "@variable { v: real[n]; } "])
def test_scopes_that_double_are_not_all_visited(project: Path, real, variable: str):
    """2^40 scopes of as few definitions: exporting looks only where variables are, and at so many of these."""
    pytest.importorskip("onnx", reason="the development package onnx is not installed")
    body = "y = math.add(x, v);" if variable else "y = math.neg(x);"
    shell = "@input {{ x: real[n]; }} @output {{ y: real[n]; }} {}@compose {{ {} }} }}\n".format
    levels = (f"operator f{at} {{ " + shell("", f"a = f{at - 1}(x); y = f{at - 1}(a);") for at in range(1, 41))
    graph = "graph main { @input { x: real[4]; } @output { y: real[4]; } @compose { y = f40(x); } }\n"
    (project / "m.sknd").write_text("import math;\noperator f0 { " + shell(variable, body) + "".join(levels) + graph)
    outcome = real("export", "m.sknd", "-o", "m.onnx")
    if variable:
        assert outcome.status == 2
        assert "more than 20,000 variables" in outcome.stderr
    else:
        note = "onnxruntime was not asked to load it: without functions, it has 1,099,511,627,777 nodes\n"
        assert (outcome.status, outcome.stderr) == (0, f"warning: the file was not checked completely: {note}")
        outcome = real("export", "m.sknd", "-o", "m.onnx", "--verify")
        assert outcome.status == 2
        assert outcome.stderr.endswith(f"Error: --verify: {note}")
        outcome = real("export", "--flat", "m.sknd", "-o", "flat.onnx")
        assert outcome.status == 1
        assert "written flat, it has 1,099,511,627,776 operations, more than the 20,000" in outcome.stderr


WIDE = {
    "inputs": (
        "graph g {{ @input {{ {} }} @output {{ y: real[n0]; }} @compose {{ y = x0; }} }}\n",
        "x{0}: real[n{0}]; ",
    ),
    "variables that are updated": (
        "operator f {{ @input {{ x: real[n]; }} @output {{ y: real[n]; }} @lower {{ y[i,] = x[i,], i < n; }} }}\n"
        "graph g {{ @input {{ x: real[4]; }} @output {{ y: real[4]; }} @variable {{ {} }} "
        "@compose {{ y = f(x); }} @update {{ {} }} }}\n",
        "v{0}: real[4]; ",
    ),
}


@pytest.mark.parametrize("name", WIDE)
def test_work_grows_with_the_number_of_declarations_alone(project: Path, real, name: str):
    """With its square 20,000 of them took a minute, which tests may not."""
    text, piece = WIDE[name]
    numbers = range(tries(200, 20_000))
    updates = "".join(f"v{at} = f(x); " for at in numbers)
    (project / "a.sknd").write_text(text.format("".join(map(piece.format, numbers)), updates))
    outcome = real("check", "--no-cache", "a.sknd", "--format", "concise", "--ignore", "unused-variable")
    assert "internal-error" not in outcome.stdout


def test_a_long_text_of_few_definitions_is_not_searched(monkeypatch):
    """Editors ask after every keystroke."""
    monkeypatch.setattr(sizes, "_DEFINITION", None)
    monkeypatch.setattr(sizes, "_SAMPLE", None)
    assert sizes.too_large("graph g { }\n# >>> g()\n" + "a = b;\n" * 100_000) is None
