"""The verdicts on an operator depend neither on earlier questions about others nor about itself."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from snd_analysis.proofs import Proof, proofs_of_operator
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot
from support import sampling
from support.memory import snapshot_of

PLANTED = (Path(__file__).parents[2] / "server/proofs/planted.sknd").read_text()
LIBRARY = [OperatorName("snd:layout", name) for name in ("broadcast", "tile")]


def names_in(snapshot: Snapshot, tried: int) -> list[OperatorName]:
    own = [OperatorName("m.sknd", name) for name in snapshot.definitions("m.sknd")]
    return [*sampling.sample(own, tried), *LIBRARY]


def proofs(snapshot: Snapshot, name: OperatorName) -> list[Proof]:
    return list(proofs_of_operator(snapshot, name, time.thread_time))


@pytest.mark.parametrize("seed", range(sampling.tries(1, 12)))
def test_verdicts_do_not_depend_on_what_was_asked_before(seed):
    together, rng = snapshot_of({"m.sknd": PLANTED}), random.Random(seed)
    names = names_in(together, sampling.tries(3, 8))
    alone = {name: proofs(snapshot_of({"m.sknd": PLANTED}), name) for name in names}
    for name in (*rng.sample(names, len(names)), *rng.sample(names, len(names))):
        assert proofs(together, name) == alone[name]
