"""The contents of a sample. All spans count from its start, so a sample that moves stays the same object."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Rule, Span
from snd_analysis.skriptnd.evaluate import EvaluationError, Unresolved, evaluate
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer
from snd_analysis.symbolic.values import UNDEFINED, Pack, Value

TOLERANCE = 1e-5
"""Allowed relative difference of a real from the recorded one."""

NestedLeaf: TypeAlias = "int | float | bool | str"
NestedRows: TypeAlias = "NestedLeaf | tuple[NestedRows, ...]"
"""A tensor, or a pack of them, as nested rows."""

ItemExtent: TypeAlias = "int | tuple[int, ...]"
"""An extent of a tensor; of a pack, one for all tensors or one for each."""


class Recorded(Struct, frozen=True):
    """``# y: real[2] = [-0.1, 2.0]``: one result. Without ``value`` and ``summary`` only its type is recorded."""

    line: Span
    """The comment, without its line break."""
    name: str
    name_span: Span
    type_span: Span
    """The type, shape and length."""
    dtype: str | None
    """Type of the elements; None for null."""
    shape: tuple[ItemExtent, ...] = ()
    length: int | None = None
    """The number of tensors of a pack."""
    value: NestedRows | None = None
    summary: str | None = None
    """Summary of a large tensor, recorded in place of its value."""
    tolerance: float | None = None
    """One of its own."""


class RecordedError(Struct, frozen=True):
    """``# error: stride must be positive``: the invocation fails, and the message holds these words."""

    line: Span
    text: str

    def matches(self, message: str) -> bool:
        """Return whether a message is the one that is expected."""
        return " ".join(self.text.split()).rstrip(".") in " ".join(message.split())


class Sample(Struct, frozen=True, eq=False):
    """An invocation in a comment with its recorded results. Compared by identity."""

    span: Span
    """Range from the first ``#`` to the end of the last line."""
    marker: Span
    """The ``# >>>`` that it begins with."""
    code_end: int
    """Offset of the end of the last line that has code."""
    invocation: nodes.Call | None
    """The invocation; None if it could not be parsed, which is among the problems."""
    code: str = ""
    """The text up to ``code_end``, with blanks instead of everything that is not code."""
    results: tuple[Recorded, ...] = ()
    error: RecordedError | None = None
    tolerance: float = TOLERANCE
    problems: tuple[Problem, ...] = ()

    @property
    def has_results(self) -> bool:
        """Return whether anything is recorded that an evaluation could be compared with."""
        return bool(self.results) or self.error is not None


# ---- nested lists as tensors: rows of equal lengths (2.3 has no nested lists; in samples they are tensors) -----------
class RaggedError(Exception):
    """A list that is no tensor."""

    def __init__(self, rule: Rule, node: nodes.Node, message: str, notes: tuple[Note, ...] = ()) -> None:
        super().__init__(message)
        self.rule = rule
        self.node = node
        self.message = message
        self.notes = notes


class Rows(Struct, frozen=True):
    """A nested list taken apart: its shape, and its items in row-major order."""

    shape: tuple[int, ...]
    items: tuple[nodes.ListItem, ...]


class NoNames:
    """The environment of an expression in which no name means anything."""

    composing = True

    def lookup(self, node: nodes.Qualified) -> Value:
        return UNDEFINED

    def dtype(self, node: nodes.TypeName | nodes.Qualified) -> str | None:
        return None


NO_NAMES = NoNames()


def rows_of(node: nodes.List) -> Rows | None:
    """Return the tensor in a list; None if its length is not known. Raise RaggedError."""
    nested = [isinstance(item, nodes.List) for item in node.items]
    if not any(nested):
        length = _length(node)
        return None if length is None else Rows((length,), node.items)
    if not all(nested):
        odd = node.items[nested.index(not nested[0])]
        first, this = ("a list", "a single value") if nested[0] else ("a single value", "a list")
        message = (
            f"the items of a tensor are all lists or all single values, but this is {this}, and the first is {first}"
        )
        raise RaggedError(rules.RAGGED_TENSOR, odd, message, (Note(node.items[0].span, f"this is {first}"),))
    found: list[Rows] = []
    for item in node.items:
        assert isinstance(item, nodes.List)
        rows = rows_of(item)
        if rows is None:
            return None
        if found and rows.shape != found[0].shape:
            first, this = _shown(found[0].shape), _shown(rows.shape)
            message = f"the rows of a tensor have one shape, but this row is {this}, and the first is {first}"
            raise RaggedError(rules.RAGGED_TENSOR, item, message, (Note(node.items[0].span, f"its shape is {first}"),))
        found.append(rows)
    items = tuple(item for rows in found for item in rows.items)
    return Rows((len(found), *found[0].shape), items)


def _shown(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


def _length(node: nodes.List) -> int | None:
    """Return how many items a list without lists in it has."""
    if not any(isinstance(item, nodes.Range | nodes.Expanded | nodes.Zip) for item in node.items):
        return len(node.items)
    value = attempt(node)
    return value.length.value if isinstance(value, Pack) else None


def attempt(node: nodes.Expression) -> Value:
    """Return the value of an expression without names; UNDEFINED if it has none."""
    try:
        return evaluate(node, NO_NAMES)
    except (EvaluationError, Unresolved):
        return UNDEFINED


def value_of_rows(node: nodes.Expression) -> NestedRows:
    """Return the value recorded by literals, as nested rows. Raise RaggedError if they record none.

    Items of a pack may differ in their shapes, so rows are not compared here.
    """
    if isinstance(node, nodes.List):
        if any(isinstance(item, nodes.Range | nodes.Expanded | nodes.Zip) for item in node.items):
            raise RaggedError(rules.SAMPLE_SYNTAX, node, "a recorded value is written out")
        return tuple(value_of_rows(item) for item in node.items)  # type: ignore[arg-type]
    return _leaf(node)


def _leaf(node: nodes.Expression) -> NestedLeaf:
    if isinstance(node, nodes.Qualified) and node.text == "nan":
        return float("nan")
    if isinstance(node, nodes.Unary) and isinstance(node.operand, nodes.Qualified) and node.operand.text == "nan":
        return float("nan")
    value = attempt(node)
    if isinstance(value, Integer) and value.value is not None:
        return value.value
    if value is TRUE or value is FALSE:
        return value is TRUE
    if isinstance(value, float | str):
        return value
    raise RaggedError(rules.SAMPLE_SYNTAX, node, "a recorded value consists of numbers, bools or strings")
