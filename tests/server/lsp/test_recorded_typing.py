"""A transformer written from nothing, letter by letter, with mistakes: recorded once, replayed as three editors.

``pytest --update-goldens`` makes the recording again, from the description beside it.

Invariant 16 of ARCHITECTURE.md.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from support.lsp.habits import CODE, EMACS, NEOVIM, Habits
from support.lsp.record import lines_of, record
from support.lsp.replay import Replay
from support.sampling import tries

RECORDINGS = Path(__file__).parent / "recordings"


def test_the_recording_is_what_its_description_says(request: pytest.FixtureRequest):
    """The recording holds what the server did, too: what it inserted, renamed, corrected and formatted."""
    kept = {suffix: RECORDINGS / f"transformer{suffix}" for suffix in (".txt", ".jsonl", ".sknd")}
    events, program = record(kept[".txt"].read_text(encoding="utf-8"))
    if request.config.getoption("--update-goldens"):
        kept[".jsonl"].write_text("".join(lines_of(events)), encoding="utf-8", newline="")
        kept[".sknd"].write_text(program, encoding="utf-8", newline="")
    assert "".join(lines_of(events)) == kept[".jsonl"].read_text(encoding="utf-8")
    assert program == kept[".sknd"].read_text(encoding="utf-8")


# Not every request of each editor is made: the suite has other things to do. The benchmark leaves none out.
_REPLAYS = [
    pytest.param(CODE, tries(20, 3), id="vscode"),
    pytest.param(NEOVIM, 12, id="neovim", marks=pytest.mark.exhaustive),
    pytest.param(EMACS, 8, id="emacs", marks=pytest.mark.exhaustive),
]


@pytest.mark.parametrize(("habits", "every"), _REPLAYS)
def test_typed_as_recorded(habits: Habits, every: int, request: pytest.FixtureRequest):
    """No error, no complaint, and time and again nothing to be seen but what a fresh server shows."""
    replay = Replay(habits, every=every)
    try:
        for line in (RECORDINGS / "transformer.jsonl").read_text(encoding="utf-8").splitlines():
            replay.play(json.loads(line))
        replay.check()
        assert replay.text == (RECORDINGS / "transformer.sknd").read_text(encoding="utf-8")
        replay.close()
    finally:
        replay.kill()
    report = request.config.rootpath / "test-output" / f"typing-{habits.editor.partition('@')[0]}.txt"
    report.parent.mkdir(exist_ok=True)
    report.write_text(_table(replay.latencies), encoding="utf-8")


def _table(latencies: dict[str, list[float]]) -> str:
    """Milliseconds over the wire, for each kind of question."""
    lines = [f"{'ms':28}{'count':>8}{'median':>10}{'95 %':>10}{'most':>10}"]
    for kind, seconds in sorted(latencies.items()):
        most = sorted(1000 * each for each in seconds)
        numbers = (statistics.median(most), most[int(len(most) * 0.95)], most[-1])
        lines.append(f"{kind:28}{len(most):8}" + "".join(f"{each:10.1f}" for each in numbers))
    return "\n".join(lines) + "\n"
