"""Rules about the results of operators."""

from __future__ import annotations

from snd_analysis.base import Rule

DUPLICATE_LABEL = Rule("duplicate-label", section="2.10")
OUTPUT_NOT_ASSIGNED = Rule("output-not-assigned", section="2.10")
OUTPUT_SHAPE = Rule("output-shape", section="2.10")
OUTPUT_TYPE = Rule("output-type", section="2.10")
PACKED_RESULT_WITHOUT_LENGTH = Rule("packed-result-without-length", section="2.10")
RESULT_COUNT = Rule("result-count", section="2.10")
RESULT_SHAPE = Rule("result-shape", section="2.10")
TWO_FLEXIBLE_RESULTS = Rule("two-flexible-results", section="2.10")
UPDATE_SHAPE = Rule("update-shape", section="2.11")
UPDATE_TYPE = Rule("update-type", section="2.11")
