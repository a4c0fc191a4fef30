from __future__ import annotations

from snd_analysis.base import Rule

TENSOR_NOT_ACCESSED = Rule("tensor-not-accessed", section="2.12")
