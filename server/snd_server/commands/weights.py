"""One run of ``snd weights``: the tensors of a file, with their statistics."""

from __future__ import annotations

import json

from snd_analysis.base import counted
from snd_runtime.summary import Summary, summarize
from snd_server.console.terminal import say, show
from snd_server.exchange.stored_tensors import stored_tensors


def run_weights(path: str, format: str, memory_bytes: int) -> int:
    """Show the tensors of a file, and return the exit status. Raise ArgumentError and OSError."""
    found = {name: summarize(array) for name, array in stored_tensors(path, memory_bytes)}
    if format == "json":
        show(json.dumps([_record(name, each) for name, each in found.items()], indent=2) + "\n")
        return 0
    width = max(map(len, found), default=0)
    for name, each in found.items():
        say(f"{name:{width}}  {each.brief}")
    wrong = sum(bool(each.nan or each.infinite) for each in found.values())
    note = f", {wrong} with NaN or infinities" if wrong else ""
    say(f"{counted(len(found), 'tensor')}, {sum(each.count for each in found.values()):,} elements{note}")
    return 0


def _record(name: str, each: Summary) -> dict[str, object]:
    """Return a tensor as JSON has it: infinite bounds are texts."""
    bounds = {"min": each.least, "max": each.greatest, "mean": each.mean, "deviation": each.deviation}
    finite = {
        key: str(value) if isinstance(value, float) and abs(value) == float("inf") else value
        for key, value in bounds.items()
    }
    return {
        "name": name, "dtype": each.dtype, "shape": list(each.shape), **finite, "nan": each.nan,
        "infinite": each.infinite,
    }  # fmt: skip
