"""Models of the NNEF 1.0 corpus are read, checked, composed and run as other implementations do.

``MISSING`` only shrinks: lower it when the table that a verbose run (``-s``) prints shows fewer failures.
"""

from __future__ import annotations

from support.nnef1.corpus import invalid, judge, models
from support.sampling import sample

MISSING = {"parsed": 0, "clean": 2, "shapes": 0, "values": 1}
"""Number of models that may fail each judgement."""


def test_models():
    found = [judge(name) for name in sample(models(), 30)]
    counts = {field: sum(getattr(each, field) is True for each in found) for field in MISSING}
    tried = {field: sum(getattr(each, field) is not None for each in found) for field in MISSING}
    for each in found:
        if each.why:
            print(f"{each.name}: {each.why}")
    print(" | ".join(f"{field} {counts[field]} of {tried[field]}" for field in MISSING))
    assert all(tried[field] - counts[field] <= most for field, most in MISSING.items()), counts


def test_invalid_files_are_rejected_at_their_line():
    found = invalid()
    for each in found:
        if not each.at_line or len(each.lines) > 1:
            print(f"{each.name}: line {each.wanted}, but {list(zip(each.lines, each.messages, strict=True))}")
    count = sum(each.at_line for each in found)
    print(f"rejected at the line: {count} of {len(found)}")
    assert count == len(found) > 30
