from __future__ import annotations

from snd_analysis.base import Rule

PRIVATE_TENSOR = Rule("private-tensor", section="2.10")
