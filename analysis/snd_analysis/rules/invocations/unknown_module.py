from __future__ import annotations

from snd_analysis.base import Rule

UNKNOWN_MODULE = Rule("unknown-module", section="2.15")
