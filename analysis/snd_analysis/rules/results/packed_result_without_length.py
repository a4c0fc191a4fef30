from __future__ import annotations

from snd_analysis.base import Rule

PACKED_RESULT_WITHOUT_LENGTH = Rule("packed-result-without-length", section="2.10")
