from __future__ import annotations

from snd_analysis.base import Rule

UNIFORM_DEFAULT = Rule("uniform-default", section="2.5")
