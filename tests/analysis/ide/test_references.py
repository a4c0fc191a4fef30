"""Definitions and references over the library and the examples: each leads back to where it came from."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from snd_analysis.ide import highlights, references
from snd_analysis.ide.mentions import mentions
from snd_analysis.ide.navigation import definition, implementation, type_definition
from snd_analysis.skriptnd.names import BuiltIn
from support.memory import read_program, snapshot_of
from support.sampling import sample

ROOT = Path(__file__).parents[3]
PROGRAMS = [
    *sorted((ROOT / "analysis" / "snd_analysis" / "libraries" / "std").glob("*.sknd")),
    *(path for path in sorted(ROOT.glob("examples/*")) if path.name != "broken"),
]


@pytest.mark.parametrize("program", sample(PROGRAMS, 5), ids=lambda path: path.stem)
def test_every_reference_leads_back_to_the_same_set(program: Path):
    files = read_program(program)
    snapshot = snapshot_of(files)
    chance = random.Random(program.name)
    for path in files:
        uses = [each for each in mentions(snapshot, path) if not isinstance(each.subject, BuiltIn)]
        for each in chance.sample(uses, min(12, len(uses))):
            found = references(snapshot, path, each.span.start, files)
            assert each.span in [place.span for place in found if place.path == path]
            for place in chance.sample(found, min(6, len(found))):
                assert references(snapshot, place.path, place.span.start, files) == found
            link = definition(snapshot, path, each.span.start)
            assert link is not None
            own = link.name.path in files and link.name.span.end
            assert not own or link.name in found
            here = [occurrence.location for occurrence in highlights(snapshot, path, each.span.start)]
            assert here == [place for place in found if place.path == path]


TEXT = """import math;

operator twice {
    @dtype { T: num; }
    @attrib { factor: T = 2; }
    @input { x: T[n]; }
    @output { y: T[n]; }
    @lower { y[i,] = x[i,] * factor, i < n; }
}

graph main {
    @input { a: real[4]; }
    @output { c: real[4]; }
    @compose {
        b = twice{factor=3.0}(a);
        c = math.add(b, b);
    }
}
"""


def _at(text: str, behind: str) -> int:
    return TEXT.index(text, TEXT.index(behind))


@pytest.mark.parametrize(
    ("cursor", "behind", "target"),
    [
        ("twice{", "@compose", "twice {"),
        ("factor=", "@compose", "factor: T"),
        ("b, b", "@compose", "b = twice"),
        ("x[i,]", "@lower", "x: T[n]"),
        ("n;", "@lower", "n]; }"),
        ("i,] *", "@lower", "i < n"),
        ("T[n]", "@output", "T: num"),
    ],
)
def test_names_lead_to_their_declarations(cursor: str, behind: str, target: str):
    link = definition(snapshot_of({"main.sknd": TEXT}), "main.sknd", _at(cursor, behind))
    assert link is not None
    assert TEXT[link.name.span.start :].startswith(target), TEXT[link.name.span.start :][:20]


def test_names_of_other_modules():
    snapshot = snapshot_of({"main.sknd": TEXT})
    link = definition(snapshot, "main.sknd", _at("add(", "@compose") + 1)
    assert link is not None
    assert link.name.path == "snd:math"
    assert snapshot.source("snd:math").text[link.name.span.start :].startswith("add {")
    module = definition(snapshot, "main.sknd", TEXT.index("math;"))
    assert module is not None
    assert (module.name.path, module.name.span.start) == ("snd:math", 0)


def test_types_and_what_operators_do():
    snapshot = snapshot_of({"main.sknd": TEXT})
    generic = type_definition(snapshot, "main.sknd", _at("x[i,]", "@lower"))
    assert generic is not None
    assert TEXT[generic.name.span.start :].startswith("T: num")
    producer = type_definition(snapshot, "main.sknd", _at("b, b", "@compose"))
    assert producer is not None
    assert TEXT[producer.name.span.start :].startswith("twice {")
    (link,) = implementation(snapshot, "main.sknd", _at("twice{", "@compose"))
    assert TEXT[link.name.span.start :].startswith("@lower")


def test_nothing_is_found_where_nothing_is_named():
    snapshot = snapshot_of({"main.sknd": TEXT})
    for offset in (TEXT.index("@dtype"), TEXT.index("{"), len(TEXT) + 5):
        assert definition(snapshot, "main.sknd", offset) is None
        assert references(snapshot, "main.sknd", offset, []) == []


def test_names_of_the_library_are_found_where_they_are_declared():
    snapshot = snapshot_of({"main.sknd": TEXT})
    at = _at("add(", "@compose")
    found = references(snapshot, "main.sknd", at, ["main.sknd"])
    link = definition(snapshot, "main.sknd", at)
    assert link is not None
    assert link.name in found
    assert [place.span.start for place in found if place.path == "main.sknd"] == [at]
    used = references(snapshot, "main.sknd", at, ["main.sknd"], with_declaration=False)
    assert used == [place for place in found if place != link.name]
