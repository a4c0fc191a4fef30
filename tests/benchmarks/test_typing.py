"""A transformer typed letter by letter, as Visual Studio Code would ask: how long each kind of question takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from support.lsp.habits import CODE
from support.lsp.replay import Replay

RECORDING = Path(__file__).parents[1] / "server" / "lsp" / "recordings" / "transformer.jsonl"
BUDGETS = {
    "keystroke to diagnostics": 0.010,
    "hover": 0.010,
    "completion": 0.010,
    "signatureHelp": 0.010,
    "semanticTokens/full/delta": 0.015,
}
"""The budgets, in seconds."""


def test_recorded_session(benchmark: BenchmarkFixture, also: Callable[..., None]) -> None:
    """All of it, with every request; its parts are what counts."""
    events = [json.loads(line) for line in RECORDING.read_text(encoding="utf-8").splitlines()]
    replay = Replay(CODE, compares=False)

    def type_all() -> None:
        for event in events:
            replay.play(event)

    try:
        benchmark.pedantic(type_all, rounds=1)
        replay.close()
    finally:
        replay.kill()
    for kind, seconds in sorted(replay.latencies.items()):
        also(kind, seconds, BUDGETS.get(kind))
