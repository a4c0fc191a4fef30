from __future__ import annotations

from snd_analysis.base import Rule

NOT_AFFINE = Rule("not-affine", section="2.6")
