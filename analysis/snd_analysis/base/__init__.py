"""Texts, spans and edits; problems, diagnostics and rules. Imports nothing of ours."""

from snd_analysis.base.checkpoints import checked_by, checkpoint
from snd_analysis.base.forks import UNFORKABLE, InterruptedByForkError
from snd_analysis.base.late import loaded_when_used
from snd_analysis.base.layers import Layers
from snd_analysis.base.node import Node, NodeSequence, children, content_fields, descendants, first_below
from snd_analysis.base.operator_name import MADE_FOR, OperatorName, shown_name
from snd_analysis.base.problem import (
    Diagnostic,
    Elsewhere,
    Fix,
    Location,
    Note,
    Problem,
    Related,
    Repair,
    Rule,
    Severity,
    TextEdit,
)
from snd_analysis.base.project_settings import NO_SETTINGS, ProjectSettings
from snd_analysis.base.text import (
    BYTE_ORDER_MARK,
    HEAD,
    Edit,
    Position,
    Source,
    Span,
    counted,
    edit_between,
    line_edits,
)

__all__ = [
    "BYTE_ORDER_MARK",
    "HEAD",
    "MADE_FOR",
    "NO_SETTINGS",
    "UNFORKABLE",
    "Diagnostic",
    "Edit",
    "Elsewhere",
    "Fix",
    "InterruptedByForkError",
    "Layers",
    "Location",
    "Node",
    "NodeSequence",
    "Note",
    "OperatorName",
    "Position",
    "Problem",
    "ProjectSettings",
    "Related",
    "Repair",
    "Rule",
    "Severity",
    "Source",
    "Span",
    "TextEdit",
    "checked_by",
    "checkpoint",
    "children",
    "content_fields",
    "counted",
    "descendants",
    "edit_between",
    "first_below",
    "line_edits",
    "loaded_when_used",
    "shown_name",
]
