"""Hovers: what they say, and that nothing is without one."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from snd_analysis.base import Edit, Span
from snd_analysis.ide.hover import hover
from snd_analysis.ide.hover.expressions import vocabulary
from snd_analysis.ide.inlay_hints import inlay_hints
from snd_analysis.ide.semantic_tokens import semantic_tokens
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.names import BUILT_INS, library_modules
from snd_analysis.skriptnd.syntax import keywords
from snd_analysis.workspace import Snapshot, Workspace
from support.analysis.placed_uses import uses_in
from support.memory import MemoryReader, read_program, snapshot_of
from support.sampling import sample, tries

ROOT = Path(__file__).parents[3]
FIXTURES = sorted((ROOT / "tests" / "fixtures" / "ide" / "hover").glob("*.sknd"))
EXAMPLES = [path for path in sorted(ROOT.glob("examples/*")) if path.name != "broken"]
_MARKER = re.compile(r"^#(?P<blank> *)\^ hover$")


def _without_markers(text: str) -> tuple[str, list[int]]:
    """A fixture without its markers, and the offsets that they point at."""
    kept: list[str] = []
    offsets: list[int] = []
    for line in text.splitlines(keepends=True):
        marker = _MARKER.match(line.rstrip("\n"))
        if marker is None:
            kept.append(line)
        else:
            offsets.append(sum(map(len, kept[:-1])) + 1 + len(marker["blank"]))
    return "".join(kept), offsets


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_hovers_are_those_of_the_goldens(fixture: Path, golden: Callable[[str, str], None]):
    text, offsets = _without_markers(fixture.read_text())
    snapshot = snapshot_of({"main.sknd": text})
    shown: list[str] = []
    for offset in offsets:
        place = snapshot.source("main.sknd").position(offset)
        line = snapshot.source("main.sknd").line_text(place.line)
        found = hover(snapshot, "main.sknd", offset)
        what = "nothing" if found is None else text[found.span.start : found.span.end]
        assert found is None or found.span.start <= offset <= found.span.end
        head = f"# Line {place.line}, column {place.column}: {what!r}\n\n    {line}\n    {' ' * (place.column - 1)}^\n"
        shown.append(f"{head}\n{'nothing' if found is None else found.markdown}\n")
    golden(f"hover_{fixture.stem}.md", "\n".join(shown))


def _assert_names_answer(snapshot: Snapshot, path: str) -> None:
    text = snapshot.source(path).text
    for each in uses_in(snapshot, path):
        found = hover(snapshot, path, each.span.start)
        assert found is not None, (path, snapshot.source(path).position(each.span.start))
        assert found.span == each.span
        assert text[each.span.start : each.span.end].rpartition(".")[2] in found.markdown
    for start, definition in snapshot.tree(path).definitions:
        found = hover(snapshot, path, definition.name.start + start)
        assert found is not None
        assert f"{definition.kind} {definition.name.text} {{" in found.markdown


@pytest.mark.parametrize("module", sample(library_modules(), 2))
def test_every_name_of_the_library_answers(module: str):
    _assert_names_answer(snapshot_of({}), f"snd:{module}")


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_every_name_of_the_examples_answers(program: Path):
    files = read_program(program)
    snapshot = snapshot_of(files)
    for path in files:
        _assert_names_answer(snapshot, path)


def test_every_keyword_block_type_and_function_is_explained():
    snapshot = snapshot_of({})
    words = [*keywords(), *(f"@{block}" for block in vocabulary()["blocks"])]
    for word in words:
        behind = " 1" if word == "version" else " a" if word == "extension" else ""
        snapshot = snapshot_of({"a.sknd": f"{word}{behind}"})
        found = hover(snapshot, "a.sknd", 0)
        assert found is not None, word
        assert found.span == Span(0, len(word))
    assert set(vocabulary()["functions"]) == BUILT_INS
    blocks = {"dtype", "attrib", "input", "output", "constant", "variable", "using", "assert", "lower", "compose",
              "update", "quantize"}  # fmt: skip
    assert set(vocabulary()["blocks"]) == blocks


def test_sections_of_the_vocabulary_are_those_of_chapter_two():
    for entries in vocabulary().values():
        for word, entry in entries.items():
            for section in entry.section.split(", "):
                assert section == "LANGUAGE" or re.fullmatch(r"2\.\d+(\.\d)?", section), word


def test_every_rule_is_explained_where_it_is_suppressed():
    names = catalogue.names()
    text = f"# snd: ignore[{', '.join(names)}] all\n"
    snapshot = snapshot_of({"a.sknd": text})
    for name in names:
        found = hover(snapshot, "a.sknd", text.index(name))
        assert found is not None
        assert name in found.markdown or catalogue.page(catalogue.rule(name)).summary in found.markdown


@pytest.mark.parametrize("program", ["lenet", "lstm", "transformer"])
def test_damage_does_no_harm(program: str):
    files = read_program(ROOT / "examples" / program)
    chance = random.Random(program)
    for path, text in files.items():
        for _ in range(tries(2, 6)):
            start = chance.randrange(len(text))
            damaged = text[:start] + chance.choice(["", "{", ";", "'", "= ="]) + text[start + chance.randrange(12) :]
            snapshot = snapshot_of({**files, path: damaged})
            for offset in chance.sample(range(len(damaged) + 1), 25):
                found = hover(snapshot, path, offset)
                assert found is None or 0 <= found.span.start <= found.span.end <= len(damaged)


def test_answers_after_edits_are_those_of_a_fresh_start():
    body = "".join(f"        t{at + 1} = math.add(t{at}, x);\n" for at in range(80))
    text = (
        "import math;\n\ngraph main {\n    @attrib { n: int = 4; }\n    @input { x: real[n, 8]; }\n"
        f"    @output {{ y: real[n, 8]; }}\n    @compose {{\n        t0 = math.neg(x);\n{body}"
        "        y = math.neg(t80);\n    }\n}\n"
    )
    workspace = Workspace(MemoryReader({}))
    workspace.open("main.sknd", text)
    workspace.snapshot().diagnostics("main.sknd")
    for old, new in (("n: int = 4", "n: int = 5"), ("math.add(t7, x)", "math.mul(t7, t3)"), ("t40, x)", "t40, 2.0)")):
        at = text.index(old)
        text = text.replace(old, new)
        workspace.edit("main.sknd", [Edit(Span(at, at + len(old)), new)])
        now, fresh = workspace.snapshot(), snapshot_of({"main.sknd": text})
        for token in fresh.tree("main.sknd").chunks[-1].chunk.tokens.tokens[::5]:
            offset = token.start + fresh.tree("main.sknd").chunks[-1].start
            assert hover(now, "main.sknd", offset) == hover(fresh, "main.sknd", offset)
        assert inlay_hints(now, "main.sknd") == inlay_hints(fresh, "main.sknd")
        assert semantic_tokens(now, "main.sknd") == semantic_tokens(fresh, "main.sknd")


def test_expressions_in_long_blocks_answer_whatever_was_asked_before():
    variables = "".join(f"        v{at}: real[8, n + {at}];\n" for at in range(80))
    constants = "".join(f"        k{at}: real[n, {at + 1}]..(2) = [-{at}.5, 1.5];\n" for at in range(80))
    body = "".join(f"        t{at + 1} = math.clamp(t{at}, -{at}.0, {at}.0 + 0.5);\n" for at in range(80))
    updates = "".join(f"        v{at} = math.mul(v{at}, {at}.25);\n" for at in range(80))
    text = (
        "import math;\n\ngraph main {\n    @attrib { n: int = 4; }\n    @input { x: real[n, 8]; }\n"
        f"    @output {{ y: real[n, 8]; }}\n    @constant {{\n{constants}    }}\n    @variable {{\n{variables}    }}\n"
        f"    @compose {{\n        t0 = math.neg(x);\n{body}        y = math.neg(t80);\n    }}\n"
        f"    @update {{\n{updates}    }}\n}}\n"
    )
    workspace = Workspace(MemoryReader({}))
    workspace.open("main.sknd", text)
    assert {each.rule.name for each in workspace.snapshot().diagnostics("main.sknd")} == {"unused-symbol"}
    at = text.index("t5, -5.0")
    text = text.replace("t5, -5.0", "t4, -5.0")
    workspace.edit("main.sknd", [Edit(Span(at, at + 8), "t4, -5.0")])
    now, fresh, asked = workspace.snapshot(), snapshot_of({"main.sknd": text}), snapshot_of({"main.sknd": text})
    for _ in range(2):
        now.diagnostics("main.sknd")
        asked.diagnostics("main.sknd")
    places = {
        "v40: real[^8": "8: int", "n ^+ 41": "n + 41: int", "k42: real[^n": "n: int", "[-^43.5": "43.5: real",
        "t44, -^44.0": "44.0: real", "45.0 ^+ 0.5": "45.0 + 0.5: real", "v46, ^46.25": "46.25: real",
    }  # fmt: skip
    for place, shown in places.items():
        offset = text.index(place.replace("^", "")) + place.index("^")
        expected = hover(fresh, "main.sknd", offset)
        assert hover(now, "main.sknd", offset) == hover(asked, "main.sknd", offset) == expected, place
        assert expected is not None
        assert shown in expected.markdown, place


def test_outside_of_everything():
    snapshot = snapshot_of({"a.sknd": "\n\n"})
    for offset in (-1, 0, 1, 2, 99):
        assert hover(snapshot, "a.sknd", offset) is None
    assert hover(snapshot, "no-such-file.sknd", 0) is None


FLOWING = """\
# >>> f{size=3, stride=2}(random[1,9])
operator f {
    @attrib { size: int; stride: int; }
    @input { x: real[b,n]; }
    @output { y: real[b,(n - size) / stride + 1]; }
    @lower { BODY }
}
"""


@pytest.mark.parametrize(
    ("body", "flow"),
    [
        ("y[i,k] >?= x[i,k * stride + l], i < b, k < (n - size) / stride + 1, l < size;", "y[0,2] reads x[0,4..6]"),
        (
            "y[i,k] += x[i,|k + 2 * l - 1|], i < b, k < (n - size) / stride + 1, l < size;",
            "y[0,2] reads x[0,1..5 by 2]",
        ),
        ("y[i,k] = x[i,0] + x[i,k], i < b, k < (n - size) / stride + 1;", "y[0,2] reads x[0,0]"),
        ("y[i,k] = x[i,int(x[i,k])], i < b, k < (n - size) / stride + 1;", None),
    ],
)
def test_an_access_tells_what_an_element_of_the_result_reads(body: str, flow: str | None):
    text = FLOWING.replace("BODY", body)
    found = hover(snapshot_of({"main.sknd": text}), "main.sknd", text.index("x[i,") + 1)
    assert found is not None
    assert (f"`{flow}` in the sample" in found.markdown) if flow else " reads " not in found.markdown


PACKED = """\
# >>> g([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], random[3])
operator g {
    @input { x: real[n]..(k); w: real[n]; }
    @output { y: real[n]; z: real[n]; }
    @lower {
        unroll..(j -> k) y[i,] += x[j][i,] * w[n - 1 - i,], i < n;
        z[i,] = (i > 0 ? x[0][i,] : w[i,]), i < n;
    }
}
"""


@pytest.mark.parametrize(
    ("snippet", "told"),
    [
        ("y[i,]", "y[1,] reads x[0][1,], w[1,], x[1][1,]"),
        ("x[j][i,]", "y[1,] reads x[0][1,], x[1][1,]"),
        ("w[n - 1 - i,]", "y[1,] reads w[1,]"),
        ("w[n - 1 - i,]", "w[1,] is read for y[1,]"),
        ("x[0][i,]", "z[1,] reads x[0][1,]"),
        ("w[i,]", None),
    ],
)
def test_data_flow_goes_through_packs_loops_and_branches(snippet: str, told: str | None):
    found = hover(snapshot_of({"main.sknd": PACKED}), "main.sknd", PACKED.index(snippet) + len(snippet) - 1)
    assert found is not None
    assert (f"`{told}` in the sample" in found.markdown) if told else " reads " not in found.markdown


def test_an_access_tells_which_elements_are_made_of_one_that_it_reads():
    text = FLOWING.replace("BODY", "y[i,k] >?= x[i,k * stride + l], i < b, k < (n - size) / stride + 1, l < size;")
    found = hover(snapshot_of({"main.sknd": text.replace("stride=2", "stride=1")}), "main.sknd", text.index("x[i,") + 1)
    assert found is not None
    assert "`x[0,4] is read for y[0,2..4]`" in found.markdown
