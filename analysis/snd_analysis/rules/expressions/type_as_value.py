from __future__ import annotations

from snd_analysis.base import Rule

TYPE_AS_VALUE = Rule("type-as-value", section="2.4")
