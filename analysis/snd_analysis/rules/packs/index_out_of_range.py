from __future__ import annotations

from snd_analysis.base import Rule

INDEX_OUT_OF_RANGE = Rule("index-out-of-range", section="LANGUAGE")
