"""Formulas whose results are as many as points satisfy their condition (2.12, Data dependent output shapes)."""

from __future__ import annotations

import numpy as np

from snd_analysis.names.symbols import Symbol
from snd_runtime.lowering.affine import Analysis
from snd_runtime.lowering.arithmetic import INT
from snd_runtime.lowering.domains import Box, Points
from snd_runtime.lowering.evaluation import Evaluation, Scope
from snd_runtime.lowering.formula import Formula
from snd_runtime.lowering.memory import Memory
from snd_runtime.lowering.writing import condition_scope, store, target_scope


def count(memory: Memory, analysis: Analysis, formula: Formula, counted: dict[Symbol, int]) -> None:
    """Finds the points in order, allocates the outputs for as many, and stores the values. Notes the number."""
    limits = memory.budget.limits
    found: list[Points] = []
    for chunk in Box(tuple((0, extent) for extent in analysis.extents)).chunks(limits.chunk_elements):
        memory.budget.check_time(formula.source)
        if chunk.size:
            evaluation = Evaluation(memory, analysis, formula, chunk)
            scope = condition_scope(evaluation)
            for write in formula.writes:
                # What a guard skips is not counted.
                scope = evaluation.enter(scope, (write.value,))
            found.append(chunk.points(scope.active))
    total = sum(points.size for points in found)
    for symbol in formula.counters:
        counted[symbol] = max(total, counted.get(symbol, 0))
    _allocate(memory, formula, counted)
    offset = 0
    for points in found:
        memory.budget.check_time(formula.source)
        numbers = np.arange(offset, offset + points.size, dtype=INT)
        offset += points.size
        evaluation = Evaluation(memory, analysis, formula, points, numbers)
        for write in formula.writes:
            store(evaluation, write, target_scope(evaluation, write, Scope()), formula.operator)


def _allocate(memory: Memory, formula: Formula, counted: dict[Symbol, int]) -> None:
    for slot in formula.slots:
        shape = tuple(
            extent if extent is not None else counted.get(symbol, 0) if symbol is not None else 0
            for extent, symbol in zip(slot.shape, slot.counters, strict=True)
        )
        if not memory.has(slot):
            memory.allocate(slot, shape, formula.source)
