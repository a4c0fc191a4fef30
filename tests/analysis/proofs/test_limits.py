"""The time that an operator has, told by a clock that the work itself moves on: each step takes as much as it may."""

from __future__ import annotations

import pytest

pytest.importorskip("z3", reason="proofs need z3-solver, the extra snd[proofs]")

from snd_analysis.proofs import Proof, Proposals, Verdict, implied, proofs_of_operator, prove_operators, solver
from snd_analysis.proofs.case_analysis import cases
from snd_analysis.proofs.limits import (
    MILLISECONDS,
    MOST_PROPOSED,
    SECONDS,
    SECONDS_OF_CANDIDATES,
    SECONDS_OF_DOUBTS,
    SECONDS_OF_TRIALS,
)
from snd_analysis.proofs.mending import outcomes
from snd_analysis.skriptnd.names import OperatorName
from support.memory import snapshot_of

DECLARING = 0.02
"""Seconds to check the declarations of a case."""
TRYING = 0.002
"""Seconds to run an operator with one choice of sizes."""

FOUR_PACKS = """operator m {
    @attrib { a: int..(p); b: int..(q); c: int..(r); e: int..(s); }
    @input { x: real[n..(d)]; }
    @output { y: real[n..]; }
    @assert { a >= -d && a < d; b >= -d && b < d; c >= -d && c < d; e >= -d && e < d; }
    @lower { y[i..] = x[i..], i < n; }
}
"""
RANKS = """operator m {
    @attrib { axes: int..(k); u: int = 0; v: int = 0; w: int = 0; }
    @input { x: real[n..(d)]; y: real[m..(e)]; z: real[l..(f)]; }
    @using { t = n[axes]; }
    @output { o: real[n..]; }
    @assert { axes >= -d && axes < d; u >= -d && u < d; v >= -e && v < e; w >= -f && w < f; }
    @lower { o[i..] = x[i..] + (n[u] > 0 && m[v] > 0 && l[w] > 0 ? 1.0 : 0.0), i < n; }
}
"""
QUESTIONS = f"""operator m {{
    @attrib {{ {" ".join(f"a{at}: int;" for at in range(12))} }}
    @input {{ x: real[n]; }}
    @output {{ y: real[n]; }}
    @assert {{ {" ".join(f"a{at} * a{at} + a{at} >= 2;" for at in range(12))} }}
    @lower {{
        {" ".join(f"y[i,] += x[(i * a{at} + {at}) / a{at},], i < n;" for at in range(12))}
    }}
}}
"""
REFUTED = f"""operator m {{
    @attrib {{ {" ".join(f"a{at}: int;" for at in range(30))} }}
    @input {{ x: real[n..(d)]; }}
    @output {{ y: real[n..]; }}
    @assert {{ d > 0; }}
    @lower {{ {" ".join(f"y[i..] += x[i + a{at}..], i < n;" for at in range(30))} }}
}}
"""
ASSERTIONS = f"""operator m {{
    @attrib {{ {" ".join(f"a{at}: int;" for at in range(60))} }}
    @input {{ x: real[n]; }}
    @output {{ y: real[n]; }}
    @assert {{ {" ".join(f"a{at} > 0; a{at} >= 0;" for at in range(60))} }}
    @lower {{ y[i,] = x[i,], i < n; }}
}}
"""


SLICES = """operator m {
    @attrib { t: int; }
    @input { x: real[n]; like: real[k]; }
    @output { y: real[k]; }
    @assert { t >= 0; }
    @lower { y[i,] = x[t + i,], i < k; }
}
"""


class Clock:
    """Shows the time that the work took that is counted."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()

    def count(owner: object, name: str, seconds: float) -> None:
        inner = getattr(owner, name)

        def counted(*given: object) -> object:
            clock.seconds += seconds
            return inner(*given)

        monkeypatch.setattr(owner, name, counted)

    for module in (cases, implied, prove_operators):
        count(module, "declare_root", DECLARING)
    count(solver, "_script", MILLISECONDS / 1000)
    return clock


@pytest.mark.parametrize(
    "text",
    [FOUR_PACKS, RANKS, QUESTIONS, REFUTED, ASSERTIONS],
    ids=["packs", "ranks", "questions", "refuted", "assertions"],
)
def test_no_step_begins_that_may_end_after_the_limit(clock, text):
    found: list[Proof] = list(proofs_of_operator(snapshot_of({"m.sknd": text}), OperatorName("m.sknd", "m"), clock))
    assert SECONDS / 2 < clock.seconds <= SECONDS + DECLARING
    assert {each.verdict for each in found} >= {Verdict.UNKNOWN}
    reasons = [each.reason for each in found if each.verdict is Verdict.UNKNOWN]
    assert any("seconds for an operator were over" in each for each in reasons)


def test_the_search_for_assertions_has_a_limit(clock, monkeypatch):
    """One declaration may begin right before each limit: of the trials, and of the doubts about each proposal."""
    inner = outcomes.declare_root

    def counted(*given: object) -> object:
        clock.seconds += TRYING
        return inner(*given)

    monkeypatch.setattr(outcomes, "declare_root", counted)
    snapshot, name = snapshot_of({"m.sknd": SLICES}), OperatorName("m.sknd", "m")
    refuted = [each for each in proofs_of_operator(snapshot, name, clock) if each.verdict is Verdict.REFUTED]
    assert refuted
    clock.seconds = 0.0
    proposals = Proposals(snapshot, name, clock)
    assert SECONDS_OF_TRIALS / 2 < clock.seconds <= SECONDS_OF_TRIALS + TRYING
    for each in refuted:
        clock.seconds = 0.0
        assert [*proposals.of(each)]
        assert clock.seconds <= SECONDS_OF_CANDIDATES + MOST_PROPOSED * (SECONDS_OF_DOUBTS + TRYING)
