from __future__ import annotations

from snd_analysis.base import Rule

UNREADABLE_FILE = Rule("unreadable-file", section="tool")
