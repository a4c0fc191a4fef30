from __future__ import annotations

from snd_analysis.base import Rule

BRANCH_RESULTS = Rule("branch-results", section="2.10.1")
