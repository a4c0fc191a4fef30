"""Completions: their items, the original text among them, and their validity."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from snd_analysis.base import Edit, Severity, Span
from snd_analysis.ide.completion import Completion, CompletionKind, Completions, completions, documentation
from snd_analysis.ide.completion.stack import stack_of
from snd_analysis.ide.cursor import PlacedUse
from snd_analysis.skriptnd.names import AttributeName, ModuleName, OperatorName, Role
from snd_analysis.skriptnd.syntax import nodes, tokenize
from snd_analysis.workspace import Snapshot, Workspace
from support.analysis.placed_uses import uses_in
from support.memory import MemoryReader, read_program, snapshot_of
from support.sampling import tries

ROOT = Path(__file__).parents[3]
FIXTURES = sorted((ROOT / "tests" / "fixtures" / "ide" / "completion").glob("*.sknd"))
PROGRAMS = [path for path in sorted(ROOT.glob("examples/*")) if path.name != "broken"]
LIBRARY = ROOT / "analysis" / "snd_analysis" / "libraries" / "std"
# Number of items in a golden, number of places tried in each program, and greatest rank of the original.
_SHOWN, _TRIED, _FIRST = 12, tries(6, 12), 40
# An operator may be any of hundreds, as long as nothing of its name is written.
_FIRST_OPERATORS = 250
_MARKER = re.compile(r"^(?P<blank>[ \t]*#?[ \t]*)\^ complete(?P<snippets> with snippets)?$")
_WORDS = (CompletionKind.KEYWORD, CompletionKind.VALUE)
_FITTING = (CompletionKind.TENSOR, CompletionKind.NAME, CompletionKind.VALUE, CompletionKind.MEMBER)
# A completed name may have another meaning or value than the original: types alone can't exclude that. And a pack may
# stand where a single value is needed, if an index follows.
_OF_NAMES = frozenset(
    {
        "undefined-name", "not-visible", "used-before-definition", "syntax-error", "unknown-operator", "unknown-module",
        "unknown-attribute", "duplicate-attribute", "tensor-in-expression", "access-outside-lower",
        "reads-own-output", "graph-invoked", "recursion", "result-count", "illegal-assignment",
    }
)  # fmt: skip


def _without_markers(text: str) -> tuple[str, list[tuple[int, bool]]]:
    """A fixture without its markers; where each caret stands above, and whether snippets are taken there.

    A caret points behind the last character before the cursor.
    """
    kept: list[str] = []
    places: list[tuple[int, bool]] = []
    for line in text.splitlines(keepends=True):
        marker = _MARKER.match(line.rstrip("\n"))
        if marker is None:
            kept.append(line)
            continue
        column = min(marker.end("blank"), len(kept[-1].rstrip("\n")))
        places.append((sum(map(len, kept[:-1])) + column, marker["snippets"] is not None))
    return "".join(kept), places


def _shown(item: Completion) -> str:
    parts = [f"{item.label:<24}", str(item.kind)]
    if item.text and item.text != item.label:
        parts.append(f"writes {item.text!r}")
    parts += [f"({item.detail})"] if item.detail else []
    parts += [f"and {edit.text!r} at {edit.location.span.start}" for edit in item.edits]
    return "    " + "  ".join(parts).rstrip()


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_completions_are_those_of_the_goldens(fixture: Path, golden: Callable[[str, str], None]):
    text, places = _without_markers(fixture.read_text())
    snapshot = snapshot_of({"main.sknd": text})
    source = snapshot.source("main.sknd")
    shown: list[str] = []
    for offset, snippets in places:
        found = completions(snapshot, "main.sknd", offset, snippets)
        at = source.position(offset)
        line = source.line_text(at.line)
        shown.append(f"{line[: at.column - 1]}│{line[at.column - 1 :]}")
        shown += [_shown(item) for item in found.items[:_SHOWN]]
        shown += ["    …"] if len(found.items) > _SHOWN else [] if found.items else ["    nothing"]
        shown.append("")
    golden(f"completion_{fixture.stem}.txt", "\n".join(shown))


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_what_is_offered_is_documented(fixture: Path):
    text, places = _without_markers(fixture.read_text())
    snapshot = snapshot_of({"main.sknd": text})
    for offset, _ in places:
        for item in completions(snapshot, "main.sknd", offset).items[:_SHOWN]:
            # A name that an unfinished statement declares is not known elsewhere yet.
            if item.subject and item.label not in ("s", "i"):
                assert documentation(snapshot, item.subject, "main.sknd"), (item, text[offset - 30 : offset])


# ---- what stood there ------------------------------------------------------------------------------------------------
def _programs() -> Iterator[tuple[str, dict[str, str]]]:
    for path in PROGRAMS:
        yield path.name, read_program(path)
    yield "library", {path.name: path.read_text() for path in sorted(LIBRARY.glob("*.sknd"))}


def _uses(files: Mapping[str, str], count: int) -> Iterator[tuple[Workspace, str, PlacedUse, Completions]]:
    """Yield names that are taken out, each with the completions at its place."""
    workspace = Workspace(MemoryReader(files))
    snapshot = workspace.snapshot()
    uses = [(path, use) for path in files for use in uses_in(snapshot, path) if use.use.role is not Role.DECLARATION]
    uses = [(path, use) for path, use in uses if "." not in files[path][use.span.start : use.span.end]]
    for path, use in random.sample(uses, min(count, len(uses))):
        workspace.open(path, files[path])
        workspace.edit(path, [Edit(use.span, "")])
        yield workspace, path, use, completions(workspace.snapshot(), path, use.span.start, files=list(files))
        workspace.open(path, files[path])


def _accepted(text: str, found: Completions, item: Completion) -> str:
    edits = [Edit(found.replace, item.inserted), *(Edit(edit.location.span, edit.text) for edit in item.edits)]
    for edit in sorted(edits, key=lambda each: each.span, reverse=True):
        text = edit.apply(text)
    return text


@pytest.mark.parametrize("name", [name for name, _ in _programs()])
def test_a_name_that_is_taken_out_is_offered(name: str):
    files = dict(_programs())[name]
    for workspace, path, use, found in _uses(files, _TRIED):
        text = workspace.snapshot().source(path).text
        of_module = isinstance(use.use.target, OperatorName | ModuleName)
        texts = [_accepted(text, found, item) for item in found.items[: _FIRST_OPERATORS if of_module else _FIRST]]
        place = files[path][max(0, use.span.start - 40) : use.span.end + 20]
        assert files[path] in texts, (path, place, [item.label for item in found.items[:_FIRST]])


@pytest.mark.parametrize("name", [name for name, _ in _programs()])
def test_a_name_that_is_begun_stands_far_above(name: str):
    files = dict(_programs())[name]
    for workspace, path, use, _ in _uses(files, _TRIED):
        word = files[path][use.span.start : use.span.end]
        written = word[: (len(word) + 1) // 2]
        workspace.edit(path, [Edit(Span(use.span.start, use.span.start), written)])
        snapshot = workspace.snapshot()
        found = completions(snapshot, path, use.span.start + len(written), files=list(files))
        texts = [_accepted(snapshot.source(path).text, found, item) for item in found.items[:20]]
        assert files[path] in texts, (path, word, [item.label for item in found.items[:20]])


def test_what_is_offered_is_no_mistake():
    """No undefined or misplaced name is offered."""
    for _, files in _programs():
        if "layout.sknd" in files:
            continue
        for workspace, path, use, found in _uses(files, tries(3, 6)):
            text = workspace.snapshot().source(path).text
            items = [item for item in found.items if item.kind in _FITTING]
            for item in random.sample(items, min(2, len(items))):
                workspace.open(path, _accepted(text, found, item))
                start, end = found.insert.start, found.insert.start + len(item.inserted)
                wrong = [
                    each for each in workspace.snapshot().diagnostics(path)
                    if each.rule.name in _OF_NAMES and each.severity is Severity.ERROR
                    and each.location.span.start <= end and start <= each.location.span.end
                ]  # fmt: skip
                assert not wrong, (text[start - 40 : start], item, wrong, use)


@pytest.mark.parametrize("name", [name for name, _ in _programs()])
def test_what_is_accepted_behind_any_token_can_be_gone_on_with(name: str):
    """With what follows kept, cut off, or cut off up to the end of the definition."""
    files = dict(_programs())[name]
    for path, text in random.sample(sorted(files.items()), min(4, len(files))):
        for token in random.sample(tokenize(text).tokens, min(_TRIED // 2, len(tokenize(text).tokens))):
            for rest in (text[token.end :], "", "\n    }\n}\n"):
                here = f"{text[: token.end]} {rest}"
                snapshot = snapshot_of({**files, path: here})
                start = max(placed.start for placed in snapshot.tree(path).chunks if placed.start <= token.end)
                if not stack_of(here[start : token.end]).is_certain:
                    continue
                found = completions(snapshot, path, token.end + 1, files=list(files))
                kinds = {(item.kind, item.kind in _WORDS and item.label): item for item in found.items}
                for item in kinds.values():
                    assert stack_of(here[start : found.insert.start] + item.inserted).is_certain, (
                        path, here[max(0, token.end - 60) : token.end], item,
                    )  # fmt: skip


# ---- edges -----------------------------------------------------------------------------------------------------------
def test_nothing_fails_anywhere():
    """A file that is written character by character, and one that is cut anywhere."""
    texts = [(LIBRARY / "quant.sknd").read_text(), (ROOT / "examples" / "broken" / "main.sknd").read_text()]
    for text in texts:
        for end in random.sample(range(len(text)), 25):
            snapshot = snapshot_of({"main.sknd": text[:end]})
            for offset in (end, random.randint(0, end)):
                found = completions(snapshot, "main.sknd", offset, snippets=True)
                assert found.insert.end == offset
                assert found.replace.start == found.insert.start


@pytest.mark.parametrize(
    "text", ["", "\n", "#", "# ", "\ufeff", "@", ".", "operator", "graph g {", "x.y.z", "'", '"{', "((("]
)
def test_next_to_nothing(text: str):
    for offset in range(len(text) + 1):
        completions(snapshot_of({"main.sknd": text}), "main.sknd", offset)


def _labels(text: str) -> list[str]:
    at = text.index("│")
    return [
        item.label for item in completions(snapshot_of({"main.sknd": text.replace("│", "")}), "main.sknd", at).items
    ]


def test_what_is_local_to_a_region_is_visible_there_alone():
    text = """graph g {
    @input { c: bool; x: real[4]; }
    @output { y: real[4]; }
    @compose {
        y = if c then { inner = (x); yield %s; } else %s;
    }
}
"""
    assert "inner" in _labels(text % ("│", "x"))
    assert "inner" not in _labels(text % ("x", "│"))


def test_operators_do_not_recur():
    text = """operator outer { @input { x: real[n]; } @output { y: real[n]; } @compose { y = inner(x); } }
operator inner { @input { x: real[n]; } @output { y: real[n]; } @compose { y = │(x); } }
operator other { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,], i < n; } }
"""
    labels = _labels(text)
    assert "other" in labels
    assert not {"inner", "outer"} & {*labels}


def test_strings_that_an_attribute_may_be():
    text = """import nn;
graph g {
    @input { x: real[1, 3, 8, 8]; }
    @output { y: real[1, 3, 8, 8]; }
    @compose { y = nn.max_pool{size=1, %s}(x); }
}
"""
    assert _labels(text % "padding_align='│'") == ["UPPER", "LOWER"]
    assert _labels(text % "padding_align='L│") == ["LOWER"]
    assert _labels(text % "padding_align=│")[:2] == ["'UPPER'", "'LOWER'"]
    assert _labels(text % "size='│'") == []


@pytest.mark.parametrize(
    ("typed", "label", "detail", "imports"),
    [
        ("Conv2", "layer.conv", "PyTorch nn.Conv2d, import layer", 1),
        ("layer_no", "nn.mean_variance_norm", "PyTorch F.layer_norm", 0),
        ("LayerNormal", "nn.mean_variance_norm", "ONNX LayerNormalization", 0),
        ("bmm", "linalg.matmul", "PyTorch torch.bmm, import linalg", 1),
    ],
)
def test_operators_by_their_names_in_other_frameworks(typed: str, label: str, detail: str, imports: int):
    text = f"import nn;\ngraph g {{ @input {{ x: real[2]; }} @output {{ y: real[2]; }} @compose {{ y = {typed}"
    found = next(item for item in completions(snapshot_of({"main.sknd": text}), "main.sknd", len(text)).items
                 if item.label == label)  # fmt: skip
    assert (found.detail, len(found.edits)) == (detail, imports)


def test_modules_beside_the_file():
    files = {"main.sknd": "import \n", "blocks/down.sknd": "operator a { @output { y: real[1]; } }", "part.sknd": ""}
    found = completions(snapshot_of(files), "main.sknd", 7, files=list(files))
    labels = [item.label for item in found.items]
    assert labels[:2] == ["blocks.down", "part"]
    assert "math" in labels
    inner = snapshot_of({**files, "main.sknd": "import blocks.\n"})
    assert [item.label for item in completions(inner, "main.sknd", 14, files=list(files)).items] == ["down"]


@pytest.mark.parametrize(
    "text",
    [
        "import nn;\n│\noperator f { }\n", "import nn;\n# a comment\n│\noperator f { }\n", "import nn; │",
        "import nn, math;\n\n│\nimport image;\n", "import nn;\nimport math;\n│",
    ],
)  # fmt: skip
def test_no_module_stands_behind_an_import(text: str):
    assert set(_labels(text)) == {"graph", "import", "operator", "public"}


@pytest.mark.parametrize("text", ["import nn, │", "import nn;\nimport │\noperator f { }\n", "import nn, im│;\n"])
def test_modules_stand_in_an_import(text: str):
    assert "image" in _labels(text)
    assert not {"nn", "operator"} & set(_labels(text))


def test_extensions_are_no_modules():
    assert _labels("extension one, │") == []


def _written(text: str, snippets: bool) -> dict[str, tuple[str, bool]]:
    """Return the inserted texts of the items, by their labels, each with True for a snippet."""
    at = text.index("│")
    found = completions(snapshot_of({"main.sknd": text.replace("│", "")}), "main.sknd", at, snippets)
    return {item.label: (item.inserted, item.is_snippet) for item in found.items}


def test_keywords_come_with_what_must_follow():
    found = _written("│\n", snippets=True)
    assert found["import"] == ("import ${1:module};", True)
    assert found["extension"] == ("extension ${1:name};", True)
    assert found["version"] == ("version 2.0;", False)
    assert found["public"][0].startswith("public operator ${1:name} {\n")
    assert found["operator"][0].startswith("operator ${1:name} {\n")
    assert _written("imp│ nn;\n", snippets=True) == {"import": ("import", False)}
    assert _written("pub│ operator f { }\n", snippets=True) == {"public": ("public", False)}
    plain = _written("│\n", snippets=False)
    assert plain["import"] == ("import", False)
    assert plain["extension"] == ("extension ", False)
    assert plain["public"] == ("public", False)


def test_a_long_graph_is_no_obstacle():
    """One statement is read again, not all."""
    statements = "\n".join(f"        t{at + 1} = math.add(t{at}, t0);" for at in range(1500))
    head = "import math;\ngraph g {\n    @input { t0: real[4]; }\n    @output { y: real[4]; }\n    @compose {\n"
    text = f"{head}{statements}\n        y = math.mul(, t0);\n    }}\n}}\n"
    snapshot = snapshot_of({"main.sknd": text})
    at = text.index("mul(") + 4
    completions(snapshot, "main.sknd", at)  # types are known from then on, as they are while somebody writes
    started = time.process_time()
    found = completions(snapshot, "main.sknd", at)
    assert found.items[0].label == "t1500"
    assert time.process_time() - started < 60


def _attribute(use: PlacedUse) -> bool:
    return isinstance(use.use.target, AttributeName) and not isinstance(use.definition, nodes.Import)


def test_required_attributes_stand_first():
    files = read_program(ROOT / "examples" / "lenet")
    snapshot: Snapshot = snapshot_of(files)
    for use in filter(_attribute, uses_in(snapshot, "main.sknd")):
        found = completions(snapshot, "main.sknd", use.span.start)
        groups = [item.group for item in found.items]
        assert groups == sorted(groups)


def test_more_is_known_to_be_offered_as_soon_as_a_letter_is_written():
    text = "import math;\ngraph g { @input { x: real[2]; } @output { y: real[2]; } @compose { y = %s; } }\n"
    for written, is_incomplete in (("", True), ("s", True), ("math.", False)):
        here = text % written
        found = completions(snapshot_of({"main.sknd": here}), "main.sknd", here.index("y = ") + 4 + len(written))
        assert found.items
        assert found.is_incomplete is is_incomplete, written
