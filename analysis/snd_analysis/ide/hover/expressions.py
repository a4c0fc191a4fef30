"""Hovers of expressions, and of the symbols of operators in them (2.4)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.compose import Specialization
from snd_analysis.compose.formulas import (
    CellWrite,
    Constant,
    FlowCell,
    Formula,
    FormulaFailed,
    FormulaTensors,
    PointBudget,
    Slot,
    elaborate_formula,
    points_reading,
    points_writing,
    writes_of,
)
from snd_analysis.ide.cursor import PlacedNode
from snd_analysis.ide.data_flow import cells_text
from snd_analysis.ide.hover.formulas import access_facts, accessed_tensor
from snd_analysis.ide.hover.symbols import example_facts, value_facts
from snd_analysis.ide.knowledge import Knowledge
from snd_analysis.ide.limits import LONGEST_EXPRESSION, MOST_POINTS_OF_FLOW
from snd_analysis.ide.markdown import bullets, code, code_block, paragraphs
from snd_analysis.ide.values import is_tensor, tensor_facts, type_text
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import ShapeMember
from snd_analysis.skriptnd.syntax import Token, keywords, nodes
from snd_analysis.skriptnd.types import Type
from snd_analysis.symbolic.values import UNDEFINED, Value


# ---- meanings of the words and symbols of the language: the entries of ``vocabulary.toml`` ---------------------------
class Word(Struct, frozen=True):
    """An explanation, in Markdown, of a word or symbol; ``section`` is that of the draft, or ``LANGUAGE``."""

    text: str
    section: str
    example: str | None = None
    form: str | None = None
    """The spelling, if it differs from the word."""


@cache
def vocabulary() -> Mapping[str, Mapping[str, Word]]:
    """Return all entries by kind (``blocks``, ``keywords``, ``types``, ``functions`` …) and word.

    Names of blocks have no ``@``.
    """
    text = files("snd_analysis").joinpath("ide", "hover", "vocabulary.toml").read_text(encoding="utf-8")
    return {
        kind: {word: Word(**entry) for word, entry in entries.items()} for kind, entries in tomllib.loads(text).items()
    }


# ---- hovers of the language itself -----------------------------------------------------------------------------------
_SYMBOLS = frozenset({"..", "...", "~", "->", "<>", "<-", "?", "??"})


def word_text(kind: str, word: str, head: str | None = None) -> str:
    """Return the meaning of a word or symbol; empty if there is none of that kind."""
    entry = vocabulary()[kind].get(word)
    if entry is None:
        return ""
    source = f"SkriptND, section {entry.section}" if entry.section != "LANGUAGE" else "as files in the wild have it"
    return paragraphs([code_block(entry.example or entry.form or head or word), entry.text, f"*{source}*"])


def function_text(name: str) -> str:
    """Return the explanation of a built-in function."""
    types = "int or real" if name in ("abs", "sign") else "real"
    return word_text("functions", name, f"{name}(x: {types})")


def token_text(token: Token, text: str) -> str:
    """Return the meaning of a keyword, the name of a type, the head of a block or a symbol.

    Empty if it has no fixed meaning.
    """
    word = token.spelling(text)
    if token.kind.startswith("B_"):
        return word_text("blocks", word.removeprefix("@"))
    if token.kind == "TYPE":
        return word_text("types", word)
    if word in keywords() or token.kind in ("VERSION", "EXTENSION"):
        return word_text("keywords", word)
    return word_text("operators", word) if word in _SYMBOLS else ""


# ---- elements that a formula reads for one element that it writes, and back, with the sizes of a sample (2.12) -------
def flow_texts(specialization: Specialization, access: nodes.Node) -> Iterator[str]:
    """Yield ``y[0,2] reads x[0,1..3]`` for an element in the middle, and for a reading access also the reverse.

    Nothing if data decide, or the sizes are unknown or too large.
    """
    found = _formula_around(specialization, access)
    if found is None:
        return
    try:
        formulas = list(elaborate_formula(specialization, FormulaTensors(specialization), *found))
        middle = next((write for each in formulas for write in _middle(each, access)), None)
        if middle is not None:
            yield from _reads(formulas, middle, access)
            if access is not found[1].target:
                yield from _feeds(formulas, middle, access)
    except (EvaluationError, FormulaFailed):
        return


def _formula_around(specialization: Specialization, access: nodes.Node) -> tuple[int, nodes.Lowering] | None:
    for base, node in specialization.template.formulas:
        if any(each is access for each in nodes.descendants(node)):
            return base, node
    return None


def _middle(formula: Formula, access: nodes.Node) -> Iterator[CellWrite]:
    """Yield the writes in the middle of a formula, if an access is read for them."""
    extents = [int(axis.extent.value) for axis in formula.axes if isinstance(axis.extent, Constant)]
    if len(extents) == len(formula.axes):
        for write in writes_of(formula, [(extent // 2,) for extent in extents], PointBudget(1)):
            if write.is_certain and (access is formula.node.target or _read_by(write, access)):
                yield write


def _read_by(write: CellWrite, access: nodes.Node) -> list[tuple[Slot, FlowCell]]:
    return [
        (each.slot, each.cell)
        for each in write.reads
        if each.access.node is access or access is write.formula.node.target
    ]


def _reads(formulas: list[Formula], middle: CellWrite, access: nodes.Node) -> Iterator[str]:
    wanted = {middle.slot: {middle.cell}}
    read: dict[Slot, set[FlowCell]] = {}
    for formula in formulas:
        for write in writes_of(formula, points_writing(formula, wanted), PointBudget(MOST_POINTS_OF_FLOW)):
            if (write.slot, write.cell) == (middle.slot, middle.cell):
                for slot, cell in _read_by(write, access):
                    read.setdefault(slot, set()).add(cell)
    if read and not any(None in cell for cells in read.values() for cell in cells):
        texts = [cells_text(slot.name, cells, slot.shape) for slot, cells in read.items()]
        yield f"{cells_text(middle.slot.name, {middle.cell}, middle.slot.shape)} reads {', '.join(texts)}"


def _feeds(formulas: list[Formula], middle: CellWrite, access: nodes.Node) -> Iterator[str]:
    slot, cell = _read_by(middle, access)[0]
    if None in cell:
        return
    fed: dict[Slot, set[FlowCell]] = {}
    for formula in formulas:
        for write in writes_of(formula, points_reading(formula, {slot: {cell}}), PointBudget(MOST_POINTS_OF_FLOW)):
            if (slot, cell) in _read_by(write, access):
                fed.setdefault(write.slot, set()).add(write.cell)
    texts = [cells_text(each.name, cells, each.shape) for each, cells in fed.items()]
    yield f"{cells_text(slot.name, {cell}, slot.shape)} is read for {', '.join(texts)}"


# ---- hovers of expressions, and of the symbols of operators in them (2.4) --------------------------------------------
def expression_at(path: Sequence[PlacedNode]) -> PlacedNode | None:
    """Return the innermost expression, or left side of a formula, among the nodes around an offset."""
    return next((each for each in reversed(path) if isinstance(each.node, nodes.Expression | nodes.Access)), None)


def expression_hover(knowledge: Knowledge, path: Sequence[PlacedNode]) -> tuple[Span, str] | None:
    """Return the innermost expression at an offset with its type and value.

    The meaning of a symbol there comes first.
    """
    placed = expression_at(path)
    symbol = _symbol_text(path)
    if placed is None:
        inner = path[-1].span
        return (inner, symbol) if symbol else None
    text = expression_text(knowledge, placed, entry_of(path))
    if not text and not symbol:
        return None
    return placed.span, paragraphs([symbol, text])


def entry_of(path: Sequence[PlacedNode]) -> nodes.Entry | None:
    """Return the entry of a block that nodes stand in."""
    return next((each.node for each in path if isinstance(each.node, nodes.Entry)), None)


def expression_text(knowledge: Knowledge, placed: PlacedNode, entry: nodes.Entry | None) -> str:
    """Return an expression with its type and value; empty if nothing is known of it."""
    node, base = placed.node, placed.base - knowledge.start
    if isinstance(node, nodes.ErrorExpression):
        return ""
    typed: Type | None = None
    value: Value = UNDEFINED
    if isinstance(node, nodes.Expression):
        typed, value = knowledge.typed(node, entry).type, knowledge.value(node)
    written = knowledge.source(node, base)
    shown = type_text(value) if is_tensor(value) else "" if typed is None else str(typed)
    facts = [*_facts(knowledge, node, value, written, base)]
    if not shown and not facts:
        return ""
    short = written if len(written) <= LONGEST_EXPRESSION else f"{written[: LONGEST_EXPRESSION - 1].rstrip()}…"
    return paragraphs([code_block(f"{short}: {shown}" if shown else short), bullets(facts)])


def _facts(knowledge: Knowledge, node: nodes.Node, value: Value, written: str, base: int) -> Iterator[str]:
    if isinstance(node, nodes.Subscript | nodes.Access) and accessed_tensor(knowledge, node) is not None:
        yield from access_facts(knowledge, node, base)
        yield from _flow(knowledge, node)
    elif is_tensor(value):
        yield from tensor_facts(value)
    else:
        yield from value_facts(knowledge, value, (written, f"({written})"))
    if isinstance(node, nodes.Expression):
        yield from example_facts(knowledge, value, lambda known: known.value(node))


def _flow(knowledge: Knowledge, node: nodes.Node) -> Iterator[str]:
    """Yield the elements that an access reads for one element of the result, in the sample."""
    if knowledge.by_example is not None:
        known, phrase = knowledge.by_example
        texts = () if known.specialization is None else flow_texts(known.specialization, node)
        yield from (f"{code(text)} {phrase}" for text in texts)


def _symbol_text(path: Sequence[PlacedNode]) -> str:
    """Return the meaning of the symbol of an operator at an offset."""
    inner = path[-1].node
    around = path[-2].node if len(path) > 1 else None
    if isinstance(inner, nodes.Fold):
        return _fold_text(inner)
    if not isinstance(inner, nodes.Operator):
        return ""
    if isinstance(around, nodes.Fold):
        return _fold_text(around)
    if isinstance(around, nodes.Lowering):
        return word_text("assignments", inner.text)
    return word_text("operators", inner.text) or word_text("keywords", inner.text)


def _fold_text(fold: nodes.Fold) -> str:
    symbol = fold.operator.text
    if not fold.cumulative:
        return word_text("folds", symbol, f"{symbol} ..")
    return paragraphs(
        [word_text("operators", "...", f"{symbol} ..."), f"The fold is `{symbol} ..`: {_meaning(symbol)}"]
    )


def _meaning(symbol: str) -> str:
    entry = vocabulary()["folds"].get(symbol)
    return "" if entry is None else entry.text


def member_text(target: ShapeMember) -> str:
    """Return the explanation of ``shape``, ``rank`` or ``size`` of a tensor."""
    return word_text("members", target.member, f"{target.tensor.name}.{target.member}")
