from __future__ import annotations

from snd_analysis.base import Rule

TWO_CONDITIONS = Rule("two-conditions", section="2.10.1")
