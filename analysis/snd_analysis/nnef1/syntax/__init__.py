"""NNEF 1.0 text to tree: pieces, tokens, recursive descent with recovery per statement.

``parse_file`` is the entry point; ``nodes`` are the result. Any text has a tree and a list of problems.
"""

from snd_analysis.nnef1.syntax.parser import BUILT_INS, END, KEYWORDS, Nnef1Token, Parser, tokenize
from snd_analysis.nnef1.syntax.pieces import (
    Dialect,
    Nnef1SyntaxTree,
    PieceKind,
    QuantizationFile,
    ReadPiece,
    TextPiece,
    parse_file,
    parse_quantization,
    quantization_path,
    split,
    written_type,
)

__all__ = [
    "BUILT_INS",
    "END",
    "KEYWORDS",
    "Dialect",
    "Nnef1SyntaxTree",
    "Nnef1Token",
    "Parser",
    "PieceKind",
    "QuantizationFile",
    "ReadPiece",
    "TextPiece",
    "parse_file",
    "parse_quantization",
    "quantization_path",
    "split",
    "tokenize",
    "written_type",
]
