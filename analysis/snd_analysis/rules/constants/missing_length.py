from __future__ import annotations

from snd_analysis.base import Rule

MISSING_LENGTH = Rule("missing-length", section="2.7")
