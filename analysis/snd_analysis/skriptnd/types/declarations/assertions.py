"""Assertions: conditions, messages and printed values (2.8)."""

from __future__ import annotations

from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context
from snd_analysis.skriptnd.types.expressions.expectations import expect, scalars
from snd_analysis.skriptnd.types.expressions.inference import infer
from snd_analysis.skriptnd.types.type import BOOL


def check_assertions(context: Context) -> None:
    """Check assertions: conditions are bool, single or packed, and may be null.

    Printed values are known when composing.
    """
    for base, entry in entries_of(context.definition, BlockKind.ASSERT, nodes.Assertion):
        context.base = base
        expect(context, entry.condition, BOOL, "the condition of an assertion", optional=True)
        if entry.message is not None:
            infer(context, entry.message)
        for printed in entry.printed:
            if printed.label is not None:
                infer(context, printed.label)
            scalars(context, printed.value, infer(context, printed.value))
