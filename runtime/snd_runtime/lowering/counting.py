"""Formulas whose results are as many as points satisfy their condition (2.12, Data dependent output shapes)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snd_analysis.compose.formulas import Analysis, Formula
from snd_analysis.skriptnd.names import Symbol
from snd_runtime.errors import EvaluationFailed
from snd_runtime.lowering.arithmetic import INT
from snd_runtime.lowering.domains import Box, Points
from snd_runtime.lowering.evaluation import ActivePoints, Evaluation
from snd_runtime.lowering.memory import Memory
from snd_runtime.lowering.writing import condition_scope, store, target_scope
from snd_runtime.rules import EXTENT_CONFLICT

Counted = dict[Symbol, tuple[int, str]]
"""The counted value of each extent, and the output that it was counted in."""


def count(memory: Memory, unrolled: Sequence[tuple[Analysis, Formula]], counted: Counted) -> None:
    """Find the points in order, allocate outputs of that number, store the values, and record the number.

    ``unrolled`` are the formulas that one formula was unrolled into: each counts on from the end of the one before.
    Raise EvaluationFailed, also if an extent differs from its value in an earlier formula.
    """
    found = [(*each, points) for each in unrolled for points in _found(memory, *each)]
    formula = unrolled[0][1]
    total = sum(points.size for _, _, points in found)
    output = formula.slots[0].name
    for symbol in sorted(formula.counters, key=lambda symbol: symbol.name):
        known, before = counted.setdefault(symbol, (total, output))
        if known != total:
            message = f"'{symbol.name}' is {total} in '{output}', but {known} in '{before}'"
            if output == before:
                message = f"'{symbol.name}' is {total} here, but {known} in an earlier formula of '{output}'"
            raise EvaluationFailed(EXTENT_CONFLICT, message, formula.source)
    for _, each in unrolled:
        _allocate(memory, each, counted)
    offset = 0
    for analysis, each, points in found:
        memory.budget.check_time(each.source)
        numbers = np.arange(offset, offset + points.size, dtype=INT)
        offset += points.size
        evaluation = Evaluation(memory, analysis, each, points, numbers)
        for write in each.writes:
            store(evaluation, write, target_scope(evaluation, write, ActivePoints()), each.operator)


def _found(memory: Memory, analysis: Analysis, formula: Formula) -> list[Points]:
    """Return the points in order at which the condition of a formula holds."""
    found: list[Points] = []
    for chunk in Box(tuple((0, extent) for extent in analysis.extents)).chunks(memory.budget.limits.chunk_elements):
        memory.budget.check_time(formula.source)
        if chunk.size:
            evaluation = Evaluation(memory, analysis, formula, chunk)
            scope = condition_scope(evaluation)
            for write in formula.writes:
                # Points that a guard skips are not counted.
                scope = evaluation.enter(scope, (write.value,))
            found.append(chunk.points(scope.active))
    return found


def _allocate(memory: Memory, formula: Formula, counted: Counted) -> None:
    for slot in formula.slots:
        shape = tuple(
            extent if extent is not None else counted[symbol][0] if symbol in counted else 0
            for extent, symbol in zip(slot.shape, slot.counters, strict=True)
        )
        if not memory.has(slot):
            memory.allocate(slot, shape, formula.source)
