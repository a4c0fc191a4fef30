"""Every operator of the library has a sample that a reader learns from."""

from __future__ import annotations

import pytest

from snd_analysis.skriptnd.names import library_modules
from support.memory import snapshot_of


@pytest.mark.parametrize("module", library_modules())
def test_every_operator_has_a_sample(module: str):
    snapshot = snapshot_of({})
    path = f"snd:{module}"
    shown = {checked.target.name for _, checked in snapshot.checked_samples(path) if checked.target is not None}
    assert [name for name in snapshot.definitions(path) if name not in shown] == []


@pytest.mark.parametrize("module", library_modules())
def test_samples_of_the_library_are_right(module: str):
    snapshot = snapshot_of({})
    for _, checked in snapshot.checked_samples(f"snd:{module}"):
        assert not checked.problems
        assert checked.sample.has_results
