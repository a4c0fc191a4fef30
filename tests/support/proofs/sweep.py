"""Random operators for as long as there is time: ``python -m support.proofs.sweep FIRST SECONDS``."""

from __future__ import annotations

import sys
from itertools import count
from time import monotonic

from support.proofs.agreement import disagreements
from support.proofs.random_operators import drawn, lines_of


def main(first: int, seconds: float) -> None:
    """Print the operators for which runs contradict snd."""
    until = monotonic() + seconds
    for seed in count(first):
        operator = drawn(seed)
        for found in disagreements(operator, seed, 200):
            print(f"{seed}: {found}", *lines_of(operator, "op"), sep="\n", flush=True)
        if monotonic() > until:
            print(f"{seed + 1 - first} operators")
            return


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
