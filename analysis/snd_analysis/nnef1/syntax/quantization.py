"""``graph.quant`` files: how tensors of a graph are quantized, one line for each."""

from __future__ import annotations

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Problem, Span
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.nnef1.syntax.parser import Parser
from snd_analysis.nnef1.syntax.pieces import PieceKind, split


class QuantizationFile(Struct, frozen=True, eq=False):
    """The lines of a file, each with the offset that its spans count from, and the syntax errors."""

    text: str
    lines: tuple[tuple[int, nodes.Quantization], ...]
    comments: tuple[Span, ...]
    problems: tuple[Problem, ...]


def parse_quantization(text: str) -> QuantizationFile:
    """Return the lines of a ``graph.quant`` file. Any text gives lines and the problems in it."""
    found = split(text)
    lines: list[tuple[int, nodes.Quantization]] = []
    problems: list[Problem] = []
    for piece in found.pieces:
        if piece.start == piece.end or piece.kind is PieceKind.BODY_END:
            continue
        parser = Parser(text[piece.start : piece.end])
        line = parser.quantization()
        problems += (each.shifted(piece.start) for each in parser.problems)
        if line is not None:
            lines.append((piece.start, line))
            if not piece.closed:
                place = Span(piece.end, piece.end)
                problems.append(Problem(rules.SYNTAX_ERROR, place, "expected ';' at the end of the line"))
    comments = tuple(Span(start, end) for start, end in found.comments)
    return QuantizationFile(text, tuple(lines), comments, tuple(problems))


def quantization_path(path: str) -> str | None:
    """Return where quantizations for a graph are looked for: ``graph.quant`` beside ``graph.nnef``."""
    stem, _, suffix = path.rpartition(".")
    return f"{stem}.quant" if suffix == "nnef" else None
