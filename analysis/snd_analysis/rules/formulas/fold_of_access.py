from __future__ import annotations

from snd_analysis.base import Rule

FOLD_OF_ACCESS = Rule("fold-of-access", section="2.12")
