from __future__ import annotations

from snd_analysis.base import Rule

TENSOR_IN_EXPRESSION = Rule("tensor-in-expression", section="2.10")
