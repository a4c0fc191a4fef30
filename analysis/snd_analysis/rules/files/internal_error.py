from __future__ import annotations

from snd_analysis.base.rule import Rule

INTERNAL_ERROR = Rule("internal-error", section="tool")
