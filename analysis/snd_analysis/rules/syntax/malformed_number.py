from __future__ import annotations

from snd_analysis.base import Rule

MALFORMED_NUMBER = Rule("malformed-number", section="2.4")
