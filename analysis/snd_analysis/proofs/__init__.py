"""Proofs of the conditions of operators for all sizes (2.12): each is proved, refuted by sizes, or unknown.

``case_analysis`` divides the uses of an operator into cases by ranks, lengths, strings and optional values;
``conditions`` makes the conditions of a case; ``solver`` asks z3, the extra ``snd[proofs]``; ``prove_operators``
combines them.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from snd_analysis.base import loaded_when_used
from snd_analysis.proofs.verdicts import Candidate, Proof, Verdict, condition_text

if TYPE_CHECKING:
    from snd_analysis.proofs.mending import Proposals
    from snd_analysis.proofs.prove_operators import assertion_edit, proofs_of_file, proofs_of_operator
else:
    __getattr__ = loaded_when_used(__name__, "prove_operators", "mending")

__all__ = [
    "Candidate",
    "Proof",
    "Proposals",
    "Verdict",
    "assertion_edit",
    "condition_text",
    "is_available",
    "proofs_of_file",
    "proofs_of_operator",
]


def is_available() -> bool:
    """Return whether z3 is installed."""
    return find_spec("z3") is not None
