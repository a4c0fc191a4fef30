from __future__ import annotations

from snd_analysis.base import Rule

SAMPLE_DIFFERS = Rule("sample-differs", section="tool")
