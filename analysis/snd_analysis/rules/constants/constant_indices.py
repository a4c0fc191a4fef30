from __future__ import annotations

from snd_analysis.base import Rule

CONSTANT_INDICES = Rule("constant-indices", section="2.7")
