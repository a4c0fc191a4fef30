from __future__ import annotations

from snd_analysis.base import Rule

BRANCH_RANKS = Rule("branch-ranks", section="2.10.1")
