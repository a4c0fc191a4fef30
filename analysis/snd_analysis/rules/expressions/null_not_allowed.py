from __future__ import annotations

from snd_analysis.base import Rule

NULL_NOT_ALLOWED = Rule("null-not-allowed", section="2.4.1")
