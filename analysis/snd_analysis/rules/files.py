"""Rules about files that are not read."""

from __future__ import annotations

from snd_analysis.base import Rule, Severity

FILE_TOO_LARGE = Rule("file-too-large", section="tool", severity=Severity.WARNING)
INTERNAL_ERROR = Rule("internal-error", section="tool")
INVALID_ENCODING = Rule("invalid-encoding", section="tool")
UNREADABLE_FILE = Rule("unreadable-file", section="tool")
