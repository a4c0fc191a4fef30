"""``make fuzz``: attacks every target in turn until the time is over. Exit status 1 if anything was found."""

from __future__ import annotations

import hashlib
import os
import resource
import sys
import time
import traceback
from pathlib import Path
from random import Random

from fuzz.mutation import mutated
from fuzz.protocol import Waits
from fuzz.targets import TARGETS, Target
from support.confinement import TookTooLong, confined

CORPUS = Path(__file__).parent / "corpus"
_MOST_FINDINGS = 20


def main() -> int:
    seconds = float(os.environ.get("FUZZ_SECONDS", "60"))
    seed = int(os.environ.get("FUZZ_SEED", time.time_ns() % 1_000_000))
    names = os.environ.get("FUZZ_TARGETS", " ".join(TARGETS)).split()
    print(f"FUZZ_SECONDS={seconds:g} FUZZ_SEED={seed} FUZZ_TARGETS='{' '.join(names)}'", flush=True)
    sys.setrecursionlimit(10_000)  # as the command has it
    found = sum(_attack(name, TARGETS[name], seconds / len(names), Random(f"{seed} {name}")) for name in names)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{found} findings; at most {peak:,} MB; a request about another file waited {Waits.longest:.2f} s at most")
    return 1 if found else 0


def _attack(name: str, target: Target, seconds: float, chance: Random) -> int:
    seeds = [*target.seeds(), *(path.read_bytes() for path in sorted((CORPUS / name).glob("*")))]
    begin = time.monotonic()
    cases, longest = 0, 0.0
    findings: set[str] = set()
    while time.monotonic() - begin < seconds and len(findings) < _MOST_FINDINGS:
        content = mutated(seeds, chance)
        started = time.monotonic()
        try:
            with confined():
                target.attack(content)
        except (Exception, TookTooLong) as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} at {place.filename}:{place.lineno}"
            if kind not in findings:  # one of a kind is enough
                findings.add(kind)
                print(f"{name}: {kind}: {str(error)[:200]}\n  kept as {_keep(name, content)}", flush=True)
        cases += 1
        longest = max(longest, time.monotonic() - started)
    print(f"{name}: {cases:,} cases, {len(findings)} findings, the longest took {longest:.2f} s", flush=True)
    return len(findings)


def _keep(name: str, content: bytes) -> Path:
    path = CORPUS / name / hashlib.sha256(content).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


if __name__ == "__main__":
    sys.exit(main())
