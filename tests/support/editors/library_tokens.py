"""Tokens of the library and the examples, by the analysis: syntax files must agree without it."""

from __future__ import annotations

from snd_analysis.ide import TokenType
from snd_analysis.ide.semantic_tokens import semantic_tokens
from support.editors.downloads import REPOSITORY
from support.memory import read_program, snapshot_of

# Every third token covers all cases in a third of the time.
_STEP = 3

_CLASSES = {
    TokenType.KEYWORD: "word",
    TokenType.TYPE: "type",
    TokenType.BLOCK: "block",
    TokenType.STRING: "string",
    TokenType.FIELD: "field",
    TokenType.NUMBER: "number",
    TokenType.SYMBOL: "symbol",
    TokenType.COMMENT: "comment",
}


def expected_classes() -> dict[str, list[tuple[int, int, str, str]]]:
    """Return line and column (bytes, both from 1), class and text of tokens, by paths of files."""
    folders = [REPOSITORY / "analysis/snd_analysis/libraries/std", *sorted(REPOSITORY.glob("examples/*"))]
    found = {}
    for folder in folders:
        files = read_program(folder)
        snapshot = snapshot_of(files)
        for path, text in files.items():
            source = snapshot.source(path)
            tokens = [each for each in semantic_tokens(snapshot, path, None) if each.type in _CLASSES]
            rows = []
            for token in tokens[::_STEP]:
                at = source.position(token.span.start)
                start = source.line_starts[at.line - 1]
                column = len(text[start : token.span.start].encode()) + 1
                rows.append((at.line, column, _CLASSES[token.type], text[token.span.start : token.span.end]))
            found[str(folder / path)] = rows
    return found
