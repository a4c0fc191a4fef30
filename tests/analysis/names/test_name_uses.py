"""Every name in every file leads to its subject, and from there to all of its uses (invariant 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from snd_analysis.base import Diagnostic, Span
from snd_analysis.skriptnd.names import (
    AttributeName,
    BuiltIn,
    ModuleName,
    OperatorName,
    Resolution,
    Role,
    ShapeMember,
    Symbol,
    Use,
)
from snd_analysis.skriptnd.syntax import Chunk, nodes, tokenize
from snd_analysis.workspace import Snapshot
from support.memory import check, read_program, shown, snapshot_of
from support.sampling import sample

ROOT = Path(__file__).parents[3]
PROGRAMS = [
    *sample(sorted((ROOT / "analysis" / "snd_analysis" / "libraries" / "std").glob("*.sknd")), 4),
    *sample(sorted(ROOT.glob("tests/fixtures/valid/*")), 30),
    *sample(sorted(ROOT.glob("tests/fixtures/listings/*")), 10),
    *(path for path in sorted(ROOT.glob("examples/*")) if path.name != "broken"),
]
IDS = [f"{path.parent.name}/{path.stem}" for path in PROGRAMS]


Program: TypeAlias = tuple[dict[str, str], Snapshot]


@pytest.fixture(scope="module", params=PROGRAMS, ids=IDS)
def program(request: pytest.FixtureRequest) -> Program:
    """Each program, read once for all that must hold of it."""
    files = read_program(request.param)
    return files, snapshot_of(files)


def _resolutions(snapshot: Snapshot, path: str) -> Iterator[tuple[int, Resolution]]:
    for placed in snapshot.tree(path).chunks:
        for definition in placed.chunk.definitions:
            yield placed.start, snapshot.resolution(path, definition)


def _uses(snapshot: Snapshot, path: str) -> Iterator[tuple[Span, Use]]:
    for start, resolution in _resolutions(snapshot, path):
        for use in resolution.uses:
            yield use.span.shifted(start), use
    for placed, checked in snapshot.checked_samples(path):
        for use in snapshot.sample_uses(checked):
            yield use.span.shifted(placed.start), use


def _spelled(use: Use, text: str) -> bool:
    """Return whether the text at a use is a name of its target; a module is named as it is imported."""
    target = use.target
    if isinstance(target, ModuleName):
        return target.path.endswith(f"{text.replace('.', '/')}.sknd") or target.path == f"snd:{text}"
    name = target.tensor.name if isinstance(target, ShapeMember) else target.name
    return "".join(text.split()) == name


def test_a_use_spells_the_name_of_its_target(program: Program):
    files, snapshot = program
    for path, text in files.items():
        for span, use in _uses(snapshot, path):
            assert _spelled(use, text[span.start : span.end]), (path, span, use)


def test_a_symbol_is_declared_once_where_it_says(program: Program):
    files, snapshot = program
    for path in files:
        for _, resolution in _resolutions(snapshot, path):
            declared = [use for use in resolution.uses if use.role is Role.DECLARATION]
            assert [use.target for use in declared] == list(resolution.symbols)
            assert [use.span for use in declared] == [resolution.span(symbol) for symbol in resolution.symbols]
            known = set(resolution.symbols)
            targets = {use.target for use in resolution.uses if isinstance(use.target, Symbol)}
            assert targets == known


def test_nothing_is_used_twice_at_one_place(program: Program):
    files, snapshot = program
    for path in files:
        places = Counter(span for span, _ in _uses(snapshot, path))
        assert [span for span, times in places.items() if times > 1] == []


def test_every_identifier_is_a_use(program: Program):
    """Apart from the names of definitions and modules, and ``shape``, ``rank`` and ``size`` behind a dot."""
    files, snapshot = program
    for path, text in files.items():
        covered = [span for span, _ in _uses(snapshot, path)]
        tree = snapshot.tree(path)
        covered += [definition.name.span.shifted(start) for start, definition in tree.definitions]
        for placed in tree.chunks:
            heads = (nodes.Import, nodes.Version, nodes.Extension)
            items = placed.chunk.document.items
            covered += [item.span.shifted(placed.start) for item in items if isinstance(item, heads)]
            covered += [span.shifted(placed.start) for span in _quantized(placed.chunk)]
        for token in tokenize(text).tokens:
            if token.kind != "ID" or any(span.start <= token.start and token.end <= span.end for span in covered):
                continue
            word = text[token.start : token.end]
            behind_dot = text[: token.start].rstrip().endswith(".")
            assert behind_dot, f"{path}: {word!r} at {token.start} is no use: {_line(text, token.start)}"
            assert word in ("shape", "rank", "size")


def _quantized(chunk: Chunk) -> list[Span]:
    """Return the spans of tensors in ``@quantize``: only the first part of a path is a use in the graph itself."""
    return [
        entry.statement.target.span.shifted(entry.start)
        for definition in chunk.definitions
        for block in definition.blocks
        for entry in (block.entries if isinstance(block, nodes.Block) else ())
        if isinstance(entry.statement, nodes.Quantization)
    ]


def test_the_tensors_of_quantize_are_uses():
    files = read_program(ROOT / "tests" / "fixtures" / "listings" / "2_14_quantize.sknd")
    snapshot = snapshot_of(files)
    covered = [span for span, _ in _uses(snapshot, "main.sknd")]
    named = [span.shifted(at.start) for at in snapshot.tree("main.sknd").chunks for span in _quantized(at.chunk)]
    assert named
    for whole in named:
        assert any(whole.start <= span.start and span.end <= whole.end for span in covered)


def _line(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)].strip()


def test_a_program_with_other_names_means_the_same(program: Program):
    """Every symbol and definition gets a name that no other has, at each of its uses: nothing is missing then."""
    files, snapshot = program
    fresh: dict[object, str] = {}
    renamed = {}
    for path, text in files.items():
        edits = [(span, _new_name(snapshot, files, fresh, use)) for span, use in _uses(snapshot, path)]
        for start, definition in snapshot.tree(path).definitions:
            key = OperatorName(path, definition.name.text)
            edits.append((definition.name.span.shifted(start), fresh.setdefault(key, f"{key.name}_{len(fresh)}")))
        for span, name in sorted(edits, key=lambda edit: edit[0], reverse=True):
            if name is not None:
                text = text[: span.start] + name + text[span.end :]
        renamed[path] = text
    before, after = check(files), check(renamed)
    assert all(_rules(after[path]) == _rules(before[path]) for path in files), shown(after, renamed)


def _rules(found: list[Diagnostic]) -> Counter[str]:
    """Count rules, except about paths in ``@quantize``: behind a label they name symbols of other definitions."""
    return Counter(item.rule.name for item in found if item.rule.name != "unknown-quantized-tensor")


def _new_name(snapshot: Snapshot, files: dict[str, str], fresh: dict[object, str], use: Use) -> str | None:
    target: object = use.target
    if isinstance(target, BuiltIn | ModuleName):
        return None
    if isinstance(target, ShapeMember):
        target = target.tensor
    if isinstance(target, AttributeName):
        if target.operator.path not in files:
            return None
        definition = snapshot.definition(target.operator)
        assert definition is not None
        target = snapshot.resolution(target.operator.path, definition).symbol(target.name)
    if isinstance(target, OperatorName) and target.path not in files:
        return None
    name = getattr(target, "name")  # noqa: B009 - of a symbol or an operator
    return fresh.setdefault(target, f"{name}_{len(fresh)}")
