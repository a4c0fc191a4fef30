from __future__ import annotations

from snd_analysis.base import Rule

ABSTRACT_TYPE = Rule("abstract-type", section="2.3")
