from __future__ import annotations

from snd_analysis.base import Rule

NO_SUCH_FOLD = Rule("no-such-fold", section="2.4")
