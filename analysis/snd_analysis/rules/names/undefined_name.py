from __future__ import annotations

from snd_analysis.base import Rule

UNDEFINED_NAME = Rule("undefined-name", section="2.2")
