from __future__ import annotations

from snd_analysis.base import Rule

QUANTIZATION_ALGORITHM = Rule("quantization-algorithm", section="2.14")
