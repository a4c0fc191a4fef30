"""Rules about the declarations of a definition."""

from __future__ import annotations

from snd_analysis.base import Rule

CAPTURED_RANKS_DIFFER = Rule("captured-ranks-differ", section="2.6")
CIRCULAR_DEFAULT = Rule("circular-default", section="2.5")
GENERIC_BASE = Rule("generic-base", section="2.13")
GENERIC_DEFAULT = Rule("generic-default", section="2.13")
ILLEGAL_DEFAULT = Rule("illegal-default", section="2.6")
ILLEGAL_INDEX_BOUND = Rule("illegal-index-bound", section="2.7")
ILLEGAL_OPTIONAL = Rule("illegal-optional", section="2.6")
ILLEGAL_RANK_CAPTURE = Rule("illegal-rank-capture", section="2.6")
MISSING_SHAPE = Rule("missing-shape", section="2.6")
OPTIONAL_DEFAULT = Rule("optional-default", section="2.5")
TENSOR_ATTRIBUTE = Rule("tensor-attribute", section="2.5")
UNIFORM_DEFAULT = Rule("uniform-default", section="2.5")
