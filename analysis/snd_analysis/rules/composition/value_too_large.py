from __future__ import annotations

from snd_analysis.base import Rule

VALUE_TOO_LARGE = Rule("value-too-large", section="tool")
