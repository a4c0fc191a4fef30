from __future__ import annotations

from snd_analysis.base import Rule

INVALID_SUBMODEL = Rule("invalid-submodel", section="tool")
