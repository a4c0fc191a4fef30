from __future__ import annotations

from snd_analysis.base import Rule

OUTPUT_NOT_ASSIGNED = Rule("output-not-assigned", section="2.10")
