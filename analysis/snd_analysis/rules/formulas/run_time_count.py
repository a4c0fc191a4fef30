from __future__ import annotations

from snd_analysis.base import Rule

RUN_TIME_COUNT = Rule("run-time-count", section="2.12")
