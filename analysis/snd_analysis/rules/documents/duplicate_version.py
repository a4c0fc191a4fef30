from __future__ import annotations

from snd_analysis.base.rule import Rule

DUPLICATE_VERSION = Rule("duplicate-version", section="2.16")
