from __future__ import annotations

from snd_analysis.base import Rule

SAMPLE_RESULT_SHAPE = Rule("sample-result-shape", section="tool")
