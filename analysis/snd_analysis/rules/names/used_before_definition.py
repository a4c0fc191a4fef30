from __future__ import annotations

from snd_analysis.base import Rule

USED_BEFORE_DEFINITION = Rule("used-before-definition", section="2.10")
