from __future__ import annotations

from snd_analysis.base.rule import Rule

DUPLICATE_BLOCK = Rule("duplicate-block", section="LANGUAGE")
