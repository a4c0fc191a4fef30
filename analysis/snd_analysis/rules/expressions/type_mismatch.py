from __future__ import annotations

from snd_analysis.base import Rule

TYPE_MISMATCH = Rule("type-mismatch", section="2.4")
