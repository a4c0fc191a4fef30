from __future__ import annotations

from snd_analysis.base import Rule

TWO_FLEXIBLE_RESULTS = Rule("two-flexible-results", section="2.10")
