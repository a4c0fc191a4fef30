from __future__ import annotations

from snd_analysis.base import Rule

MISSING_ARGUMENT = Rule("missing-argument", section="2.10")
