from __future__ import annotations

from snd_analysis.base import Rule

INVALID_TENSOR_FILE = Rule("invalid-tensor-file", section="NNEF 1.0, 5.2")
