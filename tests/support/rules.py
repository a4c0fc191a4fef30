"""The rules that `snd check` can report of a text."""

from __future__ import annotations

from collections.abc import Mapping

from snd_analysis.base import Rule
from snd_analysis.rules import catalogue

FOUND_ELSEWHERE = {"internal-error", "not-for-all-sizes", "sample-differs", "sample-fails", "sample-without-result"}
"""Rules that the command line reports, or the evaluation of samples and proofs."""


def checked_rules() -> Mapping[str, Rule]:
    """Return all rules by name, except rules found elsewhere."""
    return {name: rule for name, rule in catalogue.rules().items() if name not in FOUND_ELSEWHERE}
