"""Hints between the lines, which the goldens show in «»."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from snd_analysis.base import Span
from snd_analysis.ide.inlay_hints import ALL_KINDS, HintKind, InlayHint, inlay_hints
from snd_analysis.skriptnd.names import library_modules
from support.memory import read_program, snapshot_of
from support.sampling import sample, tries

ROOT = Path(__file__).parents[3]
FIXTURES = sorted((ROOT / "tests" / "fixtures" / "ide" / "hints").glob("*.sknd"))
EXAMPLES = [path for path in sorted(ROOT.glob("examples/*")) if path.name != "broken"]


def _with_hints(text: str, hints: list[InlayHint]) -> str:
    for hint in reversed(hints):
        shown = f"{' ' if hint.before else ''}«{hint.text}»{' ' if hint.after else ''}"
        text = text[: hint.offset] + shown + text[hint.offset :]
    return text


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_hints_are_those_of_the_goldens(fixture: Path, golden: Callable[[str, str], None]):
    text = fixture.read_text()
    snapshot = snapshot_of({"main.sknd": text})
    golden(f"hints_{fixture.stem}.sknd", _with_hints(text, inlay_hints(snapshot, "main.sknd")))


def test_a_whole_pack_of_extents_is_shown_as_it_is_declared():
    program = (
        "operator f { @input { x: real[s..]; } @output { z: real[s..]; } @compose { u = g(x); z = g(u); } }\n"
        "operator g { @input { x: real[s..]; } @output { z: real[s..]; } @lower { z[i..] = x[i..], i < s; } }\n"
    )
    found = inlay_hints(snapshot_of({"main.sknd": program}), "main.sknd", kinds=frozenset({HintKind.SHAPE}))
    assert {hint.text for hint in found} == {"real[s..]"}


def _assert_sound(files: dict[str, str], path: str) -> None:
    snapshot = snapshot_of(files)
    text = snapshot.source(path).text
    found = inlay_hints(snapshot, path)
    assert [hint.offset for hint in found] == sorted(hint.offset for hint in found)
    for kind in HintKind:
        assert inlay_hints(snapshot, path, kinds={kind}) == [hint for hint in found if hint.kind is kind]
    assert inlay_hints(snapshot, path, kinds=frozenset()) == []
    chance = random.Random(path)
    for _ in range(4):
        start = chance.randrange(len(text))
        part = Span(start, min(len(text), start + 400))
        assert inlay_hints(snapshot, path, part) == [hint for hint in found if part.start <= hint.offset <= part.end]
    for hint in found:
        for part in hint.parts:
            if part.location is None:
                continue
            place = part.location.span
            named = snapshot.source(part.location.path).text[place.start : place.end]
            assert named
            # Each part links to its subject; a shape links to the output, a type to the generic one.
            if hint.kind in (HintKind.ARGUMENT, HintKind.ATTRIBUTE):
                assert part.text.rstrip(":").partition("=")[0] == named
            elif hint.kind is HintKind.BLOCK_END:
                assert part.text.rpartition(" ")[2] == named


@pytest.mark.parametrize("module", sample(library_modules(), 4))
def test_hints_of_the_library(module: str):
    _assert_sound({}, f"snd:{module}")


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_hints_of_the_examples(program: Path):
    files = read_program(program)
    for path in files:
        _assert_sound(files, path)


def test_every_statement_of_a_graph_has_its_shape():
    files = read_program(ROOT / "examples" / "vgg16")
    snapshot = snapshot_of(files)
    hints = inlay_hints(snapshot, "main.sknd", kinds={HintKind.SHAPE})
    text = files["main.sknd"]
    start = text.index("@compose", text.index("graph VGG16"))
    found = [hint for hint in hints if hint.offset > start]
    assert len(found) == text.count(" = ", start)
    assert all(hint.text.startswith("real[1,") for hint in found)


def test_damage_does_no_harm():
    text = FIXTURES[0].read_text()
    chance = random.Random(3)
    for _ in range(tries(10, 40)):
        start = chance.randrange(len(text))
        damaged = text[:start] + chance.choice(["", "{", ";", "'"]) + text[start + chance.randrange(20) :]
        for hint in inlay_hints(snapshot_of({"main.sknd": damaged}), "main.sknd", kinds=ALL_KINDS):
            assert 0 <= hint.offset <= len(damaged)
            assert hint.text
