from __future__ import annotations

from snd_analysis.base import Rule

DUPLICATE_DEFINITION = Rule("duplicate-definition", section="2.2")
