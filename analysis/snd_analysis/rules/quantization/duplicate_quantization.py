from __future__ import annotations

from snd_analysis.base import Rule

DUPLICATE_QUANTIZATION = Rule("duplicate-quantization", section="2.14")
