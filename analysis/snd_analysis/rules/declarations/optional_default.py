from __future__ import annotations

from snd_analysis.base import Rule

OPTIONAL_DEFAULT = Rule("optional-default", section="2.5")
