from __future__ import annotations

from snd_analysis.base import Rule

NESTING_TOO_DEEP = Rule("nesting-too-deep", section="tool")
MESSAGE = "brackets or operators nest too deeply here"
