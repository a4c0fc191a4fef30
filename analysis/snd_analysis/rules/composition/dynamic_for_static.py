from __future__ import annotations

from snd_analysis.base import Rule

DYNAMIC_FOR_STATIC = Rule("dynamic-for-static", section="LANGUAGE")
