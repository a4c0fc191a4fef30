from __future__ import annotations

from snd_analysis.base import Rule

DIVISION_BY_ZERO = Rule("division-by-zero", section="LANGUAGE")
