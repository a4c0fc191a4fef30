"""Text to tree: tokens, an LALR(1) automaton with recovery, typed nodes, chunks that are parsed again only if changed.

``chunks.parse_file`` is the entry point; ``nodes`` are the result. Any text has a tree and a list of problems.
"""

from snd_analysis.skriptnd.syntax.automaton import Automaton, read_expression, signature_is_damaged
from snd_analysis.skriptnd.syntax.builder import TreeBuilder
from snd_analysis.skriptnd.syntax.chunks import (
    Chunk,
    PlacedChunk,
    SyntaxTree,
    chunk_starts,
    comment_above,
    documentation,
    made_tree,
    parse,
    parse_expression,
    parse_file,
)
from snd_analysis.skriptnd.syntax.expected import close_matches, terminals
from snd_analysis.skriptnd.syntax.pretty import element_of, naming_pack, shown_pack, written
from snd_analysis.skriptnd.syntax.recovery.fault import BLOCK_KINDS
from snd_analysis.skriptnd.syntax.recovery.recover import Recovery
from snd_analysis.skriptnd.syntax.strings import string_parts
from snd_analysis.skriptnd.syntax.table import END, run_states, table
from snd_analysis.skriptnd.syntax.tokens import Token, Tokens, is_identifier, keywords, tokenize

__all__ = [
    "BLOCK_KINDS",
    "END",
    "Automaton",
    "Chunk",
    "PlacedChunk",
    "Recovery",
    "SyntaxTree",
    "Token",
    "Tokens",
    "TreeBuilder",
    "chunk_starts",
    "close_matches",
    "comment_above",
    "documentation",
    "element_of",
    "is_identifier",
    "keywords",
    "made_tree",
    "naming_pack",
    "parse",
    "parse_expression",
    "parse_file",
    "read_expression",
    "run_states",
    "shown_pack",
    "signature_is_damaged",
    "string_parts",
    "table",
    "terminals",
    "tokenize",
    "written",
]
