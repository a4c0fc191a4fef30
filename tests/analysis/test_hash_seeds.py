"""Diagnostics do not depend on the seed of hashes, which differs from process to process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from support.mdtest import sections
from support.memory import split_files
from support.sampling import sample, tries

TESTS = Path(__file__).parents[1]
FACTS = TESTS / "fixtures" / "rules" / "unproven-shape"
"""Facts whose consequences once depended on the seed."""
SEEDS = ("0", "1", "3")


def programs() -> Iterator[dict[str, str]]:
    """Yield the files of every fixture in both languages, and of every program in Markdown."""
    for path in sorted(path for suffix in ("sknd", "nnef") for path in (TESTS / "fixtures").rglob(f"*.{suffix}")):
        yield split_files(path.read_bytes().decode(errors="replace"))
    for path in sorted((TESTS / "mdtest").rglob("*.md")):
        for program in (each for section in sections(path) for each in section.programs):
            yield split_files(f"{program.frame.before}{program.text}{program.frame.after}")


def test_diagnostics_are_those_of_any_seed() -> None:
    facts = [split_files(path.read_text(encoding="utf-8")) for path in sorted(FACTS.iterdir())]
    chosen = [*facts, *sample(programs(), tries(40, 1_000_000))]
    command = [sys.executable, "-m", "support.all_diagnostics"]
    told: list[list[str]] = []
    for seed in SEEDS:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            command, input=msgspec.json.encode(chosen), env=environment, capture_output=True, check=True
        )
        told.append(done.stdout.decode().splitlines())
    assert len(told[0]) > len(chosen) / 4
    for seed, other in zip(SEEDS[1:], told[1:], strict=True):
        different = [pair for pair in zip(told[0], other, strict=False) if pair[0] != pair[1]]
        assert (different, len(other)) == ([], len(told[0])), f"with the seed {seed}"
