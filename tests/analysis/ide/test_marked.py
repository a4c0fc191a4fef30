"""Fixtures in which comments say where names lead, and what they can be called."""

from __future__ import annotations

from pathlib import Path

import pytest

from snd_analysis.base import Location, Span
from snd_analysis.ide import references
from snd_analysis.ide.navigation import definition, implementation, type_definition
from snd_analysis.ide.rename import RenameRefused, edited_texts, prepare_rename, rename
from snd_analysis.workspace import Snapshot
from support.analysis.markers import Claim, without_claims
from support.memory import snapshot_of, split_files

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ide"
NAVIGATION = sorted((FIXTURES / "navigation").glob("*.sknd"))
RENAME = sorted((FIXTURES / "rename").glob("*.sknd"))
_LEADS = {"from": definition, "type": type_definition}


def _read(fixture: Path) -> tuple[dict[str, str], list[Claim]]:
    return without_claims(split_files(fixture.read_text()))


def _named(snapshot: Snapshot, places: dict[str, Location], name: str) -> Location | None:
    if name == "nothing":
        return None
    if name in places:
        return places[name]
    path, _, member = name.partition(".") if name.startswith("snd:") else (name, "", "")
    if not member:
        return Location(path, Span(0, 0))
    found = snapshot.definitions(path)[member]
    return Location(path, found.definition.name.span.shifted(found.start))


def _places(claims: list[Claim]) -> dict[str, Location]:
    places = {claim.name: claim.place for claim in claims if claim.verb == "is"}
    assert len(places) == sum(claim.verb == "is" for claim in claims), "two places of one name"
    return places


@pytest.mark.parametrize("fixture", NAVIGATION, ids=lambda path: path.stem)
def test_names_lead_where_the_comments_say(fixture: Path):
    files, claims = _read(fixture)
    snapshot = snapshot_of(files)
    places = _places(claims)
    for claim in claims:
        if claim.verb == "is":
            continue
        expected = _named(snapshot, places, claim.name)
        for offset in range(claim.place.span.start, claim.place.span.end):
            if claim.verb == "does":
                found = [link.name for link in implementation(snapshot, claim.place.path, offset)]
                assert found == ([] if expected is None else [expected]), claim
            else:
                link = _LEADS[claim.verb](snapshot, claim.place.path, offset)
                assert (link and link.name) == expected, claim
                assert link is None or link.origin == claim.place.span, claim


@pytest.mark.parametrize("fixture", NAVIGATION, ids=lambda path: path.stem)
def test_references_are_the_places_that_lead_to_a_declaration(fixture: Path):
    """All of them: so the fixtures mark every place that names what they mark."""
    files, claims = _read(fixture)
    snapshot = snapshot_of(files)
    for name, place in _places(claims).items():
        leading = sorted(claim.place for claim in claims if claim.verb == "from" and claim.name == name)
        if not leading:
            continue
        for each in leading:
            assert references(snapshot, each.path, each.span.start, files) == leading, name
        used = references(snapshot, place.path, place.span.start, files, with_declaration=False)
        assert used == [each for each in leading if each != place], name


@pytest.mark.parametrize("fixture", RENAME, ids=lambda path: path.stem)
def test_names_become_what_the_comments_say(fixture: Path):
    files, claims = _read(fixture)
    snapshot = snapshot_of(files)
    for claim in claims:
        path, at = claim.place.path, claim.place.span.start
        if claim.verb == "never becomes":
            with pytest.raises(RenameRefused) as refused:
                rename(snapshot, path, at, claim.name, files)
            assert claim.reason in str(refused.value), claim
            continue
        span, old = prepare_rename(snapshot, path, at)
        assert (span, old) == (claim.place.span, files[path][span.start : span.end])
        done = rename(snapshot, path, at, claim.name, files)
        assert claim.place in [edit.location for edit in done.edits]
        after = {**files, **edited_texts(snapshot, done.edits)}
        if done.moved is not None:
            after[done.moved[1]] = after.pop(done.moved[0])
        there = snapshot_of(after)
        first = min(edit.location for edit in done.edits if edit.location.path == path)
        back = rename(there, path, first.span.start, old, after)
        again = {**after, **edited_texts(there, back.edits)}
        if back.moved is not None:
            again[back.moved[1]] = again.pop(back.moved[0])
        assert again == files, claim
