"""Every rule there is: those of the analysis, and the one that only a tool can break."""

from __future__ import annotations

from collections.abc import Mapping

from snd_analysis.rules.rule import Rule

INTERNAL_ERROR = Rule(
    name="internal-error",
    summary="snd itself failed while it checked the file.",
    why=(
        "The fault is in snd, not in the file: what else is wrong with this file is unknown, other files are checked "
        "as usual, and the exit status is 101. Please report it, with the file if you can."
    ),
    bad="",
    good="",
    section="tool",
)


def known_rules() -> Mapping[str, Rule]:
    """All rules by name, sorted."""
    from snd_analysis.rules.catalogue import catalogue

    rules = {**catalogue(), INTERNAL_ERROR.name: INTERNAL_ERROR}
    return dict(sorted(rules.items()))
