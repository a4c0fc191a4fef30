from __future__ import annotations

from snd_analysis.base import Rule

CONSTANT_VALUES = Rule("constant-values", section="2.7")
