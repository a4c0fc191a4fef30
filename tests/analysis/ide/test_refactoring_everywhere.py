"""Refactorings of all kinds over the examples and the library: offered ones can be done, and values stay.

The values are compared once more with other numbers, and with the results that the samples of the library record.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from snd_analysis.base import Severity, Span
from snd_analysis.ide.actions import REFACTOR, Action, actions
from snd_analysis.ide.limits import MOST_TRIED_CHARACTERS
from snd_analysis.ide.refactoring import (
    CHANNELS,
    EXTRACT,
    INLINE,
    INLINE_NAME,
    INTRODUCE,
    MAKE_ATTRIBUTE,
    MOVE,
    MOVE_PARAMETER,
    REPLACE,
    SIGNATURE,
    Refactored,
    edited_files,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot
from snd_runtime.limits import Limits
from snd_runtime.samples import RefactoringAnswer, RefactoringRequest, SampleRequest, evaluate_samples
from snd_runtime.samples.equivalence import Comparison
from snd_runtime.samples.outcome import Status
from snd_runtime.samples.refactoring import refactor
from support.memory import snapshot_of
from support.sampling import sample, tries

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / "analysis" / "snd_analysis" / "libraries" / "std"
EXAMPLES = [each for each in sorted((ROOT / "examples").iterdir()) if each.name != "broken"]
PROJECTS = {
    folder.name: {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.sknd")}
    for folder in EXAMPLES
}
PROJECTS |= {f"library {path.stem}": {f"own_{path.name}": path.read_text("utf-8")} for path in LIBRARY.glob("*.sknd")}
KINDS = (
    EXTRACT,
    INLINE,
    REPLACE,
    CHANNELS,
    INTRODUCE,
    INLINE_NAME,
    MAKE_ATTRIBUTE,
    MOVE,
    MOVE_PARAMETER,
    SIGNATURE,
)
# Reasons for which a refactoring that is offered may be refused when it is chosen: only evaluation tells.
LATE = ("would compute something else", "can't be evaluated", "can't be compared", "of the library", "takes longer")
MOST_PLACES = 25


def places(snapshot: Snapshot, path: str, kind: str) -> Iterator[Span]:
    """Yield places of a file at which a kind of refactoring may be offered."""
    for start, definition in snapshot.tree(path).definitions:
        if kind in (MOVE, SIGNATURE):
            yield Span(definition.name.start + start, definition.name.start + start)
        for block in definition.blocks:
            if isinstance(block, nodes.Block):
                yield from _places_in(block, start, kind)


def _places_in(block: nodes.Block, start: int, kind: str) -> Iterator[Span]:
    entries = list(block.entries)
    for at, entry in enumerate(entries):
        span = entry.span.shifted(start)
        match kind, block.kind:
            case ("extract" | "channels", BlockKind.COMPOSE):
                yield span
                yield Span(entry.start, entries[min(at + 2, len(entries) - 1)].end).shifted(start)
            case ("moveParameter", BlockKind.ATTRIB | BlockKind.INPUT):
                yield Span(span.start, span.start)
            case ("inline", BlockKind.COMPOSE) | ("replace", BlockKind.LOWER):
                yield Span(span.start, span.start)
            case ("inlineName" | "makeAttribute", BlockKind.USING):
                yield Span(span.start, span.start)
            case ("introduce" | "makeAttribute", BlockKind.LOWER | BlockKind.COMPOSE | BlockKind.OUTPUT):
                for each in nodes.descendants(entry.statement):
                    if isinstance(each, nodes.Binary | nodes.Literal | nodes.Subscript):
                        yield each.span.shifted(span.start)


def asked(
    snapshot: Snapshot, texts: Mapping[str, str], path: str, kind: str, span: Span
) -> Iterator[RefactoringAnswer]:
    """Yield the answers of the worker to the refactorings of a kind that are offered at a place."""
    if kind == SIGNATURE:
        (found,) = [each for at, each in snapshot.tree(path).definitions if at + each.name.start == span.start]
        inputs = [each.name.text for _, each in nodes.entries_of(found, BlockKind.INPUT, nodes.Parameter)]
        new = [{"was": each, "name": f"{each}_renamed"} for each in reversed(inputs)]
        yield answer(snapshot, texts, path, kind, span, {"inputs": new})
        return
    for action in actions(snapshot, path, span, ("refactor",), files=[*texts], commands={REFACTOR}):
        if action.command is not None and action.command.arguments[0] == kind:
            yield of_action(snapshot, texts, path, action)


def of_action(snapshot: Snapshot, texts: Mapping[str, str], path: str, action: Action) -> RefactoringAnswer:
    assert action.command is not None
    kind, start, end = action.command.arguments
    span = Span(int(start), int(end))
    return answer(snapshot, texts, path, str(kind), span, dict(action.command.options))


def answer(
    snapshot: Snapshot, texts: Mapping[str, str], path: str, kind: str, span: Span, options: Mapping[str, object]
) -> RefactoringAnswer:
    files = tuple(each for each in texts if path in snapshot.dependencies(each))
    around = SampleRequest(path, texts, limits=Limits(seconds=tries(3, 30)))
    return refactor(snapshot, RefactoringRequest(around, kind, span, files, options))


def assert_values_stay(snapshot: Snapshot, texts: Mapping[str, str], found: RefactoringAnswer) -> None:
    """Assert that nothing is wrong that was not before, and that values of other numbers are equal."""
    refactored = found.refactored
    assert isinstance(refactored, Refactored)
    new = {**texts, **edited_files(snapshot, refactored.edits)}
    changed = snapshot_of(new)
    for path in new:
        severe = [each.message for each in changed.diagnostics(path) if each.severity is Severity.ERROR]
        assert severe == [each.message for each in snapshot.diagnostics(path) if each.severity is Severity.ERROR]
    pairs = ((refactored.name, refactored.name),) if refactored.compared is None else refactored.compared
    for before, after in pairs[:1]:
        around = SampleRequest(before.path, texts, real=np.dtype(np.float64), seed=4711, limits=Limits(seconds=5.0))
        parameters = refactored.parameters_of(before)
        compared = Comparison(snapshot, before, around, None).with_edit(
            changed, after, moves_variables=refactored.moves_variables, parameters=parameters
        )
        assert compared.difference is None, found.message
    for path in new:
        if path.startswith("own_") and len(new) == 1:
            assert_samples_stay(path, texts, new, refactored.name.name)


def assert_samples_stay(path: str, texts: Mapping[str, str], new: Mapping[str, str], name: str) -> None:
    """Assert that the recorded results of an operator are right after the edit, where they were before."""
    for before, after in zip(samples_of(path, texts, name), samples_of(path, new, name), strict=True):
        assert before is not Status.OK or after is Status.OK


def samples_of(path: str, texts: Mapping[str, str], name: str) -> list[Status]:
    snapshot = snapshot_of(texts)
    numbers = tuple(
        number
        for number, placed in enumerate(snapshot.samples(path))
        if (target := snapshot.sample_target(path, placed.sample)) is not None and target.name == name
    )
    return [each.status for each in evaluate_samples(SampleRequest(path, texts, numbers=numbers))]


CASES = [f"{kind} in {project}" for project, kind in product(sorted(PROJECTS), KINDS)]
DONE: Counter[str] = Counter()


@pytest.mark.parametrize("case", sample(random.Random(11).sample(CASES, len(CASES)), 7))
def test_what_is_offered_is_done_and_values_stay(case: str):
    kind, _, project = case.partition(" in ")
    texts = PROJECTS[project]
    snapshot = snapshot_of(texts)
    is_tried = sum(map(len, texts.values())) <= MOST_TRIED_CHARACTERS and kind != SIGNATURE
    found = [(path, span) for path in texts for span in places(snapshot, path, kind)]
    chosen = random.Random(case).sample(found, min(len(found), MOST_PLACES))
    done = refused = 0
    for path, span in chosen:
        for each in asked(snapshot, texts, path, kind, span):
            if each.refactored is None:
                assert not is_tried or any(reason in each.message for reason in LATE), each.message
                refused += 1
            else:
                assert_values_stay(snapshot, texts, each)
                done += 1
        if done >= tries(1, 2) or refused >= tries(2, 4):
            break
    print(f"{case}: {done} done, {refused} refused")
    DONE[kind] += done


@pytest.mark.exhaustive
@pytest.mark.skipif("PYTEST_XDIST_WORKER" in os.environ, reason="the cases are counted in one process")
def test_refactorings_of_all_kinds_were_done():
    assert set(DONE) == set(KINDS)
    assert min(DONE.values()) > 0
    assert DONE.total() >= 60
