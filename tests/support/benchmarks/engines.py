"""Time of repeated inference compared with onnxruntime: ``make engines``, or with names of graphs as arguments.

The examples run with the same weights, in one process on one thread. All engines take turns, so that other load on the
machine slows all of them. A ratio is the median of the ratios of the rounds.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

sys.path.append(str(Path(__file__).parents[3] / "tests" / "runtime"))

from snd_runtime.lowering.compiled import kernels
from support.benchmarks.models import MODELS, Model
from support.onnx_models.exported import Exported

_SECONDS = 6.0
"""Approximate duration of the rounds of a graph."""
_LEAST_ROUNDS, _MOST_ROUNDS = 7, 201


def compare(model: Model) -> list[list[float]]:
    """Return the seconds of each round: of onnxruntime, and of snd with compiled loops and without.

    Without a compiler there are no compiled loops.
    """
    plain = model.ready(compiles=False)
    plain.run(model.inputs)
    graphs = [plain]
    if kernels.has_compiler():
        graphs.insert(0, model.ready(variables=plain.variables))
    exported = Exported(plain.specialization, plain.variables)
    given = exported.feed(model.inputs)

    def run_of(graph: object) -> Callable[[], object]:
        return lambda: graph.run(model.inputs)  # type: ignore[attr-defined]

    engines: list[Callable[[], object]] = [lambda: exported.session.run(None, given), *map(run_of, graphs)]
    for engine in engines:
        for _ in range(3):  # repeated runs may be compiled
            engine()
    once = sum(_seconds(engine) for engine in engines)
    rounds = min(max(int(_SECONDS / once), _LEAST_ROUNDS), _MOST_ROUNDS)
    gc.collect()
    return [[*each] for each in zip(*([_seconds(engine) for engine in engines] for _ in range(rounds)), strict=True)]


def _seconds(engine: Callable[[], object]) -> float:
    started = process_time()
    engine()
    return process_time() - started


def _cell(found: list[float]) -> str:
    ordered = sorted(1e3 * each for each in found)
    tenth = len(ordered) // 10
    return f"{median(ordered):.1f} ({ordered[tenth]:.1f}–{ordered[-1 - tenth]:.1f})"


def main() -> None:
    """Print the table."""
    kernels.WORTH_COMPILING = 0
    wanted = sys.argv[1:]
    print("Milliseconds: median (tenth and ninetieth percentile); ratio to onnxruntime", flush=True)
    names = ["onnxruntime", *(["snd[fast]", "ratio"] if kernels.has_compiler() else []), "snd", "ratio"]
    widths = [24 if name != "ratio" else 8 for name in names]
    print(f"{'':22}" + "".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True)), flush=True)
    for model in MODELS:
        if wanted and model.graph not in wanted:
            continue
        first, *rest = compare(model)
        cells = [_cell(first)]
        for found in rest:
            ratio = median(own / other for own, other in zip(found, first, strict=True))
            cells += [_cell(found), f"{ratio:.2f}"]
        row = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        print(f"{model.graph:22}{row}", flush=True)


if __name__ == "__main__":
    main()
