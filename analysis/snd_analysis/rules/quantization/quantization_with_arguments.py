from __future__ import annotations

from snd_analysis.base import Rule

QUANTIZATION_WITH_ARGUMENTS = Rule("quantization-with-arguments", section="2.14")
