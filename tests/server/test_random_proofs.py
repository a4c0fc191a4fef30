"""No verdict about a random operator is contradicted when it runs with small sizes.

See "Why the verdicts hold" in docs/proofs.md.

``python -m support.proofs.sweep FIRST SECONDS`` tries more.
"""

from __future__ import annotations

import pytest

from support import sampling

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from support.proofs.agreement import disagreements
from support.proofs.random_operators import CHOSEN, STRIDED, WIDE, drawn, lines_of

FOUND_BEFORE = (
    55, 87, 140, 298, 2047, 2903, 3284, 3704, 4237, 5141, 20860, 30079, 41390, 51031, 3002456, 3003609, 3020766,
    3021633, 5000278, 5003365, 200000685, 200300267, 300000020, 300000084,
)  # fmt: skip
"""Seeds that have shown a mistake: an assertion without a value as a fact, an empty pack, a guard behind an index, a
divisor in what sizes make constant, an item of a shape at an extent, an order in which nothing is evaluated, operations
before the choice of an item of an empty pack, a stride that can be 0."""


SEEDS = tuple(
    first + at
    for first, count in ((2000, 6), (WIDE, 6), (STRIDED, 8), (CHOSEN, 8))
    for at in range(sampling.tries(count, 1500))
)


@pytest.mark.parametrize("seed", [*FOUND_BEFORE, *SEEDS])
def test_no_verdict_is_contradicted(seed):
    operator = drawn(seed)
    assert disagreements(operator, seed, 200) == [], "\n".join(lines_of(operator, "op"))
