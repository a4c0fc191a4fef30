"""Snapshots never change, and what a workspace says after any edits is what a fresh one says.

Invariants 3, 4, 5 and 12 of ARCHITECTURE.md.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snd_analysis.base import Edit, Span
from snd_analysis.base.checkpoints import checked_by
from snd_analysis.workspace import Snapshot, Workspace
from support.annotations import parse_annotations
from support.memory import MemoryReader, read_program, snapshot_of, split_files
from support.sampling import examples

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"

# Nothing here imports the library: a fresh workspace would read it anew each time.
MAIN = """\
import functions, blocks;

graph net {
    @input { x: real[1, 4]; }
    @output { y: real[1, 4]; }
    @compose {
        t = blocks.twice{factor = 2.0}(x);
        u = functions.exp_of(t);
        y = blocks.same(u);
    }
}
"""
BLOCKS = """\
import base;

# Twice as much.
operator twice {
    @attrib { factor: real = 2.0; }
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = factor * x[i..], i < s; }
}

operator same {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { y = base.same(x); }
}
"""
BASE = """\
operator same {
    @dtype { T: type; }
    @input { x: T[s..]; }
    @output { y: T[s..]; }
    @lower { y[i..] = x[i..], i < s; }
}
"""
FUNCTIONS = """\
operator exp_of {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = exp(x[i..]), i < s; }
}
"""
WORKSPACE = {"main.sknd": MAIN, "blocks.sknd": BLOCKS, "base.sknd": BASE, "functions.sknd": FUNCTIONS}
PIECES = [
    "", " ", "\n", ";", "{", "}", "(", ")", "x", "y", "same", "twice", "factor", "import base;\n", "import functions;",
    "_", "operator ", "graph ", "operator other { }\n", "@input", "@output { z: real[s..]; }", "real", "int", "s..",
    "'", '"', "# c\n", "functions.", "base.", "blocks.", "1.0", ": int", "t = twice(x);\n",
    "base.same(x)", "blocks.twice", "main.net", "T", "public ", "\r\n", "é",
]  # fmt: skip


def everything(snapshot: Snapshot, paths: list[str]) -> dict[str, object]:
    """All that can be compared between workspaces."""
    return {
        path: (
            snapshot.source(path).text,
            snapshot.diagnostics(path),
            [(item.node.text, item.path, item.span) for item in snapshot.imports(path)],
            snapshot.dependencies(path),
            [
                (
                    use.span.shifted(placed.start),
                    str(use.role),
                    type(use.target).__name__,
                    getattr(use.target, "name", ""),
                )
                for placed in snapshot.tree(path).chunks
                for definition in placed.chunk.definitions
                for use in snapshot.resolution(path, definition).uses
            ],
        )
        for path in paths
    }


def edit_of(text: str, random_: random.Random) -> Edit:
    start = random_.randrange(len(text) + 1)
    end = min(len(text), start + random_.choice([0, 0, 1, 1, 2, 5, 40]))
    return Edit(Span(start, end), random_.choice(PIECES))


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 2**32))
def test_incremental_equals_fresh(seed: int):
    random_ = random.Random(seed)
    workspace = Workspace(MemoryReader(WORKSPACE))
    texts = dict(WORKSPACE)
    opened: set[str] = set()
    undo: list[dict[str, str]] = []
    for _ in range(12):
        path = random_.choice([*WORKSPACE])
        undo.append(dict(texts))
        if random_.random() < 0.25:
            texts[path] = random_.choice(undo)[path]  # what was known of it before may be of use again
            workspace.open(path, texts[path])
        elif path in opened and random_.random() < 0.15:
            workspace.close(path)
            texts[path] = WORKSPACE[path]
            opened.discard(path)
            continue
        else:
            if path not in opened:
                workspace.open(path, texts[path])
            edits = []
            for _ in range(random_.choice([1, 1, 2, 3])):
                edits.append(edit_of(texts[path], random_))
                texts[path] = edits[-1].apply(texts[path])
            workspace.edit(path, edits)
        opened.add(path)
        if random_.random() < 0.7:  # not every state is looked at
            paths = [*WORKSPACE]
            random_.shuffle(paths)
            assert everything(workspace.snapshot(), paths) == everything(snapshot_of(texts), paths), texts


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 2**32))
def test_a_snapshot_sees_what_it_saw(seed: int):
    random_ = random.Random(seed)
    workspace = Workspace(MemoryReader(WORKSPACE))
    paths = [*WORKSPACE]
    for path in paths:
        workspace.open(path, WORKSPACE[path])
    taken: list[tuple[Snapshot, dict[str, str]]] = []
    texts = dict(WORKSPACE)
    for _ in range(6):
        snapshot = workspace.snapshot()
        if random_.random() < 0.5:
            everything(snapshot, paths)  # half of them are asked for the first time after the edits
        taken.append((snapshot, dict(texts)))
        path = random_.choice(paths)
        edit = edit_of(texts[path], random_)
        texts[path] = edit.apply(texts[path])
        workspace.edit(path, [edit])
    for snapshot, seen in taken:
        assert everything(snapshot, paths) == everything(snapshot_of(seen), paths)


def test_an_edit_of_a_body_leaves_other_definitions_as_they_are():
    workspace = Workspace(MemoryReader(WORKSPACE))
    for path, text in WORKSPACE.items():
        workspace.open(path, text)
    before = workspace.snapshot()
    everything(before, [*WORKSPACE])
    at = BLOCKS.index("factor * x")
    workspace.edit("blocks.sknd", [Edit(Span(at, at), "0.5 * ")])
    after = workspace.snapshot()
    definitions = before.definitions("blocks.sknd"), after.definitions("blocks.sknd")
    assert definitions[0]["same"][1] is definitions[1]["same"][1]
    assert definitions[0]["twice"][1] is not definitions[1]["twice"][1]
    same = definitions[0]["same"][1]
    assert after.resolution("blocks.sknd", same) is before.resolution("blocks.sknd", same)
    main = before.definitions("main.sknd")["net"][1]
    assert after.resolution("main.sknd", main) is before.resolution("main.sknd", main)


CALLED = """\
public operator called {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @constant { k: real[1] = [0.5]; }
    @assert { n > 0: "too few"; }
    @lower { y[i] = x[i] * k[0], i < n; }
}
"""
CALLER = """\
import one;

graph net {
    @input { x: real[4]; }
    @output { y: real[5]; }
    @compose { y = one.called(x); }
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("too few", "not enough"),
        ("n > 0", "n + 1 > 1"),
        ("n > 0", "n > true"),
        ("[0.5]", "[true]"),
        ("real[1]", "real[n]"),
        ("x[i] * k[0]", "x[j]"),
        ("public", "# a comment\npublic"),
    ],
)
def test_what_callers_do_not_see_types_no_caller_again(old: str, new: str):
    typed: list[object] = []

    def on_execute(query: Callable[..., object], key: tuple[object, ...]) -> None:
        if query.__name__ == "checked":
            typed.append(key[0])

    workspace = Workspace(MemoryReader({"main.sknd": CALLER, "one.sknd": CALLED}), on_execute=on_execute)
    workspace.snapshot().diagnostics("main.sknd")
    assert "main.sknd" in typed
    typed.clear()
    edited = CALLED.replace(old, new)
    workspace.open("one.sknd", edited)
    found = [item.message for item in workspace.snapshot().diagnostics("main.sknd")]
    assert "main.sknd" not in typed
    fresh = snapshot_of({"main.sknd": CALLER, "one.sknd": edited}).diagnostics("main.sknd")
    assert found == [item.message for item in fresh]
    assert found


def test_a_new_operator_reaches_those_who_asked_for_it():
    workspace = Workspace(MemoryReader(WORKSPACE))
    workspace.open("blocks.sknd", BLOCKS.replace("operator same", "operator sane"))
    assert [item.rule.name for item in workspace.snapshot().diagnostics("main.sknd")] == ["unknown-operator"]
    workspace.open("blocks.sknd", BLOCKS)
    assert workspace.snapshot().diagnostics("main.sknd") == ()


def test_a_body_that_gives_a_hint_about_a_quantized_tensor_is_a_dependency():
    """The hint compares the name with those in the bodies of all operators that are invoked, whatever their place."""
    main = """\
import one, two;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        t = first: one.first(x);
        y = second: two.second(t);
    }
    @quantize { first.weigt: algo{}; }
}

operator algo {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = x[i..], i < s; }
}
"""
    first = """\
public operator first {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @variable { weights: real[4]; }
    @lower { y[i] = x[i] * weights[i], i < 4; }
}
"""
    second = first.replace("first", "second").replace("weights", "others")
    edited = second.replace(
        "others: real[4];", "others: real[4]; weigta, weigtb, weigtc: real[4];".replace(", ", ": real[4]; ")
    )
    workspace = Workspace(MemoryReader({"main.sknd": main, "one.sknd": first, "two.sknd": second}))
    before = [item.message for item in workspace.snapshot().diagnostics("main.sknd")]
    workspace.open("two.sknd", edited)
    after = [item.message for item in workspace.snapshot().diagnostics("main.sknd")]
    fresh = snapshot_of({"main.sknd": main, "one.sknd": first, "two.sknd": edited}).diagnostics("main.sknd")
    assert before != after
    assert after == [item.message for item in fresh]


def test_editing_a_file_that_nobody_opened_is_an_error():
    with pytest.raises(KeyError):
        Workspace(MemoryReader(WORKSPACE)).edit("main.sknd", [])


def _programs() -> list[dict[str, str]]:
    rules = [split_files(path.read_bytes().decode()) for path in sorted((FIXTURES / "rules").rglob("*.sknd"))]
    plain = [{name: parse_annotations(text)[0] for name, text in files.items()} for files in rules]
    others = [path for folder in ("valid", "invalid", "listings") for path in sorted((FIXTURES / folder).glob("*"))]
    return plain + [read_program(path) for path in others if path.name != "compose"]


PROGRAMS = [files for files in _programs() if sum(map(len, files.values())) < 3000]
WORDS = [
    *PIECES,
    "..",
    "...",
    "<-",
    "??",
    "?",
    "~",
    "|",
    "in",
    "is",
    "with",
    "for",
    "do",
    "yield",
    "unroll",
    "[",
    "]",
    "@dtype",
]


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from(range(len(PROGRAMS))), st.integers(0, 2**32))
def test_no_input_raises(program: int, seed: int):
    random_ = random.Random(seed)
    files = dict(PROGRAMS[program])
    for _ in range(random_.randrange(1, 6)):
        path = random_.choice([each for each in files if each.endswith(".sknd")])
        text = files[path]
        if random_.random() < 0.4 and text:  # part of another program in place of a part of this one
            other = random_.choice([*random_.choice(PROGRAMS).values()])
            cut = random_.randrange(len(other) + 1)
            piece = other[cut : cut + random_.randrange(1, 60)]
        else:
            piece = random_.choice(WORDS)
        start = random_.randrange(len(text) + 1)
        files[path] = text[:start] + piece + text[start + random_.choice([0, 0, 1, 4, 30]) :]
    snapshot = snapshot_of(files)
    for path, text in files.items():
        for item in snapshot.diagnostics(path):
            span = item.location.span
            assert 0 <= span.start <= span.end <= len(text), item
            for related in item.related:
                length = len(snapshot.source(related.location.path).text)
                assert 0 <= related.location.span.start <= related.location.span.end <= length, item


def test_many_definitions_are_read_bit_by_bit():
    """Questions about other files need not wait until a large one is parsed, neither when it is opened nor edited."""
    body = "{\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n    @lower { y[i,] = x[i,], i < n; }\n}\n"
    text = "".join(f"operator f{number} {body}" for number in range(50))
    workspace = Workspace(MemoryReader({}))
    parsed: list[int] = []

    def count() -> None:
        parsed.append(sum(placed.chunk.is_parsed for placed in tree.chunks))

    workspace.open("many.sknd", text)
    snapshot = workspace.snapshot()
    tree = workspace.snapshot().tree("many.sknd")
    workspace.open("many.sknd", text.replace("operator f20 ", "operator g20 "))
    count()
    assert parsed.pop() == 0, "whoever edits what nobody has looked at yet"
    with checked_by(count):
        assert snapshot.diagnostics("many.sknd") == ()
    assert [*dict.fromkeys(parsed)][: len(tree.chunks)] == [*range(len(tree.chunks))]
