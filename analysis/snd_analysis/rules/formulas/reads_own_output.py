from __future__ import annotations

from snd_analysis.base import Rule

READS_OWN_OUTPUT = Rule("reads-own-output", section="2.12")
