"""Labels of invocations and blocks (2.10)."""

from __future__ import annotations

from snd_analysis.syntax import nodes
from snd_analysis.syntax.problem import Note
from snd_analysis.types.compose.composition import Composition


def add_label(work: Composition, label: nodes.Name) -> None:
    """Notes a label; two of one name in one scope are reported."""
    if not label.text:
        return
    earlier = work.labels.get(label.text)
    if earlier is not None:
        message = f"the label '{label.text}' is given a second time here: names of tensors below it would be ambiguous"
        work.context.report("duplicate-label", label, message, (Note(earlier, "first given here"),))
        return
    work.labels[label.text] = work.context.span(label)
