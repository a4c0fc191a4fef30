"""Whatever stands in a file, questions at any place of it have an answer."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from snd_analysis.ide import folds, highlights, references, selections
from snd_analysis.ide.navigation import (
    call_item_at,
    definition,
    document_links,
    document_symbols,
    implementation,
    incoming,
    outgoing,
    type_definition,
    workspace_symbols,
)
from snd_analysis.ide.rename import RenameRefused, prepare_rename, rename
from snd_analysis.workspace import Snapshot
from support.memory import snapshot_of, split_files
from support.sampling import tries

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "ide").glob("*/*.sknd"))
_PIECES = ("{", "}", ";", "@", "[", "# >>> ", "'", "\f", "\r", "𝄞", "import ", "operator ", "graph g {", ".", "")


def _damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(_PIECES) + text[at + chance.choice((0, 1, 5, 40)) :]
    return text


def _ask_everything(snapshot: Snapshot, path: str, offset: int, paths: list[str]) -> None:
    length = len(snapshot.source(path).text)
    for link in (definition(snapshot, path, offset), type_definition(snapshot, path, offset)):
        assert link is None or link.origin.start <= offset <= link.origin.end
    implementation(snapshot, path, offset)
    found = references(snapshot, path, offset, paths)
    assert all(place.span.end <= len(snapshot.source(place.path).text) for place in found)
    here = [each.location for each in highlights(snapshot, path, offset)]
    assert here == [place for place in found if place.path == path]
    assert all(0 <= span.start <= span.end <= length for span in selections(snapshot, path, offset))
    item = call_item_at(snapshot, path, offset)
    if item is not None:
        incoming(snapshot, item.name, paths)
        outgoing(snapshot, item.name)
    with suppress(RenameRefused):
        prepare_rename(snapshot, path, offset)
        rename(snapshot, path, offset, "renamed", paths)


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_questions_about_damaged_files_are_answered(fixture: Path):
    chance = random.Random(fixture.stem)
    original = split_files(fixture.read_text())
    for _ in range(tries(2, 5)):
        files = {path: _damaged(text, chance) for path, text in original.items()}
        snapshot, paths = snapshot_of(files), [*files, "gone.sknd"]
        for path in paths:
            source = snapshot.source(path)
            document_symbols(snapshot, path)
            document_links(snapshot, path)
            folds(snapshot, path)
            for _ in range(6):
                _ask_everything(snapshot, path, chance.randrange(len(source.text) + 5), paths)
        workspace_symbols(snapshot, "o", paths)
