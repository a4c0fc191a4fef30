"""The grammar against annotated texts, and against what the analysis knows of whole files (invariant 20)."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from snd_analysis.base import Source, Span
from snd_analysis.ide import TokenType
from snd_analysis.ide.hover.expressions import vocabulary
from snd_analysis.ide.semantic_tokens import semantic_tokens
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, library_modules, library_text
from snd_analysis.skriptnd.syntax import tokens as lexer
from snd_analysis.symbolic.values import FUNCTIONS
from support.editors.downloads import REPOSITORY
from support.editors.textmate import GrammarToken, Lines, grammar_tokens
from support.memory import read_program, snapshot_of
from support.sampling import tries
from support.waiting import FAR_SECONDS

LIBRARY = {name: library_text(f"{LIBRARY_PREFIX}{name}") for name in library_modules()}
PROGRAMS = [
    *(path for path in sorted(REPOSITORY.glob("examples/*")) if path.name != "broken"),
    *sorted(REPOSITORY.glob("tests/fixtures/listings/*")),
    *sorted(REPOSITORY.glob("tests/fixtures/valid/*")),
]
WORDS = ("keyword.", "storage.", "constant.language.")
VARIABLE = ("variable.",)
# A pack that is invoked, and a type that is called, look like any operator.
SCOPES: dict[TokenType, tuple[str, ...]] = {
    TokenType.MODULE: ("entity.name.namespace.",),
    TokenType.OPERATOR: ("entity.name.function.", "support.function."),
    TokenType.GRAPH: ("entity.name.type.class.graph.", "entity.name.function."),
    TokenType.GENERIC: ("entity.name.type.parameter.", "entity.name.function.", *VARIABLE),
    TokenType.ATTRIBUTE: VARIABLE,
    TokenType.EXTENT: VARIABLE,
    TokenType.INPUT: VARIABLE,
    TokenType.OUTPUT: VARIABLE,
    TokenType.CONSTANT: VARIABLE,
    TokenType.VARIABLE: VARIABLE,
    TokenType.TENSOR: VARIABLE,
    TokenType.HELPER: VARIABLE,
    TokenType.INDEX: VARIABLE,
    TokenType.LABEL: ("entity.name.label.", *VARIABLE),
    TokenType.FUNCTION: ("support.function.builtin.",),
    TokenType.MEMBER: ("support.variable.property.",),
    TokenType.KEYWORD: WORDS,
    TokenType.BLOCK: ("keyword.control.block.",),
    TokenType.TYPE: ("storage.type.",),
    TokenType.STRING: ("string.", "punctuation.definition.string.", "constant.character.escape."),
    TokenType.FIELD: ("punctuation.definition.template-expression.",),
    TokenType.NUMBER: ("constant.numeric.",),
    TokenType.SYMBOL: ("keyword.operator.", "punctuation.definition.generic."),
    TokenType.COMMENT: ("comment.line.",),
    TokenType.SAMPLE: ("comment.line.number-sign.sample.",),
    TokenType.DIRECTIVE: ("comment.line.number-sign.directive.",),
}
# The grammar distinguishes parts of these tokens: the surrounding scope counts.
WHOLE = {TokenType.STRING, TokenType.COMMENT, TokenType.SAMPLE, TokenType.DIRECTIVE}


def test_every_kind_of_token_has_scopes() -> None:
    assert set(SCOPES) == set(TokenType)


def test_annotated_texts(extension: Path) -> None:
    texts = sorted(
        each for each in (extension / "test/grammar").iterdir() if each.suffix in (".sknd", ".nnef", ".quant")
    )
    runner = extension / "node_modules/vscode-tmgrammar-test/dist/unit.js"
    done = subprocess.run(
        ["node", runner, *texts],
        cwd=extension,
        capture_output=True,
        text=True,
        timeout=FAR_SECONDS,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("run successfuly") == len(texts) > 0


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """The library, the examples, and programs with every construct of the language."""
    found = {f"library/{name}": text for name, text in LIBRARY.items()}
    for path in PROGRAMS:
        found |= {f"{path.name}/{name}": text for name, text in read_program(path).items()}
    return found


@pytest.fixture(scope="module")
def read(extension: Path, files: dict[str, str]) -> dict[str, Lines]:
    return grammar_tokens(extension, files)


def test_it_agrees_with_the_analysis(files: dict[str, str], read: dict[str, Lines]) -> None:
    wrong: list[str] = []
    compared = 0
    for name, text in files.items():
        folder, _, file = name.partition("/")
        path = f"{LIBRARY_PREFIX}{file}" if folder == "library" else file
        inside = {each.partition("/")[2]: other for each, other in files.items() if each.startswith(f"{folder}/")}
        snapshot = snapshot_of({} if folder == "library" else inside)
        source = Source(path, text)
        for token in semantic_tokens(snapshot, path):
            for line, start, end in _pieces(source, token.span):
                compared += 1
                for piece in _between(read[name][line], start, end):
                    scopes = piece.scopes if token.type in WHOLE else piece.scopes[-1:]
                    if not any(scope.startswith(SCOPES[token.type]) for scope in scopes):
                        word = source.line_text(line + 1)[start:end]
                        wrong.append(f"{name}:{line + 1}:{start + 1}: {token.type} {word!r} is {piece.scopes[1:]}")
    assert not wrong, "\n".join(wrong[:40])
    assert compared > 40_000


def test_no_piece_of_code_is_left_without_a_scope(files: dict[str, str], read: dict[str, Lines]) -> None:
    without = [
        f"{name}:{number + 1}:{token.start + 1}: {line[token.start : token.end]!r}"
        for name, text in files.items()
        for number, line in enumerate(text.splitlines())
        for token in read[name][number]
        if line[token.start : token.end].strip() and token.scopes[-1].startswith(("source.", "meta."))
    ]
    assert not without, "\n".join(without[:40])


def test_nothing_of_what_is_right_is_marked_as_wrong(files: dict[str, str], read: dict[str, Lines]) -> None:
    wrong = [
        f"{name}:{number + 1}:{token.start + 1}: {token.scopes[-1]}"
        for name in files
        for number, line in enumerate(read[name])
        for token in line
        if any(scope.startswith("invalid.") for scope in token.scopes)
    ]
    assert not wrong, "\n".join(wrong[:40])


@pytest.mark.parametrize("damage", ["loses a character", "gains a character", "loses a line", "ends early"])
def test_damage_stays_in_its_definition(extension: Path, damage: str) -> None:
    """Whatever happens to a definition, the head of the next one is read as before, and so is all that follows."""
    rng = random.Random(damage)
    before, behind = LIBRARY["linalg"], LIBRARY["quant"]
    behind = behind[behind.index("\noperator ") :]
    damaged = {str(number): _damaged(before, damage, rng) + behind for number in range(tries(6, 60))}
    expected = grammar_tokens(extension, {"behind": behind})["behind"]
    for text, lines in zip(damaged.values(), grammar_tokens(extension, damaged).values(), strict=True):
        assert lines[-len(expected) + 1 :] == expected[1:], text[: -len(behind)]


def test_a_long_chain_of_names_is_read_to_its_end(extension: Path) -> None:
    """A rule that went through the chain again from each of its names would meet the limit of `grammar_tokens`."""
    chain = ".".join(["abc"] * 40_000)
    *_, last = grammar_tokens(extension, {"chain": f"{chain}(x)"})["chain"]
    assert "entity.name.function.skriptnd" in {scope for token in last for scope in token.scopes}


def test_every_word_of_the_language_is_known(extension: Path) -> None:
    words = {word: "storage.type." if kind == "TYPE" else WORDS for word, kind in lexer.keywords().items()}
    words |= {f"@{block}": "keyword.control.block." for block in vocabulary()["blocks"]}
    words |= {f"{function}(x)": "support.function.builtin." for function in FUNCTIONS}
    found = grammar_tokens(extension, {word: word for word in words})
    for word, wanted in words.items():
        assert found[word][0][0].scopes[-1].startswith(wanted), word


def test_markdown_highlights_its_blocks_of_code(extension: Path) -> None:
    text = (
        'A `net`:\n\n```sknd\ngraph net {\n    @input { x: "open\n```\n\n'
        "graph is a word\n~~~ skriptnd\nimport nn;\n~~~\n"
    )
    lines = grammar_tokens(extension, {"": text}, "text.html.markdown")[""]
    scopes = [{scope for token in line for scope in token.scopes} for line in lines]
    assert "fenced_code.block.language.markdown" in scopes[2]
    assert {"meta.embedded.block.skriptnd", "storage.type.graph.skriptnd"} <= scopes[3]
    assert "string.quoted.double.skriptnd" in scopes[4]
    assert not any("skriptnd" in scope for scope in scopes[5] | scopes[7])
    assert "keyword.control.import.skriptnd" in scopes[9]
    assert not any("skriptnd" in scope for scope in scopes[10])


def _pieces(source: Source, span: Span) -> Iterator[tuple[int, int, int]]:
    """Yield the lines of a span, counted from 0, with the columns of their text without surrounding blanks."""
    for line in range(source.position(span.start).line, source.position(span.end).line + 1):
        start, text = source.line_starts[line - 1], source.line_text(line)
        begin, end = max(span.start - start, 0), min(span.end - start, len(text))
        begin += len(text[begin:end]) - len(text[begin:end].lstrip())
        if begin < end:
            yield line - 1, begin, end


def _between(line: list[GrammarToken], start: int, end: int) -> list[GrammarToken]:
    return [token for token in line if token.start < end and start < token.end]


def _damaged(text: str, damage: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    match damage:
        case "loses a character":
            marks = [place for place, character in enumerate(text) if character in "{}[]()\"';:@#"]
            at = rng.choice(marks)
            return text[:at] + text[at + 1 :]
        case "gains a character":
            return text[:at] + rng.choice("{}[]()\"';:@#`<>|") + text[at:]
        case "loses a line":
            lines = text.splitlines(keepends=True)
            del lines[rng.randrange(len(lines))]
            return "".join(lines)
        case _:
            return text[:at]
