"""The shared corpus of NNEF 1.0: how much of it is read, checked, composed and run as others do.

The floors only rise: raise them when the table that a failing or verbose (``-s``) run prints shows more.
"""

from __future__ import annotations

import pytest

from support.nnef1.corpus import CORPUS, invalid, judge, models
from support.sampling import sample

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the shared corpus is not there")
FLOORS = {"parsed": 88, "clean": 86, "shapes": 86, "values": 78}
INVALID_FLOOR = 38


MISSING = {"parsed": 0, "clean": 2, "shapes": 0, "values": 1}
"""How many models may fail: what the floors are below the number of models that are tried."""


def test_models():
    found = [judge(name) for name in sample(models(), 30)]
    counts = {field: sum(getattr(each, field) is True for each in found) for field in FLOORS}
    tried = {field: sum(getattr(each, field) is not None for each in found) for field in FLOORS}
    for each in found:
        if each.why:
            print(f"{each.name}: {each.why}")
    print(" | ".join(f"{field} {counts[field]} of {tried[field]}" for field in FLOORS))
    assert all(tried[field] - counts[field] <= most for field, most in MISSING.items()), counts
    if len(found) == len(models()):
        assert all(counts[field] >= floor for field, floor in FLOORS.items()), counts


def test_invalid_files_are_rejected_at_their_line():
    found = invalid()
    for each in found:
        if not each.at_line or len(each.lines) > 1:
            print(f"{each.name}: line {each.wanted}, but {list(zip(each.lines, each.messages, strict=True))}")
    count = sum(each.at_line for each in found)
    print(f"rejected at the line: {count} of {len(found)}")
    assert count >= INVALID_FLOOR
