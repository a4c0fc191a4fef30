"""Keywords, blocks, types, literals and built-in functions: the words of the language that can stand at a place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from snd_analysis.base import Source, Span
from snd_analysis.ide.completion.expected import Expected
from snd_analysis.ide.completion.item import Completion, CompletionKind, Completions, closeness, matches
from snd_analysis.ide.completion.names import ARITHMETIC
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.ide.completion.snippets import of_comment
from snd_analysis.ide.completion.stack import OpenBracket
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.names import BUILT_INS
from snd_analysis.skriptnd.samples import CONTINUATION, MARKER
from snd_analysis.skriptnd.syntax import BLOCK_KINDS, nodes, table
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.skriptnd.types import BOOL, CONCRETE, INT, NUMERIC_FUNCTIONS, REAL
from snd_analysis.workspace import Snapshot

_BLOCKS = {
    terminal: tuple(block for block, begun_by in BLOCK_KINDS.items() if begun_by == terminal)
    for terminal in BLOCK_KINDS.values()
}
_LITERALS = {"TRUE": BOOL, "FALSE": BOOL, "INF": REAL, "PI": REAL}
_CONCRETE = ("int", "real", "bool", "str")
_ABSTRACT = ("type", "arith", "num")
_DEFINITION = """ ${1:name} {
    @input {
        $2
    }
    @output {
        $3
    }
    @compose {
        $0
    }
}"""
# Keywords outside definitions, with the following syntax; inserted where nothing follows yet.
_SNIPPETS = {
    "OPERATOR": f"operator{_DEFINITION}", "GRAPH": f"graph{_DEFINITION}", "PUBLIC": f"public operator{_DEFINITION}",
    "IMPORT": "import ${1:module};",
}  # fmt: skip
_PARTS = frozenset({"ASSIGN", "IF", "ELIF", "WHILE", "THEN", "ELSE", "DO", "YIELD"})
_LATE, _LATER = 4, 6
CAST = _LATE
"""Completion group of casts."""


def keywords(place: CompletionPlace, snippets: bool) -> Iterator[Completion]:
    """Yield the keywords that the automaton could take next."""
    expected = place.stack.terminals
    literals = table().literals
    is_document = place.stack.frame is OpenBracket.DOCUMENT
    for kind in sorted(expected):
        word = literals.get(kind, "")
        if not word.isalpha() or kind in _LITERALS or not _makes_sense(place, kind):
            continue
        snippet = _SNIPPETS.get(kind, "") if snippets and is_document and place.following == "" else ""
        yield Completion(
            word, CompletionKind.KEYWORD, 0 if is_document else _LATE, text=snippet, is_snippet=snippet != "",
            subject=("word", "keywords", word),
        )  # fmt: skip
    if is_document and not place.stack.symbols and place.chunk.start == 0 and "VERSION" in expected:
        snippet = "extension ${1:name};" if snippets and place.following == "" else ""
        for word, text in (("version", "version 2.0;"), ("extension", snippet or "extension ")):
            yield Completion(
                word, CompletionKind.KEYWORD, _LATE, text=text, is_snippet=text == snippet,
                subject=("word", "keywords", word),
            )  # fmt: skip


def _makes_sense(place: CompletionPlace, kind: str) -> bool:
    if kind == "IMPORT":
        return place.chunk.start == 0 and not any(each.end <= place.head for each in place.chunk.chunk.definitions)
    if kind == "AS":
        return False
    if kind in ("IN", "IS"):
        return not _is_assigned(place)
    if kind in ("STATIC", "DYNAMIC"):
        return place.block not in (BlockKind.INPUT, BlockKind.OUTPUT) or kind == "STATIC"
    if kind == "OPTIONAL":
        return place.block in (BlockKind.ATTRIB, BlockKind.INPUT) and "OPTIONAL" not in place.stack.symbols
    if kind == "YIELD":
        return place.stack.frame is OpenBracket.REGION
    return True


def _is_assigned(place: CompletionPlace) -> bool:
    """Return whether the place is an assigned tensor of a composition, to which no infix operator applies."""
    stack = place.stack
    if place.block not in (BlockKind.COMPOSE, BlockKind.UPDATE) or stack.frame not in (
        OpenBracket.BLOCK,
        OpenBracket.REGION,
    ):
        return False
    deciding = [symbol for symbol in stack.symbols if symbol in _PARTS]
    return not deciding or deciding[-1] not in ("IF", "ELIF", "WHILE")


def blocks(place: CompletionPlace, snippets: bool) -> Iterator[Completion]:
    """Yield the blocks that the definition does not have yet."""
    definition = place.definition
    present = {block.kind for block in definition.blocks if isinstance(block, nodes.Block)} if definition else set()
    present -= {place.text[place.start + 1 : place.end]}
    is_graph = definition is not None and definition.kind == "graph"
    possible = {word for kind in place.stack.terminals for word in _BLOCKS.get(kind, ())}
    for word in BlockKind:  # in the order in which blocks are usually written
        if word not in possible or word in present or (word is BlockKind.LOWER and is_graph):
            continue
        snippet = snippets and place.following == ""
        text = f"@{word} {{\n    $0\n}}" if snippet else f"@{word}"
        yield Completion(
            f"@{word}", CompletionKind.BLOCK, 0, text=text, is_snippet=snippet, subject=("word", "blocks", word)
        )  # fmt: skip


def primitive_types(place: CompletionPlace, snippets: bool, expected: Expected | None = None) -> Iterator[Completion]:
    """Yield the types that can stand here: abstract ones as bases only, concrete ones as casts in expressions."""
    if "TYPE" not in place.stack.terminals:
        return
    if "type_name" not in place.stack.roles:
        if place.following not in ("", "("):
            return
        for word in _CONCRETE[:3]:
            if expected is not None and expected.is_operand and not expected.takes(CONCRETE[word]):
                continue
            text, snippet = _called(word, place, snippets)
            yield Completion(
                word, CompletionKind.TYPE, _LATE, text, snippet, detail="cast", subject=("word", "types", word)
            )  # fmt: skip
        return
    is_base = place.block == BlockKind.DTYPE and place.stack.top == "COLON"
    if not is_base:
        yield from concrete_types()
        return
    for word in _ABSTRACT:
        yield Completion(word, CompletionKind.TYPE, 1, subject=("word", "types", word))


def concrete_types() -> Iterator[Completion]:
    """Yield the types that a tensor can have."""
    for word in _CONCRETE:
        yield Completion(word, CompletionKind.TYPE, 1, subject=("word", "types", word))


def literals(place: CompletionPlace, expected: Expected | None) -> Iterator[Completion]:
    """Yield ``true``, ``false``, ``inf`` and ``pi``, where their types fit."""
    spelled = table().literals
    for kind, dtype in _LITERALS.items():
        if kind not in place.stack.terminals or (dtype == BOOL and _is_arithmetic(place)):
            continue
        if dtype == REAL and place.stack.frame is OpenBracket.LENGTH:
            continue
        wanted = None if expected is None else expected.dtype
        if expected is not None and not expected.takes(dtype):
            continue
        if expected is not None and (expected.packed is True or expected.rank is not None):
            continue
        # Who begins a comparison does not begin it with 'true'.
        group = 1 if wanted == dtype and not (expected and expected.is_compared) else _LATE
        word = spelled[kind]
        yield Completion(word, CompletionKind.VALUE, group, detail=str(dtype), subject=("word", "keywords", word))


def _is_arithmetic(place: CompletionPlace) -> bool:
    return place.stack.top in ARITHMETIC or (place.following != "" and place.following in "+-*/\\%")


def functions(place: CompletionPlace, snippets: bool, expected: Expected | None) -> Iterator[Completion]:
    """Yield the built-in functions; beside an operator only functions with a matching type."""
    for name in sorted(BUILT_INS):
        result = INT if name in NUMERIC_FUNCTIONS else REAL
        if expected is not None and expected.is_operand and not (expected.takes(result) or expected.takes(REAL)):
            continue
        text, snippet = _called(name, place, snippets)
        yield Completion(
            name, CompletionKind.FUNCTION, _LATER, text, snippet, detail="built-in function",
            subject=("function", name),
        )  # fmt: skip


def _called(name: str, place: CompletionPlace, snippets: bool) -> tuple[str, bool]:
    """Return the text to insert for a name that takes an argument, and True for a snippet."""
    if place.following == "(":
        return "", False
    return (f"{name}($1)", True) if snippets else (f"{name}(", False)


# ---- completions in comments: suppressions with the names of rules, and samples --------------------------------------
_RULES = re.compile(r"#\s*snd:\s*ignore(?:-file)?\s*\[(?P<named>[^\]]*)\Z")
_DIRECTIVE = re.compile(r"#\s*snd:\s*(?P<word>[\w-]*)\Z")
_MARK = re.compile(r"#\s*(?P<word>\w*)\Z")
_NAME = re.compile(r"[\w-]*")
_DEFINITION_BELOW = re.compile(r"(?:\s*(?:#[^\n]*)?\n)*\s*(?:public\s+)?(?:operator|graph)\s+(?P<name>\w+)")


def comment_completions(snapshot: Snapshot, path: str, comment: Span, offset: int, snippets: bool) -> Completions:
    """Return the completions in a comment that is no sample."""
    source = snapshot.source(path)
    before = source.text[comment.start : offset]
    rules = _RULES.search(before)
    directive = _DIRECTIVE.search(before)
    mark = _MARK.search(before)
    word = ""
    items: list[Completion] = []
    if rules is not None:
        word = re.split(r"[\s,]", rules["named"])[-1]
        named = {*re.split(r"[\s,]+", rules["named"][: len(rules["named"]) - len(word)])}
        items = [*_rules(snapshot, source, path, offset, named)]
    elif directive is not None:
        word = directive["word"]
        items = [*_directives(snippets)]
    elif mark is not None:
        word = mark["word"]
        items = [Completion("snd: ignore[…]", CompletionKind.KEYWORD, 0, *_ignore("snd: ignore", snippets))]
        below = _DEFINITION_BELOW.match(source.text, comment.end)
        if snippets and below is not None:
            items += of_comment(below["name"])
    items = [item for item in items if matches(word, item.filter or item.label)]
    items.sort(key=lambda item: (item.group, closeness(word, item.filter or item.label)))
    after = _NAME.match(source.text, offset, comment.end)
    insert = Span(offset - len(word), offset)
    return Completions(insert, Span(insert.start, after.end() if after else offset), tuple(items))


def _rules(snapshot: Snapshot, source: Source, path: str, offset: int, named: set[str]) -> Iterator[Completion]:
    """Yield all rules; first the rules that the line, or the one below, breaks."""
    line = source.position(offset).line
    alone = source.line_text(line).lstrip().startswith("#")
    covered = range(line, line + (6 if alone else 1))
    broken = {
        found.rule.name
        for found in snapshot.diagnostics(path)
        if source.position(found.location.span.start).line in covered
    }
    for name, rule in catalogue.rules().items():
        if name not in named:
            group = 0 if name in broken else 1
            detail = catalogue.page(rule).summary
            yield Completion(name, CompletionKind.RULE, group, detail=detail, subject=("rule", name))


def _directives(snippets: bool) -> Iterator[Completion]:
    for word in ("ignore", "ignore-file"):
        yield Completion(word, CompletionKind.KEYWORD, 0, *_ignore(word, snippets))


def _ignore(word: str, snippets: bool) -> tuple[str, bool]:
    return (f"{word}[$1] $0", True) if snippets else (f"{word}[", False)


def sample_code(source: Source, comment: Span, offset: int) -> str | None:
    """Return the code of a sample before a cursor in a comment, without its marks; None if the cursor is in none."""
    lines: list[str] = []
    text = source.text
    line, at = source.position(comment.start).line, comment.start
    end = offset
    while True:
        begins = MARKER.match(text, at, end)
        continues = CONTINUATION.match(text, at, end)
        found = begins or continues
        if found is None or found.end() > end:
            return None
        lines.append(text[found.end() : end])
        if begins is not None:
            return "\n".join(reversed(lines))
        line -= 1
        if line < 1:
            return None
        above = source.line_text(line)
        at = source.line_starts[line - 1] + len(above) - len(above.lstrip())
        end = source.line_starts[line - 1] + len(above)
