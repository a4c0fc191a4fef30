from __future__ import annotations

from snd_analysis.base import Rule

RAGGED_TENSOR = Rule("ragged-tensor", section="tool")
