from __future__ import annotations

from snd_analysis.base import Rule

INT_OVERFLOW = Rule("int-overflow", section="2.12")
