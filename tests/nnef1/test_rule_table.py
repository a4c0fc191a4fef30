"""The validity rules of NNEF 1.0, R1 to R141: each has a program that is rejected with one message, and a neighbour.

The rules are the sections ``R<number>`` in tests/mdtest/nnef1/rules; those about bytes of files, which no text shows,
are functions with the number in their names.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.annotations import parse_annotations
from support.mdtest import Section, sections

TESTS = Path(__file__).parents[1]
RULES = {
    int(match[1]): section
    for path in sorted((TESTS / "mdtest" / "nnef1" / "rules").glob("*.md"))
    for section in sections(path)
    if (match := re.search(r"\bR(\d+) ", section.title))
}
FILES = (TESTS / "nnef1" / "test_tensor_files.py", TESTS / "server" / "test_nnef1_models.py")
OF_BYTES = {int(number) for path in FILES for number in re.findall(r"def test_r(\d+)_", path.read_text("utf-8"))}
NEVER_REPORTED = {141: "a fragment without a body is no mistake", 87: "the channels are always known"}


def test_every_rule_has_a_section_or_a_test():
    assert sorted({*range(1, 142)} - RULES.keys() - OF_BYTES) == []


@pytest.mark.parametrize(("number", "section"), RULES.items(), ids=[f"R{number}" for number in RULES])
def test_a_program_is_rejected_with_one_message_and_its_neighbour_with_none(number: int, section: Section):
    announced = [
        parse_annotations(f"{program.frame.before}{program.text}{program.frame.after}")[1]
        for program in section.programs
    ]
    counts = [sum(each.severity in ("error", "warning") for each in found) for found in announced]
    assert 0 in counts
    assert number in NEVER_REPORTED or 1 in counts
    assert all(count <= 1 for count in counts)
