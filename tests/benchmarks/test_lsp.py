"""The language server over the wire: from what the client sends to what it receives."""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from support.benchmarks.programs import EXAMPLES, LIBRARY, MODULES, chain, dependants, operator_of_lines
from support.benchmarks.wire import Wire

MAIN = "untitled:main"
STATEMENTS = 5_000
DEPENDANTS = 50
OPEN_FILES = 100
EDITS = 10_000
PAUSE_SECONDS = 3.0  # nobody types without end; garbage is collected in pauses
LONGEST = max(MODULES, key=lambda name: len(MODULES[name]))
BODY = re.compile(r"@(?:lower|compose) \{[^=}]*= ")


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()
    wire.initialize()
    yield wire
    wire.close()


def place(text: str, offset: int) -> tuple[int, int]:
    line = text.count("\n", 0, offset)
    return line, offset - (text.rfind("\n", 0, offset) + 1)


def middle(text: str, pattern: re.Pattern[str]) -> tuple[int, int]:
    """The place behind the match that is nearest to the middle of a text."""
    ends = [match.end() for match in pattern.finditer(text)]
    return place(text, min(ends, key=lambda at: abs(at - len(text) // 2)))


def copies(folder: Path, count: int) -> list[Path]:
    """So many files of the library and the examples, whose modules find one another."""
    found: list[Path] = []
    while len(found) < count:
        here = folder / str(len(found))
        for source in [LIBRARY, *EXAMPLES]:
            shutil.copytree(source, here / source.name, ignore=shutil.ignore_patterns("*.dat", "__pycache__"))
        found += sorted(here.rglob("*.sknd"))
    return found[:count]


def typing(wire: Wire, uri: str, at: tuple[int, int], letter: str) -> Callable[[], None]:
    """Type a letter and takes it back, by turns."""
    line, character = at
    edits = cycle([(character, character, letter), (character, character + len(letter), "")])
    return lambda: wire.edit(uri, line, *next(edits))


@pytest.mark.budget(0.800)
def test_start_to_first_diagnostic(benchmark: BenchmarkFixture) -> None:
    """Budget: from the start of the process to the first diagnostic in 0.8 s. pygls takes most of them."""
    text = operator_of_lines(32)

    def start() -> None:
        wire = Wire()
        wire.initialize({})
        wire.open(MAIN, text.replace("@", "@q", 1))
        assert wire.notified("textDocument/publishDiagnostics")["diagnostics"]
        wire.close()

    benchmark.pedantic(start, rounds=7, warmup_rounds=1)


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("letter", ["q", "("])
@pytest.mark.parametrize("module", ["nn", LONGEST])
def test_keystroke_to_diagnostics(benchmark: BenchmarkFixture, wire: Wire, module: str, letter: str) -> None:
    """Budget: an edit inside one operator to its diagnostics in 10 ms."""
    text = MODULES[module]
    wire.open(MAIN, text)
    wire.diagnostics(MAIN)
    edit = typing(wire, MAIN, middle(text, BODY), letter)

    def keystroke() -> None:
        edit()
        wire.diagnostics(MAIN)

    benchmark.pedantic(keystroke, rounds=60, warmup_rounds=4)


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("module", ["math", "nn"])
def test_keystroke_at_random_places(benchmark: BenchmarkFixture, wire: Wire, module: str) -> None:
    """Budget: an edit of any statement to the diagnostics of the file in 10 ms."""
    text = MODULES[module]
    wire.open(MAIN, text)
    wire.diagnostics(MAIN)
    places = iter(Random(1).sample([match.start() for match in re.finditer(";", text)], k=50))
    typed: list[tuple[int, int]] = []

    def take_back() -> None:
        for line, character in typed:
            wire.edit(MAIN, line, character, character + 1, "")
        typed[:] = [place(text, next(places))]
        wire.diagnostics(MAIN)

    def keystroke() -> None:
        (line, character) = typed[0]
        wire.edit(MAIN, line, character, character, "q")
        wire.diagnostics(MAIN)

    benchmark.pedantic(keystroke, setup=take_back, rounds=40)


@pytest.mark.budget(0.005)
def test_keystroke_to_pushed_syntax(benchmark: BenchmarkFixture) -> None:
    """Budget: a keystroke to the tree and its syntax errors in 5 ms."""
    wire = Wire()
    wire.initialize({})
    text = MODULES["nn"]
    wire.open(MAIN, text)
    edit = typing(wire, MAIN, middle(text, BODY), "(")

    def keystroke() -> None:
        edit()
        wire.notified("textDocument/publishDiagnostics")

    wire.notified("textDocument/publishDiagnostics")
    benchmark.pedantic(keystroke, rounds=40, warmup_rounds=4)
    wire.close()


@pytest.mark.budget(0.100)
def test_signature_with_50_dependants(benchmark: BenchmarkFixture, wire: Wire, tmp_path: Path) -> None:
    """Budget: an edit of a signature to the diagnostics of its dependants, over 50 files, in 100 ms."""
    files = dependants(DEPENDANTS)
    uris = [(tmp_path / name).as_uri() for name in files]
    for uri, text in zip(uris, files.values(), strict=True):
        wire.open(uri, text)
    edit = typing(wire, uris[0], place(files["base.sknd"], files["base.sknd"].index("factor")), "q")

    def keystroke() -> int:
        edit()
        asked = [wire.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}}) for uri in uris]
        return sum(len(wire.answer(each)["result"]["items"]) for each in asked)

    found = {keystroke(), keystroke()}
    assert min(found) == 0
    assert max(found) > DEPENDANTS
    benchmark.pedantic(keystroke, rounds=12)


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("letter", ["q", "("])
def test_in_5000_statements(benchmark: BenchmarkFixture, wire: Wire, letter: str) -> None:
    """Budget: an edit inside one operator to its diagnostics in 10 ms; graphs of this size are nowhere excepted."""
    text = chain(STATEMENTS)
    wire.open(MAIN, text)
    wire.diagnostics(MAIN)
    edit = typing(wire, MAIN, middle(text, re.compile(r"nn\.relu\(")), letter)

    def keystroke() -> None:
        edit()
        wire.diagnostics(MAIN)

    benchmark.pedantic(keystroke, rounds=10, warmup_rounds=2)


@pytest.mark.budget(0.005)
def test_cancelled(benchmark: BenchmarkFixture, wire: Wire) -> None:
    """Budget: a cancelled request is answered in 5 ms, whatever the analysis is at."""
    text = chain(STATEMENTS)
    wire.open(MAIN, text)
    edit = typing(wire, MAIN, (0, 0), "#\n")

    def ask() -> tuple[tuple[int], dict[str, Any]]:
        edit()
        asked = wire.ask("textDocument/diagnostic", {"textDocument": {"uri": MAIN}})
        return (asked,), {}

    def cancel(asked: int) -> None:
        wire.send("$/cancelRequest", {"id": asked})
        assert wire.answer(asked)["error"]["code"] == -32800

    benchmark.pedantic(cancel, setup=ask, rounds=15)


@pytest.mark.budget(0.010)
@pytest.mark.parametrize("method", ["hover", "completion", "signatureHelp", "definition", "documentHighlight"])
def test_question(benchmark: BenchmarkFixture, wire: Wire, method: str) -> None:
    """Budget: hover, completion and signature help in 10 ms."""
    text = chain(300)
    wire.open(MAIN, text)
    wire.diagnostics(MAIN)
    line, character = middle(text, re.compile(r"math\.add\("))
    back = {"hover": 3, "definition": 3}.get(method, 0)
    benchmark.pedantic(wire.at, (f"textDocument/{method}", MAIN, line, character - back), rounds=30, warmup_rounds=3)


@pytest.mark.budget(0.015)
@pytest.mark.parametrize("program", ["nn", "chain"])
def test_semantic_tokens_after_a_keystroke(benchmark: BenchmarkFixture, wire: Wire, program: str) -> None:
    """Budget: what a keystroke changed of the colours of a file in 15 ms, be it one graph of 5,000 statements."""
    text = MODULES["nn"] if program == "nn" else chain(STATEMENTS)
    wire.open(MAIN, text)
    wire.diagnostics(MAIN)
    document = {"textDocument": {"uri": MAIN}}
    known = [wire.request("textDocument/semanticTokens/full", document)["resultId"]]
    places = iter(Random(1).sample([match.start() for match in re.finditer(";", text)], k=40))
    typed: list[tuple[int, int]] = []

    def colours() -> None:
        params = {**document, "previousResultId": known[0]}
        known[0] = wire.request("textDocument/semanticTokens/full/delta", params)["resultId"]

    def take_back() -> None:
        for line, character in typed:
            wire.edit(MAIN, line, character, character + 1, "")
        typed[:] = [place(text, next(places))]
        colours()

    def keystroke() -> None:
        (line, character) = typed[0]
        wire.edit(MAIN, line, character, character, "q")
        colours()

    benchmark.pedantic(keystroke, setup=take_back, rounds=30)


@pytest.mark.parametrize("method", ["documentSymbol", "foldingRange"])
def test_whole_file_of_1500_lines(benchmark: BenchmarkFixture, wire: Wire, method: str) -> None:
    """Answer about all of a long file."""
    text = chain(970)
    wire.open(MAIN, text)
    wire.diagnostics(MAIN)
    params: dict[str, Any] = {"textDocument": {"uri": MAIN}}
    benchmark.pedantic(wire.request, (f"textDocument/{method}", params), rounds=10, warmup_rounds=2)


@pytest.mark.budget(0.100)
def test_inlay_hints_of_1500_lines(benchmark: BenchmarkFixture, wire: Wire) -> None:
    """Budget: all hints of 1,500 lines in 100 ms; editors ask for the hints of visible lines alone."""
    wire.open(MAIN, chain(970))
    wire.diagnostics(MAIN)
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 1500, "character": 0}}
    params = {"textDocument": {"uri": MAIN}, "range": everything}
    benchmark.pedantic(wire.request, ("textDocument/inlayHint", params), rounds=10, warmup_rounds=2)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_memory_of_a_long_day(
    benchmark: BenchmarkFixture, wire: Wire, tmp_path: Path, also: Callable[..., None]
) -> None:
    """Budget: 330 MB with 100 files open, 27 of them for pygls; 10,000 edits must add next to nothing."""
    documents = [(path.as_uri(), path.read_text(encoding="utf-8")) for path in copies(tmp_path, OPEN_FILES)]
    for uri, text in documents:
        wire.open(uri, text)
        wire.diagnostics(uri)
    held: list[int] = []

    def day() -> None:
        edits = [(uri, typing(wire, uri, middle(text, BODY), "q")) for uri, text in documents if BODY.search(text)]
        for at in range(EDITS):
            uri, edit = edits[at % len(edits)]
            edit()
            if at % 10 == 0:
                wire.diagnostics(uri)
            if at in (EDITS // 10, EDITS - 1):
                time.sleep(PAUSE_SECONDS)
                held.append(wire.resident_bytes())

    benchmark.pedantic(day, rounds=1)
    benchmark.extra_info["resident bytes after a tenth and all of the edits"] = held
    also(f"{OPEN_FILES} files open, after {EDITS // 10} edits", held[:1], 330e6, is_memory=True)
    also(f"{OPEN_FILES} files open, after {EDITS} edits", held[1:], 330e6, is_memory=True)
    assert held[1] < 330_000_000, f"{held} bytes"


SHELL = "@input {{ x: real[n]; }} @output {{ y: real[n]; }} {}".format
LOWER = "@lower { y[i,] = x[i,], i < n; }"
LARGE = {
    "attributes": "operator f { @attrib { a0: int = 1; "
    + " ".join(f"a{at}: int = a{at - 1} + 1;" for at in range(1, 8_000))
    + f" }} {SHELL(LOWER)} }}\n",
    "extents": f"graph g {{ @input {{ x: real[{', '.join(['2'] * 200_000)}]; }} @output {{ y: real[2]; }} "
    "@compose { y = x; } }\n",
    "symbols": "operator f { "
    + SHELL("@using { " + " ".join(f"u{at} = n + {at};" for at in range(20_000)) + " } " + LOWER)
    + " }\n",
    "placeholders": "operator f { @attrib { a: int = 1; } "
    + SHELL('@assert { a > 0: "' + "{a}" * 200_000 + '"; } ' + LOWER)
    + " }\n",
    "brackets": f"operator f {{ @attrib {{ a: int = {'[' * 1_000_000}; }} }}\n",
    "items": f"operator f {{ @attrib {{ a: int[] = [{', '.join(['1'] * 300_000)}]; }} {SHELL(LOWER)} }}\n",
}
WAITS = 12


@pytest.mark.budget(0.100)
@pytest.mark.parametrize("name", LARGE)
def test_hover_beside_a_large_definition(benchmark: BenchmarkFixture, wire: Wire, name: str) -> None:
    """Budget: a hover in another file, while a hostile one is analysed, in 100 ms."""
    wire.open(MAIN, "graph net { @input { x: real[2]; } @output { y: real[2]; } @compose { y = x; } }\n")
    params = {"textDocument": {"uri": MAIN}, "position": {"line": 0, "character": 21}}
    assert wire.request("textDocument/hover", params)
    wire.open("untitled:large", LARGE[name])

    def hover() -> None:
        assert wire.request("textDocument/hover", params)

    benchmark.pedantic(hover, setup=lambda: time.sleep(0.1), rounds=WAITS)
