from __future__ import annotations

from snd_analysis.base import Rule

ZIP_NOT_EXPANDED = Rule("zip-not-expanded", section="2.4")
