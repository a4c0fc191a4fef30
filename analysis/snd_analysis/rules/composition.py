"""Rules about definitions that are composed with arguments."""

from __future__ import annotations

from snd_analysis.base import Rule, Severity

ACCESS_OUT_OF_RANGE = Rule("access-out-of-range", section="2.12")
ASSERTION_FAILS = Rule("assertion-fails", section="2.8")
CARRIED_SHAPE = Rule("carried-shape", section="2.10.1")
DIVISOR_MAY_BE_ZERO = Rule("divisor-may-be-zero", section="2.4", severity=Severity.WARNING)
DYNAMIC_FOR_STATIC = Rule("dynamic-for-static", section="LANGUAGE")
DYNAMIC_VARIABLE = Rule("dynamic-variable", section="3")
EXTENT_MAY_BE_NEGATIVE = Rule("extent-may-be-negative", section="2.6.1", severity=Severity.WARNING)
MISALIGNED_BIAS = Rule("misaligned-bias", section="tool", severity=Severity.WARNING)
NEGATIVE_EXTENT = Rule("negative-extent", section="2.6")
NOT_FOR_ALL_SIZES = Rule("not-for-all-sizes", section="2.12", severity=Severity.WARNING)
UNIFORM_LENGTH = Rule("uniform-length", section="2.6.2")
VALUE_TOO_LARGE = Rule("value-too-large", section="tool")
