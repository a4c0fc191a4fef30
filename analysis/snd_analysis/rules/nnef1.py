"""Rules of NNEF 1.0 that the elaboration of a graph decides."""

from __future__ import annotations

from snd_analysis.base import Rule, Severity

BAKED_EXTENT = Rule("baked-extent", section="tool", severity=Severity.WARNING)
DEPRECATED_FORM = Rule("deprecated-form", section="NNEF 1.0, 3.3", severity=Severity.WARNING)
IGNORED_ARGUMENT = Rule("ignored-argument", section="tool", severity=Severity.WARNING)
STREAM_DELAY = Rule("stream-delay", section="tool", severity=Severity.HINT)
IMPLICIT_CAST = Rule("implicit-cast", section="tool", severity=Severity.HINT)
INVALID_LABEL = Rule("invalid-label", section="NNEF 1.0, 4.2")
INVALID_SUBMODEL = Rule("invalid-submodel", section="tool")
INVALID_TENSOR_FILE = Rule("invalid-tensor-file", section="NNEF 1.0, 5.2")
UNDECLARED_SYMBOL = Rule("undeclared-symbol", section="tool", severity=Severity.WARNING)
UNPROVEN_SHAPE = Rule("unproven-shape", section="tool", severity=Severity.WARNING)
