from __future__ import annotations

from snd_analysis.base import Rule

TENSOR_ATTRIBUTE = Rule("tensor-attribute", section="2.5")
