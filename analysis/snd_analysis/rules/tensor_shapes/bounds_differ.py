from __future__ import annotations

from snd_analysis.base import Rule

BOUNDS_DIFFER = Rule("bounds-differ", section="2.6.1")
