from __future__ import annotations

from snd_analysis.base import Rule

DYNAMIC_VARIABLE = Rule("dynamic-variable", section="3")
