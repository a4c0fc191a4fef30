from __future__ import annotations

from snd_analysis.base import Rule

MALFORMED_FORMAT = Rule("malformed-format", section="2.4")
