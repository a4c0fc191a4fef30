from __future__ import annotations

from snd_analysis.base import Rule

CIRCULAR_DEFAULT = Rule("circular-default", section="2.5")
