from __future__ import annotations

from snd_analysis.base.rule import Rule

MODULE_NOT_FOUND = Rule("module-not-found", section="2.15")
