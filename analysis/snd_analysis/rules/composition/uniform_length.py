from __future__ import annotations

from snd_analysis.base import Rule

UNIFORM_LENGTH = Rule("uniform-length", section="2.6.2")
