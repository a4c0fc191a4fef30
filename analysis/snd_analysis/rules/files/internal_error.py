from __future__ import annotations

from snd_analysis.base import Rule

INTERNAL_ERROR = Rule("internal-error", section="tool")
