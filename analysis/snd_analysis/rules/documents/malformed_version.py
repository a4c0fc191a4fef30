from __future__ import annotations

from snd_analysis.base.rule import Rule

MALFORMED_VERSION = Rule("malformed-version", section="2.16")
