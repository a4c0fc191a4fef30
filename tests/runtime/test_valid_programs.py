"""A program that `snd check` accepts runs: no internal error, and no run without end.

Every definition of every valid program of the tests is run with random inputs, attributes and types. A run may refuse
them with a message.
"""

from __future__ import annotations

import pytest

from generators.random_requests import random_request
from snd_analysis import rules
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Snapshot
from snd_runtime.evaluation.handler import evaluate
from snd_runtime.limits import Limits
from snd_runtime.rules import LIMIT_EXCEEDED
from support.memory import snapshot_of
from support.sampling import sample, tries
from support.valid_programs import ValidProgram, valid_programs

_LIMITS = Limits(seconds=20, tensor_bytes=1 << 26)
_PROGRAMS = sample(valid_programs(), 50)


@pytest.mark.parametrize("program", _PROGRAMS, ids=[each.name for each in _PROGRAMS])
def test_a_valid_program_runs(program: ValidProgram) -> None:
    snapshot = snapshot_of(program.files)
    for path in program.files:
        for name in definitions(snapshot, path):
            for seed in range(tries(2, 6)):
                demand_end(snapshot, name, seed)


def definitions(snapshot: Snapshot, path: str) -> list[OperatorName]:
    if not path.endswith((".sknd", ".nnef")):
        return []
    found = dict.fromkeys(definition.name.text for _, definition in snapshot.whole_tree(path).definitions)
    return [OperatorName(path, name) for name in found]


def demand_end(snapshot: Snapshot, name: OperatorName, seed: int) -> None:
    """Run once. Only a condition that reads random data may keep a loop going."""
    template = snapshot.template(name)
    assert template is not None
    loops = "while" in snapshot.source(name.path).text
    limits = Limits(seconds=1, tensor_bytes=_LIMITS.tensor_bytes) if loops else _LIMITS
    answer = evaluate(snapshot, random_request(template, name, limits, seed), lambda _: None)
    for failure in answer.failures:
        assert failure.rule != rules.INTERNAL_ERROR, failure.message
        assert loops or failure.rule != LIMIT_EXCEEDED or "seconds" not in failure.message, (name, failure.message)
