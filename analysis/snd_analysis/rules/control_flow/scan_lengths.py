from __future__ import annotations

from snd_analysis.base import Rule

SCAN_LENGTHS = Rule("scan-lengths", section="2.10.1")
