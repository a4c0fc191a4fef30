from __future__ import annotations

from snd_analysis.base import Rule

SYNTAX_ERROR = Rule("syntax-error", section="2.16")
