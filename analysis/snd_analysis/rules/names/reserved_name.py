from __future__ import annotations

from snd_analysis.base import Rule

RESERVED_NAME = Rule("reserved-name", section="2.4")
