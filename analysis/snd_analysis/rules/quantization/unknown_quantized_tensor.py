from __future__ import annotations

from snd_analysis.base import Rule

UNKNOWN_QUANTIZED_TENSOR = Rule("unknown-quantized-tensor", section="2.14")
