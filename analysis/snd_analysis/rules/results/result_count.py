from __future__ import annotations

from snd_analysis.base import Rule

RESULT_COUNT = Rule("result-count", section="2.10")
