from __future__ import annotations

from snd_analysis.base import Rule

UPDATE_WITHOUT_INITIAL = Rule("update-without-initial", section="2.12")
