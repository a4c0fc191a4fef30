"""From a keystroke in a long exported graph in NNEF 1.0 to diagnostics and hints; and its check from the start."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from snd_analysis.base import Edit, Span
from snd_analysis.ide import front_end
from snd_analysis.ide.inlay_hints import ALL_KINDS
from snd_analysis.workspace import Workspace
from support.memory import MemoryReader

PATH = "graph.nnef"
BLOCKS = 111
"""Number of blocks of nine lines each."""
SCREEN = 4_000
"""Characters around the cursor, for which an editor asks for hints."""


def exported(blocks: int) -> tuple[str, dict[str, tuple[int, ...]]]:
    """A residual network as torch_to_nnef writes it, and the extents of its variables by labels."""
    lines, labels = [], dict[str, tuple[int, ...]]()

    def variable(name: str, label: str, *shape: int) -> None:
        labels[label] = shape
        lines.append(f"    {name} = variable<scalar>(label = '{label}', shape = {list(shape)});")

    last = "input"
    for at in range(blocks):
        variable(f"w{at}", f"layer{at}.conv.weight", 16, 16, 3, 3)
        variable(f"b{at}", f"layer{at}.conv.bias", 1, 16)
        for each in ("mean", "variance", "offset", "scale"):
            variable(f"{each}{at}", f"layer{at}.bn.{each}", 1, 16, 1, 1)
        lines.append(f"    conv{at} = conv({last}, w{at}, b{at}, padding = [(1, 1), (1, 1)], stride = [1, 1]);")
        moments = f"mean{at}, variance{at}, offset{at}, scale{at}"
        lines.append(f"    bn{at} = batch_normalization(conv{at}, {moments}, epsilon = 1e-05);")
        lines.append(f"    out{at} = relu(bn{at});")
        last = f"out{at}"
    head = "version 1.0;\n\nextension tract_registry tract_core;\n\ngraph network(input) -> (output)\n{\n"
    source = "    input = tract_core_external(shape = [1, 16, 32, 32], datum_type = 'f32');\n"
    body = "\n".join(lines)
    return f"{head}{source}{body}\n    output = softmax({last}, axes = [1]);\n}}\n", labels


def opened() -> tuple[Workspace, str]:
    """A workspace in which the graph is open, without a diagnostic, and the text of the graph."""
    text, labels = exported(BLOCKS)
    files = {f"{label}.dat": f"real [{','.join(map(str, shape))}]" for label, shape in labels.items()}
    workspace = Workspace(MemoryReader({**files, PATH: text}))
    workspace.open(PATH, text)
    assert workspace.snapshot().diagnostics(PATH) == ()
    return workspace, text


def look(workspace: Workspace, at: int) -> None:
    """Ask as an editor does after a keystroke."""
    snapshot = workspace.snapshot()
    snapshot.diagnostics(PATH)
    front_end(PATH).inlay_hints(snapshot, PATH, Span(max(at - SCREEN // 2, 0), at + SCREEN // 2), ALL_KINDS)


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("letter", ["x", " ", "1"])
def test_in_a_long_graph(benchmark: BenchmarkFixture, settle: Callable[[], None], letter: str) -> None:
    """Budget: a keystroke in 1,000 lines to diagnostics and inlay shapes in 10 ms."""
    workspace, text = opened()
    at = text.index("epsilon = 1e-05", len(text) // 2) + len("epsilon = 1")
    lengths, typed = cycle(range(1, 8)), 0

    def keystroke() -> None:
        nonlocal typed
        before, typed = typed, next(lengths)
        workspace.edit(PATH, [Edit(Span(at, at + before), letter * typed)])
        look(workspace, at)

    settle()
    benchmark.pedantic(keystroke, rounds=40, warmup_rounds=2)


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("before", [";", ")"])
def test_at_random_places(benchmark: BenchmarkFixture, settle: Callable[[], None], before: str) -> None:
    """Budget: a letter behind any statement, or behind its last argument, in 10 ms."""
    workspace, text = opened()
    start = text.index("{")
    places = Random(1).choices([match.start() for match in re.finditer(re.escape(before), text[start:])], k=40)
    settle()

    def keystroke(at: int) -> None:
        workspace.edit(PATH, [Edit(Span(at, at), "x")])
        look(workspace, at)

    def place() -> tuple[tuple[int], dict[str, object]]:
        workspace.open(PATH, text)
        workspace.snapshot().diagnostics(PATH)
        return (start + places.pop(),), {}

    benchmark.pedantic(keystroke, setup=place, rounds=len(places))


def _header(shape: tuple[int, ...], count: int) -> bytes:
    extents = struct.pack("<8I", *shape, *[0] * (8 - len(shape)))
    return b"\x4e\xef\x01\x00" + struct.pack("<II", 4 * count, len(shape)) + extents + struct.pack("<I", 32) + bytes(80)


@pytest.mark.budget(0.500)
def test_check_from_the_start(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Budget: ``snd check`` of that model in 0.5 s from the start of the process, of the weights the headers alone."""
    text, labels = exported(BLOCKS)
    (tmp_path / PATH).write_text(text, encoding="utf-8")
    for label, shape in labels.items():
        count = 1
        for extent in shape:
            count *= extent
        file = tmp_path / f"{label}.dat"
        file.write_bytes(_header(shape, count) + bytes(4 * count))

    def check() -> None:
        done = subprocess.run([sys.executable, "-m", "snd_server", "check", str(tmp_path)], capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr

    benchmark.pedantic(check, rounds=5, warmup_rounds=1)
