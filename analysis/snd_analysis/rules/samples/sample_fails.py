from __future__ import annotations

from snd_analysis.base import Rule

SAMPLE_FAILS = Rule("sample-fails", section="tool")
