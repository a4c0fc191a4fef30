from __future__ import annotations

from snd_analysis.base import Rule

UNEXPECTED_PACK = Rule("unexpected-pack", section="2.4")
