from __future__ import annotations

from snd_analysis.base.rule import Rule

RESERVED_NAME = Rule("reserved-name", section="2.4")
