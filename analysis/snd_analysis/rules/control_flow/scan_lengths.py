from __future__ import annotations

from snd_analysis.base import Rule, counted

SCAN_LENGTHS = Rule("scan-lengths", section="2.10.1")


def counts_too_far(count: object, length: object) -> str:
    """Return the message for a loop whose count exceeds the length of the packs that it scans."""
    return f"the loop counts to {count}, but the packs that it scans have only {counted(length, 'tensor')}"
