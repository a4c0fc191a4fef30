from __future__ import annotations

from snd_analysis.base import Rule

OPERAND_TYPE = Rule("operand-type", section="2.4")
