"""Renaming there and back, over the library and the examples; modules, files and folders (invariant 10)."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from snd_analysis.base import Span
from snd_analysis.ide.mentions import mentions
from snd_analysis.ide.rename import (
    Moves,
    RenameRefused,
    Renaming,
    Unreachable,
    edited_texts,
    file_rename_edits,
    moved_paths,
    prepare_rename,
    rename,
)
from snd_analysis.ide.targets import path_of
from snd_analysis.skriptnd.names import ModuleName, is_library
from support.memory import check, read_program, shown, snapshot_of
from support.sampling import sample, tries

ROOT = Path(__file__).parents[3]
PROGRAMS = [
    *sorted((ROOT / "analysis" / "snd_analysis" / "libraries" / "std").glob("*.sknd")),
    *sorted(ROOT.glob("tests/fixtures/valid/*scope*")),
    *sorted(ROOT.glob("tests/fixtures/valid/*quantize*")),
    *(path for path in sorted(ROOT.glob("examples/*")) if path.name != "broken"),
]
_RENAMED = tries(2, 3)


def _after(files: dict[str, str], done: Renaming) -> dict[str, str]:
    after = {**files, **edited_texts(snapshot_of(files), done.edits)}
    if done.moved is not None:
        after[done.moved[1]] = after.pop(done.moved[0])
    return after


def _rules(files: dict[str, str]) -> dict[str, Counter[str]]:
    return {path: Counter(item.rule.name for item in found) for path, found in check(files).items()}


def _names(files: dict[str, str]) -> list[tuple[str, Span]]:
    """A place of everything that the files themselves declare, but modules."""
    snapshot = snapshot_of(files)
    return sorted(
        {
            each.subject: (path, each.span)
            for path in files
            for each in mentions(snapshot, path)
            if not isinstance(each.subject, ModuleName) and not is_library(path_of(each.subject) or "snd:")
        }.values()
    )


@pytest.mark.parametrize("program", sample(PROGRAMS, 2), ids=lambda path: path.stem)
def test_names_change_there_and_back(program: Path):
    """Each name gives the same bytes when it is changed back; with all of them changed, the same is wrong as before."""
    files = now = read_program(program)
    names = _names(files)
    places = random.Random(program.name).sample(names, min(_RENAMED, len(names)))
    for number in range(len(places)):
        path, span = places[number]
        old = now[path][span.start : span.end]
        done = rename(snapshot_of(now), path, span.start, f"renamed_{number}", now)
        after = _after(now, done)
        moves = Moves(done.edits, {})
        places = [(each, moves.span(each, place)) for each, place in places]
        back = rename(snapshot_of(after), path, places[number][1].start, old, after)
        assert _after(after, back) == now
        now = after
    before, after = _rules(files), _rules(now)
    assert after == before, shown(check(now), now)


@pytest.mark.parametrize("program", [each for each in PROGRAMS if each.is_dir()], ids=lambda path: path.stem)
def test_modules_change_there_and_back(program: Path):
    files = read_program(program)
    snapshot = snapshot_of(files)
    for path in files:
        for item in snapshot.imports(path):
            if item.path is None or is_library(item.path):
                continue
            done = rename(snapshot, path, item.span.start, "other.name", files)
            after = _after(files, done)
            assert done.moved is not None
            assert done.moved[1].endswith("other/name.sknd")
            assert done.moved[1] in after
            there = snapshot_of(after)
            again = next(each for each in there.imports(path) if each.path == done.moved[1])
            back = rename(there, path, again.span.start, item.node.text, after)
            assert _after(after, back) == files


@pytest.mark.parametrize("seed", range(tries(2, 6)))
def test_names_that_others_bear_are_refused_or_change_nothing(seed: int):
    """Renaming to an existing name of the same files is refused or causes no mistake."""
    chance = random.Random(seed)
    refused = 0
    for program in chance.sample(sorted(ROOT.glob("tests/fixtures/valid/*")), 8):
        files = read_program(program)
        snapshot, names, before = snapshot_of(files), _names(files), _rules(files)
        for (path, span), (other, its) in (chance.sample(names, 2) for _ in range(4 if len(names) > 1 else 0)):
            old, new = files[path][span.start : span.end], files[other][its.start : its.end]
            try:
                done = rename(snapshot, path, span.start, new, files)
            except RenameRefused:
                refused += 1
                continue
            after = _after(files, done)
            assert _rules(after) == before, (program, old, new)
            if done.edits:
                first = min(edit.location for edit in done.edits if edit.location.path == path)
                assert _after(after, rename(snapshot_of(after), path, first.span.start, old, after)) == files
    assert refused


MODEL = {
    "net/main.sknd": """import blocks.conv, shared;

# >>> blocks.conv.double([1.0])
# y: real[1] = [2.0]
graph main {
    @input { x: real[4]; }
    @output { y: real[4]; z: real[4]; }
    @compose {
        y = blocks . conv.double(x);
        z = shared.half(y);
    }
}
""",
    "net/blocks/conv.sknd": """import same, shared;

operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose {
        t = same.id(x);
        u = shared.half(t);
        y = id(u);
    }
}

operator id {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    "net/blocks/same.sknd": """operator id {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
""",
    "net/shared.sknd": """operator half {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] / 2.0, i < n; }
}
""",
}


def _moved(files: dict[str, str], *moves: tuple[str, str]) -> tuple[dict[str, str], list[Unreachable]]:
    edits, unreachable = file_rename_edits(snapshot_of(files), moves, files)
    texts = {**files, **edited_texts(snapshot_of(files), edits)}
    paths = moved_paths(moves, files)
    return {paths.get(path, path): text for path, text in texts.items()}, unreachable


def _targets(files: dict[str, str]) -> dict[str, list[str | None]]:
    snapshot = snapshot_of(files)
    return {path: [item.path for item in snapshot.imports(path)] for path in files}


@pytest.mark.parametrize(
    "moves",
    [
        [("net/shared.sknd", "net/common.sknd")],
        [("net/shared.sknd", "net/blocks/shared.sknd")],
        [("net/blocks", "net/parts")],
        [("net/blocks", "net/deep/er/parts"), ("net/shared.sknd", "net/deep/math2.sknd")],
        [("net/blocks/conv.sknd", "net/conv.sknd")],
        [("net", "other")],
        [("net/blocks/same.sknd", "net/shared.sknd"), ("net/shared.sknd", "net/same.sknd")],
    ],
    ids=str,
)
def test_imports_follow_files_and_folders(moves: list[tuple[str, str]]):
    before = check(MODEL)
    assert not any(found for found in before.values()), shown(before, MODEL)
    after, unreachable = _moved(MODEL, *moves)
    assert unreachable == []
    assert sorted(after) == sorted(moved_paths(moves, MODEL).get(path, path) for path in MODEL)
    assert not any(check(after).values()), shown(check(after), after)
    places = moved_paths(moves, MODEL)
    for path, targets in _targets(MODEL).items():
        now = _targets(after)[places.get(path, path)]
        assert now == [places.get(target or "", target) for target in targets]
    again, _ = _moved(after, *((new, old) for old, new in reversed(moves)))
    assert _targets(again) == _targets(MODEL)


def test_files_that_no_import_can_name():
    after, unreachable = _moved(MODEL, ("net/shared.sknd", "net/not-a-name.sknd"))
    assert [(each.importer, each.module) for each in unreachable] == [
        ("net/main.sknd", "shared"),
        ("net/blocks/conv.sknd", "shared"),
    ]
    assert {path: text for path, text in after.items() if path in MODEL} == {
        path: text for path, text in MODEL.items() if path != "net/shared.sknd"
    }


def test_modules_are_renamed_with_their_files():
    at = MODEL["net/main.sknd"].index("blocks")
    snapshot = snapshot_of(MODEL)
    assert prepare_rename(snapshot, "net/main.sknd", at) == (Span(at, at + len("blocks.conv")), "blocks.conv")
    done = rename(snapshot, "net/main.sknd", at, "layers", MODEL)
    assert done.moved == ("net/blocks/conv.sknd", "net/layers.sknd")
    main = _after(MODEL, done)["net/main.sknd"]
    assert main.startswith("import layers, shared;\n\n# >>> layers.double([1.0])")
    assert "y = layers.double(x);" in main


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("shared", "already"),
        ("blocks.same", "already"),
        ("a..b", "no identifier"),
        ("", "no identifier"),
        ("graph", "keyword"),
        ("blocks/conv", "no identifier"),
    ],
)
def test_modules_that_cannot_be_called_so(name: str, reason: str):
    at = MODEL["net/main.sknd"].index("blocks")
    with pytest.raises(RenameRefused, match=reason):
        rename(snapshot_of(MODEL), "net/main.sknd", at, name, MODEL)


def test_the_library_is_read_only():
    text = "import math;\ngraph g {\n    @compose { y = math.add{}(x, x); }\n}\n"
    snapshot = snapshot_of({"main.sknd": text})
    for at in (text.index("math"), text.index("math."), text.index("add")):
        with pytest.raises(RenameRefused, match="read-only"):
            rename(snapshot, "main.sknd", at, "other", ["main.sknd"])
    inside = snapshot.source("snd:math").text.index("operator add") + len("operator ")
    with pytest.raises(RenameRefused, match="read-only"):
        prepare_rename(snapshot, "snd:math", inside)


def test_names_in_broken_files_change_where_they_are_known():
    text = "graph g {\n    @input { x: real[2]; }\n    @output { y: real[2]; }\n    @compose { y = x + (; z = x; }\n"
    done = rename(snapshot_of({"main.sknd": text}), "main.sknd", text.index("x:"), "data", ["main.sknd"])
    after = edited_texts(snapshot_of({"main.sknd": text}), done.edits)["main.sknd"]
    assert after.count("data") == len(done.edits) > 1
    assert after.replace("data", "x") == text
