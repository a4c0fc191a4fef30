"""Rules about `@quantize` blocks."""

from __future__ import annotations

from snd_analysis.base import Rule

DUPLICATE_QUANTIZATION = Rule("duplicate-quantization", section="2.14")
PRIVATE_TENSOR = Rule("private-tensor", section="2.10")
QUANTIZATION_ALGORITHM = Rule("quantization-algorithm", section="2.14")
QUANTIZATION_WITH_ARGUMENTS = Rule("quantization-with-arguments", section="2.14")
UNKNOWN_QUANTIZED_TENSOR = Rule("unknown-quantized-tensor", section="2.14")
