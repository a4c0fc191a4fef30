"""Every feature of editors at many places of every shared model, also during typing and with a token missing.

A query never fails, an answer lies in the text, and results after edits equal those of a fresh start.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from snd_analysis.base import Edit, Span
from snd_analysis.ide import FrontEnd, folds, front_end, highlights, references, selections
from snd_analysis.ide.inlay_hints import ALL_KINDS
from snd_analysis.ide.navigation.document_symbols import DocumentSymbol
from snd_analysis.ide.rename import RenameRefused
from snd_analysis.nnef1.names import sanitized
from snd_analysis.workspace import Snapshot, Workspace
from snd_server.workspace_files.files import DiskReader
from support.nnef1.corpus import folder_of, models
from support.sampling import sample, tries

_TOKEN = re.compile(r"""i"[^"\n]*"|'[^'\n]*'|"[^"\n]*"|\w+(?:\.\w+)?|[^\s\w]""")
_OTHER = "fresh_name"


@pytest.fixture(autouse=True)
def _depth() -> Iterator[None]:
    """As the command and the server have it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    yield
    sys.setrecursionlimit(before)


class _Answers:
    """The answers for a state of a text, each checked against the text."""

    def __init__(self, snapshot: Snapshot, path: str) -> None:
        self._snapshot = snapshot
        self._path = path
        self._text = snapshot.source(path).text
        self._language: FrontEnd = front_end(path)

    def of_file(self) -> dict[str, Any]:
        snapshot, path, language = self._snapshot, self._path, self._language
        diagnostics = snapshot.diagnostics(path)
        assert all(each.rule.name != "internal-error" for each in diagnostics), diagnostics
        hints = [(each.offset, each.text) for each in language.inlay_hints(snapshot, path, None, ALL_KINDS)]
        groups = language.tokens(snapshot, path, None)
        tokens = [(each.span.shifted(group.start), each.type) for group in groups for each in group.tokens]
        folded, outline = folds(snapshot, path), language.outline(snapshot, path)
        self._lie_within([each.location.span for each in diagnostics if each.location.path == path])
        self._lie_within([Span(offset, offset) for offset, _ in hints])
        self._lie_within([each.span for each in folded])
        self._lie_within([span for span, _ in tokens])
        ends = [end for span, _ in tokens for end in (span.start, span.end)]
        assert ends == sorted(ends), "tokens overlap"
        for each in outline:
            self._symbol(each, Span(0, len(self._text)))
        return {
            "diagnostics": diagnostics,
            "hints": hints,
            "tokens": tokens,
            "folds": folded,
            "outline": outline,
            "links": language.links(snapshot, path),
            "format": language.format(snapshot, path, 100, None),
        }

    def _symbol(self, symbol: DocumentSymbol, around: Span) -> None:
        assert around.start <= symbol.whole.start <= symbol.name_span.start, symbol
        assert symbol.name_span.end <= symbol.whole.end <= around.end, symbol
        for each in symbol.children:
            self._symbol(each, symbol.whole)

    def at(self, offset: int) -> dict[str, Any]:
        """Return the answers at an offset."""
        snapshot, path, language = self._snapshot, self._path, self._language
        hover = language.hover(snapshot, path, offset, None)
        completions = language.completions(snapshot, path, offset, True, ())
        definition = language.definition(snapshot, path, offset)
        found = references(snapshot, path, offset, ())
        nested = selections(snapshot, path, offset)
        assert hover is None or hover.span.start <= offset <= hover.span.end
        assert completions.insert.start <= completions.insert.end == offset <= completions.replace.end
        assert len({each.label for each in completions.items}) == len(completions.items), "offered twice"
        assert not found or any(each.path == path and each.span.start <= offset <= each.span.end for each in found)
        assert all(outer.start <= inner.start and inner.end <= outer.end for inner, outer in pairwise(nested))
        if definition is not None and definition.name.path == path:
            name, written = self._spelled(definition.name.span), self._spelled(definition.origin)
            assert name in (written, sanitized(written))  # strings of a scan have the names that an exporter knew
        for item in completions.items[:3]:
            language.documentation(snapshot, item.subject, path)
        language.stored_path(snapshot, path, offset)
        language.format_typed(snapshot, path, 100, offset)
        return {
            "hover": hover,
            "definition": definition,
            "type": language.type_definition(snapshot, path, offset),
            "implementation": language.implementation(snapshot, path, offset),
            "references": found,
            "highlights": highlights(snapshot, path, offset),
            "selections": nested,
            "completions": [each.label for each in completions.items],
            "signature": language.signature_help(snapshot, path, offset),
            "actions": [
                each.title for each in language.actions(snapshot, path, Span(offset, offset), (), None, (), ())
            ],
            "rename": self._renamed(offset),
        }

    def _renamed(self, offset: int) -> Any:
        """Return the replacement of a name; another name breaks nothing and has as many uses."""
        try:
            span, _ = self._language.prepare_rename(self._snapshot, self._path, offset)
            assert span.start <= offset <= span.end
            edits = self._language.rename(self._snapshot, self._path, offset, _OTHER, ()).edits
        except RenameRefused as refused:
            return str(refused)
        assert {each.location for each in edits} == {*references(self._snapshot, self._path, offset, ())}
        return edits

    def _lie_within(self, spans: Iterable[Span]) -> None:
        assert all(0 <= each.start <= each.end <= len(self._text) for each in spans)

    def _spelled(self, span: Span) -> str:
        return self._text[span.start : span.end]


@pytest.mark.parametrize("name", sample(models(), 6))
def test_at_every_place_and_while_typing(name: str):
    path = str(folder_of(name) / "graph.nnef")
    chance = random.Random(name)
    workspace = Workspace(DiskReader())
    whole = workspace.snapshot().source(path).text
    starts = [match.start() for match in _TOKEN.finditer(whole)]
    first = _Answers(workspace.snapshot(), path)
    known = first.of_file()
    some = _some(chance, starts, tries(8, 60))
    places = {offset: first.at(offset) for offset in some}
    assert all(_can_be_renamed(answers) for answers in places.values())

    edits = [(cut, whole[:cut]) for cut in sorted(_some(chance, range(len(whole)), tries(8, 300)))]
    edits += [(at, _without_token(whole, at)) for at in _some(chance, starts, tries(6, 150))]
    for number, (offset, text) in enumerate(edits):
        workspace.open(path, text)
        answers = _Answers(workspace.snapshot(), path)
        found = {**answers.of_file(), **answers.at(offset)}
        if number % 5 == 0:
            fresh = Workspace(DiskReader())
            fresh.open(path, text)
            expected = _Answers(fresh.snapshot(), path)
            _compare(found, {**expected.of_file(), **expected.at(offset)}, text)
    workspace.open(path, whole)
    last = _Answers(workspace.snapshot(), path)
    _compare(last.of_file(), known, whole)
    for offset in some[:8]:
        _compare(last.at(offset), places[offset], whole)


def _some(chance: random.Random, of: Any, count: int) -> list[int]:
    return chance.sample(of, min(count, len(of)))


def _without_token(text: str, at: int) -> str:
    token = _TOKEN.match(text, at)
    assert token
    return Edit(Span(at, token.end()), "").apply(text)


def _can_be_renamed(answers: dict[str, Any]) -> bool:
    """Names that are not fixed can be changed in a text that is right."""
    refused = answers["rename"]
    return not isinstance(refused, str) or "fixed" in refused or "no name here" in refused


def _compare(found: dict[str, Any], expected: dict[str, Any], text: str) -> None:
    for key, value in expected.items():
        assert found[key] == value, (key, text[-200:])
