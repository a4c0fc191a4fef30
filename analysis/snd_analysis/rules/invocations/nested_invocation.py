from __future__ import annotations

from snd_analysis.base import Rule

NESTED_INVOCATION = Rule("nested-invocation", section="2.10")
