"""Rules about the shapes of tensors."""

from __future__ import annotations

from snd_analysis.base import Rule

AMBIGUOUS_SHAPE = Rule("ambiguous-shape", section="2.6.2")
BOUNDS_DIFFER = Rule("bounds-differ", section="2.6.1")
EXTENT_NOT_EXPANDED = Rule("extent-not-expanded", section="2.6")
ILLEGAL_BOUND = Rule("illegal-bound", section="2.6.1")
ITEM_EXTENT = Rule("item-extent", section="2.6")
OMITTED_EXTENT = Rule("omitted-extent", section="2.6.1")
UNBOUNDED_EXTENT = Rule("unbounded-extent", section="2.6.1")
