"""Assertions that snd proposes for refuted conditions, judged by an evaluator that shares no code with snd.

An assertion refuses no size that works and every size that breaks the condition, and leaves nothing refuted. Sizes for
which the formula of the condition has no point count neither way.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support import sampling

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from support.proofs.assertions import Judged

MENDABLE = (Path(__file__).parent / "proofs/mendable.sknd").read_text()
OPERATORS = dict(re.findall(r"^(?=operator (\w+))(.*?^\}\n)", MENDABLE, re.M | re.S))
WITHOUT_FIX = {"join_columns", "depth_to_space", "triangle"}
"""Operators without a working size, or whose working sizes no assertion of one or two parts describes."""


@pytest.mark.parametrize("name", sampling.sample([*OPERATORS], 5))
def test_a_proposed_assertion_refuses_what_fails_and_nothing_that_works(name):
    judged = Judged(OPERATORS[name], sampling.tries(200, 3000))
    assert judged.refuted
    assert [*judged.wrong()] == []
    mended = all(each.assertions for each in judged.refuted)
    assert mended is (name not in WITHOUT_FIX), [each.condition for each in judged.refuted if not each.assertions]
