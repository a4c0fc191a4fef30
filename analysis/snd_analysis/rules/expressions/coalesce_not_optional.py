from __future__ import annotations

from snd_analysis.base import Rule

COALESCE_NOT_OPTIONAL = Rule("coalesce-not-optional", section="2.4")
