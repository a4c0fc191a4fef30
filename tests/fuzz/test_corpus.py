"""Earlier findings of fuzzing stay fixed; and every target holds for its seeds, and for some random cases."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from fuzz.mutation import mutated
from fuzz.targets import TARGETS
from support.confinement import TookTooLong, confined
from support.sampling import tries

CORPUS = Path(__file__).parent / "corpus"
FOUND = sorted(path for path in CORPUS.glob("*/*") if path.parent.name in TARGETS)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: "/".join(path.parts[-2:]))
def test_what_was_found(path: Path):
    _attack(path.parent.name, path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_cases_at_random(name: str):
    seeds, chance = TARGETS[name].seeds(), Random(name)
    for _ in range(tries(15, 300)):
        _attack(name, mutated(seeds, chance))


def _attack(name: str, content: bytes) -> None:
    try:
        with confined():
            TARGETS[name].attack(content)
    except TookTooLong as error:  # it is no Exception, and would end the process of the tests
        pytest.fail(f"{error}: {content!r}")
