from __future__ import annotations

from snd_analysis.base import Rule

MISSING_VALUE = Rule("missing-value", section="2.7")
