from __future__ import annotations

from snd_analysis.base import Rule

SAMPLE_SYNTAX = Rule("sample-syntax", section="tool")
