from __future__ import annotations

from snd_analysis.base.rule import Rule

DUPLICATE_OPERATOR = Rule("duplicate-operator", section="2.15")
