from __future__ import annotations

from snd_analysis.base import Rule

OUTPUT_TYPE = Rule("output-type", section="2.10")
