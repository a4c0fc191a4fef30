from __future__ import annotations

from snd_analysis.base import Rule, Severity

FILE_TOO_LARGE = Rule("file-too-large", section="tool", severity=Severity.WARNING)
