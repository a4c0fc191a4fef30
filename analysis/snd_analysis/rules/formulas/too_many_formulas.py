from __future__ import annotations

from snd_analysis.base import Rule

TOO_MANY_FORMULAS = Rule("too-many-formulas", section="2.12")
