from __future__ import annotations

from snd_analysis.base import Rule

TOO_MANY_ARGUMENTS = Rule("too-many-arguments", section="2.10")
