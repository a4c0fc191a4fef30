from __future__ import annotations

from snd_analysis.base.rule import Rule

UNIFORM_DEFAULT = Rule("uniform-default", section="2.5")
