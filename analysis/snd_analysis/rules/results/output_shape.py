from __future__ import annotations

from snd_analysis.base import Rule

OUTPUT_SHAPE = Rule("output-shape", section="2.10")
