"""Loops: unrolled, or with a body that is composed once. Other interpreters of loops need the names exported here."""

from snd_analysis.compose.loops.composed import scopes_of_loop
from snd_analysis.compose.loops.counts import iterations, lengths_agree, let, let_item, nothing_collected, unrolled
from snd_analysis.compose.loops.iterations import final, initial

__all__ = [
    "final",
    "initial",
    "iterations",
    "lengths_agree",
    "let",
    "let_item",
    "nothing_collected",
    "scopes_of_loop",
    "unrolled",
]
