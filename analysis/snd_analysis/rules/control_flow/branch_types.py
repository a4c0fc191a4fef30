from __future__ import annotations

from snd_analysis.base import Rule

BRANCH_TYPES = Rule("branch-types", section="2.10.1")
