from __future__ import annotations

from snd_analysis.base import Rule

UNROLL_DYNAMIC = Rule("unroll-dynamic", section="2.10.1")
