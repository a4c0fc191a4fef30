from __future__ import annotations

from snd_analysis.base import Rule

LENGTH_MISMATCH = Rule("length-mismatch", section="2.4")
