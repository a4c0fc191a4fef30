"""Each offset has one line and column, and each line and column one offset, whatever the line breaks (invariant 11)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snd_analysis.base import Edit, Position, Source, Span, edit_between

TEXTS = st.text(alphabet=st.sampled_from("ab \n\r\f\v\x1c\x85\u2028\u2029🙂é"), max_size=40)


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_a_line_ends_at_each_line_break(line_break: str):
    source = Source("a", f"ab{line_break}{line_break}c")
    assert [source.line_text(line) for line in (1, 2, 3, 4)] == ["ab", "", "c", ""]
    assert source.position(len("ab" + line_break)) == Position(2, 1)


@pytest.mark.parametrize("character", "\f\v\x1c\x1d\x1e\x85\u2028\u2029")
def test_nothing_else_ends_a_line(character: str):
    source = Source("a", f"a{character}b\nc")
    assert source.line_starts == (0, 4)
    assert source.position(2) == Position(1, 3)


def test_columns_count_code_points():
    assert Source("a", "é🙂x").position(2) == Position(1, 3)


@given(TEXTS)
def test_every_offset_has_a_place_and_every_place_an_offset(text: str):
    source = Source("a", text)
    for offset in range(len(text) + 1):
        position = source.position(offset)
        within = position.column - 1 <= len(source.line_text(position.line))
        assert source.offset(position) == offset if within else text[offset - 1 : offset + 1] == "\r\n"


@given(TEXTS)
def test_lines_and_their_breaks_make_up_the_text(text: str):
    source = Source("a", text)
    ends = [*source.line_starts[1:], len(text)]
    for line, (start, end) in enumerate(zip(source.line_starts, ends, strict=True), 1):
        assert text[start:end].rstrip("\r\n") == source.line_text(line).rstrip("\r\n")
        assert len(text[start:end]) - len(source.line_text(line)) <= 2


@pytest.mark.parametrize(("line", "column", "offset"), [(0, 0, 0), (1, 99, 2), (2, 1, 3), (3, 1, 4), (99, 1, 4)])
def test_places_outside_are_moved_to_the_nearest_end(line: int, column: int, offset: int):
    assert Source("a", "ab\nc").offset(Position(line, column)) == offset


@given(TEXTS, TEXTS, st.data())
def test_an_edit_replaces_its_span(text: str, piece: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    after = Edit(Span(start, end), piece).apply(text)
    assert after[:start] == text[:start]
    assert after[start : start + len(piece)] == piece
    assert after[start + len(piece) :] == text[end:]


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_the_difference_of_two_texts_is_what_is_not_common(start: str, old: str, new: str, end: str):
    before, after = start + old + end, start + new + end
    edit = edit_between(before, after)
    removed = before[edit.span.start : edit.span.end]
    assert edit.apply(before) == after
    assert len(removed) <= len(old)
    assert not removed or not edit.text or (removed[0] != edit.text[0] and removed[-1] != edit.text[-1])
